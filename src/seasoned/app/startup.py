"""The twenty parts of an installation in the order they start: each off, failed or present.

A part that fails is warned about and left out, and the others start without it. Parts that live
above this room (the gateway, its logins) tell how they are by `report`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from seasoned.app.health import worker_errors
from seasoned.core.errors import ConfigError, SeasonedError
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.app.services import AppServices
    from seasoned.app.workers import Workers

log = logging.getLogger("seasoned.app")

State = Literal["off", "failed", "present", "stopping"]
WORKER_REMEDY = "its work waits and is tried again; the log says more"
MEND = "correct the setting and start again"
LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class PartState:
    """`reason` says why it is so, `remedy` what to do; it took `milliseconds` to build."""

    state: State
    reason: str = ""
    remedy: str = ""
    milliseconds: float = 0.0

    def shape(self) -> dict[str, Any]:
        said = {"reason": self.reason, "remedy": self.remedy}
        told = {name: text for name, text in said.items() if text}
        return {"state": self.state, **told, "milliseconds": self.milliseconds}


PRESENT = PartState("present")


@dataclass(frozen=True, slots=True)
class Part:
    """A row of the table: `build` makes it, `needs` names parts, `workers` those that serve it."""

    name: str
    build: Callable[[AppServices], PartState]
    needs: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()


class Startup:
    """Builds the parts of one installation, once, and tells how each of them is."""

    def __init__(self, app: AppServices, workers: Workers) -> None:
        self._app, self._workers = app, workers
        self._built: dict[str, PartState] = {}
        self._reported: dict[str, PartState] = {}
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Build what is on, in order; later calls find it built."""
        with self._lock:
            for part in PARTS:
                if part.name not in self._built:
                    self._built[part.name] = self._start(part)

    def report(self, name: str, state: State, reason: str = "", remedy: str = "") -> None:
        """Tell how a part is that another room has built; the latest report counts."""
        if name not in NAMES:
            raise ValueError(f"no part {name!r}; the parts are {', '.join(NAMES)}")
        told = PartState(state, one_line(reason, LONGEST_REASON), remedy)
        if state == "failed" and self._reported.get(name) != told:
            _warn(name, told)
        self._reported[name] = told

    def rows(self) -> dict[str, PartState]:
        """Return each part in order; one whose worker fails has failed. Asks no other machine."""
        self.begin()
        errors = worker_errors(self._app, self._workers)
        return {part.name: self._now(part, errors) for part in PARTS}

    def _start(self, part: Part) -> PartState:
        start = time.perf_counter()
        try:
            state = self._lacking(part) or part.build(self._app)
        except SeasonedError as error:
            state = PartState("failed", one_line(str(error), LONGEST_REASON), MEND)
        except Exception as error:
            text = one_line(f"{type(error).__name__}: {error}", LONGEST_REASON)
            state = PartState("failed", text, "the log has the details; please report it")
            log.debug("the part %s cannot be built", part.name, exc_info=error)
        if state.state == "failed":
            _warn(part.name, state)
        elif state.state == "off":
            log.info("%s is off: %s", part.name, state.reason)
        return replace(state, milliseconds=round(1000 * (time.perf_counter() - start), 1))

    def _lacking(self, part: Part) -> PartState | None:
        for need in part.needs:
            there = self._reported.get(need) or self._built[need]
            if there.state in ("off", "failed"):
                reason = f"it needs {need}, which {'is off' if there.state == 'off' else 'failed'}"
                return PartState(there.state, reason, there.remedy or f"turn {need} on")
        return None

    def _now(self, part: Part, errors: Mapping[str, str]) -> PartState:
        state = self._reported.get(part.name) or self._built[part.name]
        if state.state != "present":
            return state
        for worker in part.workers:
            if worker in errors:
                return PartState("failed", f"worker {worker}: {errors[worker]}", WORKER_REMEDY)
        return state


def _warn(name: str, state: PartState) -> None:
    log.warning("%s failed and is left out: %s; %s", name, state.reason, state.remedy)


def _off(reason: str, remedy: str = "") -> PartState:
    return PartState("off", reason, remedy)


def _switch(key: str, build: Callable[[], object] | None) -> PartState:
    """Build what a setting turned on; None if it is off."""
    if build is None:
        return _off(f"{key} is false", f"set {key} to true")
    build()
    return PRESENT


def _noted(reason: str) -> PartState:
    return PartState("present", reason)


def _served(app: AppServices) -> PartState:
    return _off("runs in `seasoned serve`")


def _supervisor(app: AppServices) -> PartState:
    """The buffers of the workers are built with the services; their threads start when needed."""
    return PRESENT


def _sessions(app: AppServices) -> PartState:
    on = app.config.settings.knowledge.enabled
    return _switch("knowledge.enabled", (lambda: app.recorder) if on else None)


def _security(app: AppServices) -> PartState:
    vault = app.config.vault
    if vault.path is None or vault.state == "open":
        return PRESENT
    locked = f"the vault is locked: {vault.reason}"
    if not vault.waiting:
        return _noted(locked)
    empty = ", ".join(vault.waiting)
    return PartState("failed", f"{locked}; empty until then: {empty}", vault.remedy)


def _tools(app: AppServices) -> PartState:
    if app.config.settings.agent.error_correction_enabled:
        return PRESENT
    return _noted("without hints: agent.errorCorrectionEnabled is false")


