"""An agent that learns, built from the settings and the caller's options.

agent = s.agent("openai:gpt-5.4-mini", tools=[weather])
print(agent.ask("Do I need an umbrella in Oslo today?"))
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from concurrent.futures import wait
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from seasoned.core.errors import ConfigError
from seasoned.core.extras import missing_extra
from seasoned.core.portal import Portal
from seasoned.security.stored import stored_name

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, FunctionToolset

    from seasoned.agent.agent import Agent
    from seasoned.agent.learning import LearningHooks
    from seasoned.agent.scheduled import DueTasks
    from seasoned.agent.turn import AgentEvent, Turn
    from seasoned.app import App
    from seasoned.core.scope import Scope
    from seasoned.sessions.windows import SessionWindow
    from seasoned.tools.approval_store import Approval, Approvals
    from seasoned.tools.builtin.schedule_store import Schedule
    from seasoned.tools.run import ApprovalDecision, Ask, ToolRun

T = TypeVar("T")

BUILT_IN = ("files", "shell", "web", "knowledge", "schedule")
INSTRUCTIONS = (
    "You are a helpful assistant. Below your user's messages you may find notes from earlier "
    "experience: rules, fixes, facts. Heed those that fit; they are not part of what the user said."
)


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Options that override the settings."""

    model: str | Model | None = None
    tools: Sequence[Callable[..., Any] | AbstractToolset[Any]] = ()
    built_in: Sequence[str] | None = None
    instructions: str | None = None
    root: str | os.PathLike[str] | None = None


def build_agent(app: App, options: AgentOptions) -> Agent:
    """Build an agent from the settings and the options."""
    try:
        import pydantic_ai  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as missing:
        raise missing_extra("llm", "an agent needs clients for language models") from missing
    from seasoned.agent.agent import Agent, TurnConfig
    from seasoned.agent.learning import LearningHooks
    from seasoned.agent.session import SessionLog

    settings = app.config.settings.agent
    log = SessionLog(app.recorder, settings.history_tokens)
    learning = LearningHooks(
        *(log, app.engine, app.turns, app.retriever, app.hand, app.handouts),
        *(app.notebook, app.hand_notes),
    )
    config = TurnConfig(
        options.instructions or settings.instructions or INSTRUCTIONS,
        settings.max_steps,
        settings.turn_seconds,
        settings.turn_tokens or None,
    )
    toolset = _toolset(app, options, learning)
    return Agent(_model(app, options.model), toolset, log, learning, app.bus, config)


def _model(app: App, model: str | Model | None) -> Model:
    """Wrap the model in a supervisor and, if configured, in redaction of personal data."""
    from seasoned.llm.chat.models import agent_model, supervise

    settings = app.config.settings
    redact = settings.privacy.redact
    if model is not None and not isinstance(model, str):
        return supervise([model], settings.agent, db=app.db, clock=app.clock, redact=redact)
    built = agent_model(
        replace(settings.agent, model=model) if model else settings.agent,
        settings.llm,
        db=app.db,
        clock=app.clock,
        redact=redact,
        environment=app.config.keys,
        addresses=app.config.addresses,
    )
    if built is None:
        raise ConfigError(
            "no model is set; give one (--model openai:gpt-5.4-mini, or ollama:qwen3 for a local "
            "one), or set agent.model"
        )
    return built


def _toolset(app: App, options: AgentOptions, learning: LearningHooks) -> AbstractToolset[ToolRun]:
    from pydantic_ai.toolsets import AbstractToolset as Toolset

    from seasoned.tools.approval import ApprovalRules
    from seasoned.tools.approval_store import Approvals
    from seasoned.tools.noted import Noted
    from seasoned.tools.toolset import combine, toolset_from, wrapped

    settings = app.config.settings
    functions = [one for one in options.tools if not isinstance(one, Toolset)]
    given: list[Toolset[Any]] = [one for one in options.tools if isinstance(one, Toolset)]
    names = options.built_in if options.built_in is not None else split_names(settings.agent.tools)
    for name in names:
        functions += built_in_tools(app, name, options.root or settings.agent.root or ".")
    approval = settings.approval
    rules = ApprovalRules(
        *(approval.policy, approval.timeout_seconds),
        *(split_names(approval.sensitive), split_names(approval.exempt)),
    )
    own = toolset_from(functions)
    learning.tools = tuple(own.tools)
    if settings.skills.enabled:
        _with_skills(app, own)
    tools = combine([own, *given, *_mcp(app)])
    observed = wrapped(
        tools, learning.on_tool_call, rules=rules, approvals=Approvals(app.db, app.clock)
    )
    return Noted(observed, learning.tool_notes)


