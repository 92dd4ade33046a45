"""The parts of an installation, each off, present, or failed with its reason and remedy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from seasoned.core.errors import ConfigError

if TYPE_CHECKING:
    from seasoned.app.app import App
    from seasoned.app.services import AppServices

PartName = Literal["off", "present", "failed"]
QUEUE_LABELS = {
    "green": "",
    "yellow": "High — corrections pending analysis",
    "red": "Near cap",
}


@dataclass(frozen=True, slots=True)
class PartState:
    """`reason` says why it is off or failed, `remedy` what to do about a failure."""

    state: PartName
    reason: str = ""
    remedy: str = ""


PRESENT = PartState("present")


def parts_of(app: App) -> dict[str, PartState]:
    """Return the state of each part; asks nothing of other machines."""
    settings = app.config.settings
    learning = settings.knowledge.enabled
    model = settings.llm.model
    return {
        "learning": _switch("knowledge.enabled", on=learning),
        "hints": _switch(
            "agent.errorCorrectionEnabled", on=settings.agent.error_correction_enabled
        ),
        "corrections": _switch("behavioral.enabled", on=settings.behavioral.enabled),
        "search by meaning": _embedding(app),
        "graph": _switch("graph.enabled", on=settings.graph.enabled),
        "memory": _switch("memory.enabled", on=settings.memory.enabled),
        "librarian": _librarian(app, model),
        "skills": _switch("skills.enabled", on=settings.skills.enabled),
        "notices": _notices(app),
        "background model": PRESENT if model else PartState("off", "llm.model is not set"),
        "agent": _agent(app),
    } | _workers(app)


def worker_errors(app: App) -> dict[str, str]:
    """Return the last error of each worker whose latest batch failed."""
    buffers = app.workers.buffers.items()
    found = {name: one.counters.last_error for name, one in buffers if one.counters.last_error}
    if app.notices is not None and app.notices.counters.last_error:
        found["notices"] = app.notices.counters.last_error
    return found


def buffers_of(app: App) -> dict[str, dict[str, Any]]:
    """Return each worker's buffer: its depth, and what spilled over it."""
    return {
        name: {"depth": one.waiting, "capacity": one.config.capacity, **asdict(one.counters)}
        for name, one in app.workers.buffers.items()
    }


def _switch(key: str, *, on: bool) -> PartState:
    return PRESENT if on else PartState("off", f"{key} is false")


def _embedding(app: AppServices) -> PartState:
    if app.embedding.embedder is not None:
        return PRESENT
    if app.config.settings.embedding.provider == "none":
        return PartState("off", "embedding.provider is none")
    return PartState(
        "failed", app.embedding.missing, "install what it names, or set embedding.provider"
    )


def _librarian(app: AppServices, model: str) -> PartState:
    if not app.config.settings.librarian.enabled:
        return PartState("off", "librarian.enabled is false")
    return PRESENT if model else PartState("off", "llm.model is not set, so it asks nothing")


def _notices(app: AppServices) -> PartState:
    if app.notices is not None:
        return PRESENT
    from seasoned.channels.notifiers import notifier_from

    try:
        notifier_from(app.config.settings.notify, app.outlets)
    except ConfigError as error:
        return PartState("failed", str(error), "correct notify.* and start again")
    return PartState("off", "notify.channel is none")


def _agent(app: AppServices) -> PartState:
    """Tell whether the agent's models can be built; they are not asked."""
    from seasoned.llm.chat.credentials import credentials_from
    from seasoned.llm.chat.providers import check_name

    settings, config = app.config.settings, app.config
    first = settings.agent.model.strip() or settings.llm.model.strip()
    if not first:
        return PartState("off", "agent.model is not set")
    named = settings.llm.model.strip() or first
    llm = settings.llm
    try:
        given = credentials_from(named, llm.url, llm.key, config.keys, config.addresses)
        for name in (first, *settings.agent.fallback.split(",")):
            if name.strip():
                check_name(name.strip(), given)
    except ConfigError as error:
        return PartState("failed", str(error), "correct agent.model and start again")
    return PRESENT


def _workers(app: App) -> dict[str, PartState]:
    remedy = "its work waits and is tried again; the log says more"
    return {
        f"worker {name}": PartState("failed", error, remedy)
        for name, error in worker_errors(app).items()
    }