def _graph(app: AppServices) -> PartState:
    on = app.config.settings.graph.enabled
    return _switch("graph.enabled", (lambda: app.graph) if on else None)


def _skills(app: AppServices) -> PartState:
    on = app.config.settings.skills.enabled
    return _switch("skills.enabled", (lambda: app.skills) if on else None)


def _knowledge(app: AppServices) -> PartState:
    on = app.config.settings.knowledge.enabled
    return _switch("knowledge.enabled", (lambda: app.library) if on else None)


def _memory(app: AppServices) -> PartState:
    on = app.config.settings.memory.enabled
    return _switch("memory.enabled", (lambda: app.memory) if on else None)


def _embedding(app: AppServices) -> PartState:
    if app.embedding.embedder is not None:
        return PRESENT
    if app.config.settings.embedding.provider == "none":
        return _off("embedding.provider is none; search goes by words")
    remedy = "install what it names, or set embedding.provider"
    return PartState("failed", app.embedding.missing, remedy)


def _callbacks(app: AppServices) -> PartState:
    """Check that events reach their listeners; the notifier is one of them."""
    if app.notices is not None:
        return PRESENT
    from seasoned.channels.notifiers import notifier_from

    try:
        notifier_from(app.config.settings.notify, app.outlets)
    except ConfigError as error:
        return PartState("failed", str(error), "correct notify.* and start again")
    return _noted("new rules are not announced: notify.channel is none")


def _analysis(app: AppServices) -> PartState:
    settings = app.config.settings
    if not settings.behavioral.enabled and not settings.knowledge.enabled:
        return _off("behavioral.enabled and knowledge.enabled are false", "set one to true")
    if not settings.behavioral.enabled:
        return _noted("corrections teach nothing: behavioral.enabled is false")
    model = settings.llm.model.strip()
    if model:
        _check_models(app, model)
    return _noted("" if model else "by rules: llm.model is not set")


def _librarian(app: AppServices) -> PartState:
    settings = app.config.settings
    if not settings.librarian.enabled:
        return _switch("librarian.enabled", None)
    if not settings.llm.model:
        return _off("llm.model is not set, so it asks nothing", "set llm.model")
    return _switch("librarian.enabled", lambda: app.librarian)


def _payment(app: AppServices) -> PartState:
    payment = app.config.settings.payment
    if not payment.enabled:
        return _switch("payment.enabled", None)
    from seasoned.payment.signing import Wallet

    network = app.payments.network
    return _noted(f"{Wallet(payment.key).address} on {network.name}")


def _jobs(app: AppServices) -> PartState:
    from seasoned.core.extras import installed, missing_extra

    if not app.config.settings.jobs.enabled:
        return _switch("jobs.enabled", None)
    if not installed("jobs"):
        raise missing_extra("jobs", "schedules need croniter", "or set jobs.enabled to false")
    return _off("runs in `seasoned serve` and `seasoned worker`")


def _agent(app: AppServices) -> PartState:
    """Tell whether the agent's models can be built; they are not asked."""
    settings = app.config.settings
    first = settings.agent.model.strip() or settings.llm.model.strip()
    if not first:
        return _off("agent.model is not set", "set agent.model, e.g. openai:gpt-5.4-mini")
    _check_models(app, first, *settings.agent.fallback.split(","))
    return PRESENT


def _channels(app: AppServices) -> PartState:
    """Check what is set up; `serve` runs it, and reports how each channel is."""
    from seasoned.channels.drivers import turned_on
    from seasoned.core.extras import installed, missing_extra

    names = [*turned_on(app.config.settings)]
    if not names:
        remedy = "set telegram.token, discord.token, slack.botToken or hook.url"
        return _off("no channel is set up", remedy)
    if names != ["hook"] and not installed("channels"):
        raise missing_extra("channels", f"{', '.join(names)} need their client libraries")
    return _off(f"{', '.join(names)}: runs in `seasoned serve`")


def _turn_callbacks(app: AppServices) -> PartState:
    return PRESENT


def _check_models(app: AppServices, *names: str) -> None:
    """Refuse a model that cannot be built; the servers of models are not asked."""
    from seasoned.llm.chat.credentials import credentials_from
    from seasoned.llm.chat.providers import check_name

    config, llm = app.config, app.config.settings.llm
    named = llm.model.strip() or names[0]
    given = credentials_from(named, llm.url, llm.key, config.keys, config.addresses)
    for name in names:
        if name.strip():
            check_name(name.strip(), given)


PARTS = (
    Part("supervisor", _supervisor),
    Part("sessions", _sessions),
    Part("security", _security),
    Part("tools", _tools, workers=("performance", "given")),
    Part("graph", _graph, workers=("graph",)),
    Part("skills", _skills, workers=("skills",)),
    Part("knowledge", _knowledge, workers=("fixes",)),
    Part("memory", _memory, workers=("memory",)),
    Part("embedding", _embedding, workers=("embedding",)),
    Part("callbacks", _callbacks, workers=("notices", "progress")),
    Part("analysis", _analysis, workers=("corrections", "conversations")),
    Part("librarian", _librarian, ("memory",), ("librarian",)),
    Part("payment", _payment, ("tools",)),
    Part("jobs", _jobs),
    Part("auth", _served),
    Part("gateway", _served),
    Part("approval", _served),
    Part("agent", _agent),
    Part("channels", _channels),
    Part("turn callbacks", _turn_callbacks, ("sessions",)),
)
NAMES = tuple(part.name for part in PARTS)