def built_in_tools(
    app: App, name: str, root: str | os.PathLike[str]
) -> Sequence[Callable[..., Any]]:
    if name == "files":
        from seasoned.tools.builtin.files import file_tools

        return file_tools(root)
    if name == "shell":
        from seasoned.config import environment
        from seasoned.tools.builtin.shell import shell_tools

        return shell_tools(root, environment())
    if name == "web":
        from seasoned.tools.builtin.web import web_tools

        return _paid_web(app) if app.config.settings.payment.enabled else web_tools()
    if name == "knowledge":
        from seasoned.agent.knowledge import LearnedKnowledge
        from seasoned.tools.builtin.knowledge import knowledge_tools

        return knowledge_tools(LearnedKnowledge(app.teacher, app.search))
    if name == "schedule":
        from seasoned.tools.builtin.planned_jobs import PlannedJobs
        from seasoned.tools.builtin.schedule import schedule_tools

        return schedule_tools(app.db, app.clock, jobs=PlannedJobs(app.jobs))
    raise ConfigError(f"no tools called {name!r}; choose from {', '.join(BUILT_IN)}")


def _paid_web(app: App) -> Sequence[Callable[..., Any]]:
    from seasoned.tools.builtin.browser import Browser
    from seasoned.tools.builtin.paid_web import PaidWeb
    from seasoned.tools.builtin.web import WebConfig

    seconds = app.config.settings.approval.timeout_seconds
    return (PaidWeb(Browser(), WebConfig(), app.payments, seconds).fetch_page_paying,)


def _with_skills(app: App, tools: FunctionToolset[ToolRun]) -> None:
    """Add the tools that read skills; they are hidden while there are no skills."""
    from seasoned.tools.builtin.knowledge import skill_tools
    from seasoned.tools.toolset import toolset_from

    async def if_any(context: object, tool: ToolDefinition) -> ToolDefinition | None:
        return tool if await app.db.run_async(app.skills.has_some()) else None

    for made in toolset_from(skill_tools(app.skills)).tools.values():
        made.prepare = if_any
        tools.add_tool(made)


def _mcp(app: App) -> Sequence[AbstractToolset[Any]]:
    path = app.config.settings.agent.mcp
    if not path:
        return ()
    from seasoned.config import environment
    from seasoned.tools.mcp import mcp_toolsets

    return mcp_toolsets(path, environment())


def split_names(names: str) -> list[str]:
    """Split a comma-separated list.

    >>> split_names("files, shell,")
    ['files', 'shell']
    """
    return [name.strip() for name in names.split(",") if name.strip()]


class AsyncAgentFace:
    """An agent for code that runs in an event loop.

    `turn` streams events; `ask` waits for the whole reply. `async with` keeps MCP servers open
    between turns.
    """

    def __init__(
        self,
        agent: Agent,
        scope: Scope,
        ready: Callable[[], Awaitable[object]],
        approvals: Approvals,
    ) -> None:
        self.inner = agent
        self.scope = scope
        self._ready = ready
        self._approvals = approvals
        self._stack = AsyncExitStack()

    def turn(self, message: str, *, session: str | None = None, ask: Ask | None = None) -> Turn:
        """Start a turn: `async for event in agent.turn("…")`.

        A tool that needs approval calls `ask`, or waits for `Turn.decide`.
        """
        return self.inner.turn(message, self._in(session), ask=ask)

    def resume(self, *, session: str | None = None, ask: Ask | None = None) -> Turn:
        """Resume a turn that was cut off when a process ended."""
        return self.inner.resume(self._in(session), ask=ask)

    async def ask(self, message: str, *, session: str | None = None, ask: Ask | None = None) -> str:
        """Return the reply; a tool that needs approval is denied unless `ask` allows it."""
        await self._ready()
        turn = self.inner.turn(message, self._in(session), ask=ask, answers=False)
        return await turn.reply()

    def due(self, *, ask: Ask | None = None) -> DueTasks:
        """Return the scheduled tasks that are due now, each with its turn; iterate both."""
        from seasoned.agent.scheduled import DueTasks

        return DueTasks(self.inner, self.scope, ask)

    async def approvals(self) -> Sequence[Approval]:
        """List the calls that this user always allows, latest first."""
        await self._ready()
        return await self._approvals.list(self.scope)

    async def withdraw(self, name: str) -> Approval:
        """Ask again before a call that was always allowed, by the approval's id."""
        await self._ready()
        return await self._approvals.remove(self.scope, name)

    def window(self, session: str | None = None) -> SessionWindow:
        """Return a window: while it is open, what the session planned is done there."""
        from seasoned.sessions.windows import SessionWindow

        sessions = self.inner.sessions
        return SessionWindow(sessions.db, sessions.clock, self._in(session))

    async def end(self, *, session: str | None = None, reason: str = "closed") -> bool:
        """Close the session, which is then learned from as a whole; it can be continued."""
        await self._ready()
        return await self.inner.end(self._in(session), reason)

    async def __aenter__(self) -> Self:
        await self._ready()
        await self._stack.enter_async_context(self.inner.running())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    def _in(self, session: str | None) -> Scope:
        return self.scope.within(stored_name(session or self.scope.session))


class AgentFace:
    """An agent for synchronous code; it runs in its own thread until it is closed."""

    def __init__(self, inner: AsyncAgentFace) -> None:
        self.inner = inner
        self._portal = Portal("agent")
        self._entered = False

    def ask(self, message: str, *, session: str | None = None, ask: Ask | None = None) -> str:
        """Return the reply; a tool that needs approval is denied unless `ask` allows it."""
        return self._run(self.inner.ask(message, session=session, ask=ask))

    def events(
        self, message: str, *, session: str | None = None, ask: Ask | None = None
    ) -> TurnFace:
        """Stream the events of a turn; to stop iterating interrupts it."""
        return TurnFace(self.inner.turn(message, session=session, ask=ask), self._portal)

    def resumed(self, *, session: str | None = None, ask: Ask | None = None) -> TurnFace:
        """Resume a turn that was cut off when a process ended."""
        return TurnFace(self.inner.resume(session=session, ask=ask), self._portal)

    def due(
        self, *, ask: Ask | None = None, answers: bool = False
    ) -> Generator[tuple[Schedule, TurnFace]]:
        """Yield the scheduled tasks that are due now, each with its turn; iterate both.

        With `answers`, `TurnFace.decide` answers the turn's approvals; else they are denied.
        """
        tasks = self.inner.due(ask=ask)
        tasks.answers = answers
        while (claimed := self._run(tasks.claim())) is not None:
            schedule, turn = claimed
            try:
                yield schedule, TurnFace(turn, self._portal)
            finally:
                self._run(tasks.close(schedule, turn))

    @contextmanager
    def attended(self, *, session: str | None = None) -> Generator[None]:
        """Tell other processes that a person has the session open here."""
        window = self.inner.window(session)
        self._run(window.open())
        beating = self._portal.start(window.stay_open())
        try:
            yield
        finally:
            beating.cancel()
            self._run(window.close())

    def approvals(self) -> Sequence[Approval]:
        """List the calls that this user always allows, latest first."""
        return self._run(self.inner.approvals())

    def withdraw(self, name: str) -> Approval:
        """Ask again before a call that was always allowed, by the approval's id."""
        return self._run(self.inner.withdraw(name))

    def is_due(self) -> bool:
        """Tell whether a scheduled task is due."""
        return self._run(self.inner.due().is_waiting())

    def end(self, *, session: str | None = None, reason: str = "closed") -> bool:
        """Close the session, which is then learned from as a whole; it can be continued."""
        return self._run(self.inner.end(session=session, reason=reason))

    def close(self) -> None:
        if self._entered:
            self._entered = False
            self._run(self.inner.__aexit__(None, None, None))
        self._portal.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._portal.run(work)

    def __enter__(self) -> Self:
        self._run(self.inner.__aenter__())
        self._entered = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class TurnFace:
    """A turn for synchronous code: iterate its events; to stop iterating interrupts it.

    `interrupt` and `decide` work from any thread, `interrupt` in a signal handler, too.
    """

    def __init__(self, turn: Turn, portal: Portal) -> None:
        self._turn = turn
        self._portal = portal
        self._events = _events(turn, portal)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> AgentEvent:
        return next(self._events)

    def interrupt(self, *, by_user: bool = True) -> None:
        """Stop the turn and keep the reply so far; its last events still come."""
        self._portal.call(partial(self._turn.interrupt, by_user=by_user))

    def decide(self, request: str, decision: ApprovalDecision) -> None:
        """Answer an `approval`, by the id of its request."""
        self._portal.run(_called(self._turn.decide, request, decision))

    def is_waiting(self, request: str) -> bool:
        """Tell whether an `approval` still waits for an answer."""
        return self._portal.run(_called(self._turn.is_waiting, request))

    def close(self) -> None:
        """Interrupt the turn if it goes on, and wait for its end."""
        self._events.close()


def _events(turn: Turn, portal: Portal) -> Generator[AgentEvent]:
    """Let the turn run in the portal, independent of its reader, so that both may be stopped."""
    told: SimpleQueue[AgentEvent | None] = SimpleQueue()

    async def tell() -> None:
        try:
            async for event in turn:
                told.put(event)
        finally:
            told.put(None)

    running = portal.start(tell())
    try:
        while (event := told.get()) is not None:
            yield event
        running.result()
    finally:
        if not running.done():
            portal.call(turn.interrupt)
            wait([running])


async def _called(function: Callable[..., T], *args: Any) -> T:
    return function(*args)
