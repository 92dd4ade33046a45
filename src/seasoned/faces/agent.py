"""An agent that learns, ready to talk to: put together from the settings and what it is handed.

agent = s.agent("openai:gpt-5.4-mini", tools=[weather])
print(agent.ask("Do I need an umbrella in Oslo today?"))
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from seasoned.core.errors import ConfigError, Unsupported
from seasoned.core.portal import Portal

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, FunctionToolset

    from seasoned.agent.agent import Agent as InnerAgent
    from seasoned.agent.event import AgentEvent
    from seasoned.agent.experience import Experience
    from seasoned.agent.turn import Turn
    from seasoned.app import App
    from seasoned.core.scope import Scope
    from seasoned.tools.run import Ask, Run
    from seasoned.tools.schedule_store import Schedule

T = TypeVar("T")

BUILT_IN = ("files", "shell", "web", "knowledge", "schedule")
INSTRUCTIONS = (
    "You are a helpful assistant. Below your user's messages you may find notes from earlier "
    "experience: rules, fixes, facts. Heed those that fit; they are not part of what the user said."
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What an agent is to be, where it differs from the settings."""

    model: str | Model | None = None
    tools: Sequence[Callable[..., Any] | AbstractToolset[Any]] = ()
    built_in: Sequence[str] | None = None
    instructions: str | None = None
    root: str | os.PathLike[str] | None = None


def built(app: App, wishes: Wishes) -> InnerAgent:
    """The agent that the settings and the wishes describe."""
    try:
        import pydantic_ai  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as missing:
        raise Unsupported(
            "an agent needs clients for language models; install them with: "
            "pip install 'seasoned[llm]'"
        ) from missing
    from seasoned.agent.agent import Agent, AgentConfig
    from seasoned.agent.experience import Experience
    from seasoned.agent.session import SessionLog

    settings = app.config.settings.agent
    log = SessionLog(app.db, app.clock, settings.history_tokens)
    experience = Experience(
        *(app.db, log, app.engine, app.turns, app.retriever),
        *(app.hand, app.given, app.bus),
    )
    config = AgentConfig(
        wishes.instructions or settings.instructions or INSTRUCTIONS,
        settings.max_steps,
        settings.turn_seconds,
        settings.turn_tokens or None,
    )
    toolset = _toolset(app, wishes, experience)
    return Agent(_model(app, wishes.model), toolset, log, experience, app.bus, config)


def _model(app: App, wished: str | Model | None) -> Model:
    """The model behind a supervisor, and behind what keeps personal data here if that is wanted."""
    from seasoned.llm.agent_model import agent_model, attended

    settings = app.config.settings
    redact = settings.privacy.redact
    if wished is not None and not isinstance(wished, str):
        return attended([wished], settings.agent, db=app.db, clock=app.clock, redact=redact)
    model = agent_model(
        replace(settings.agent, model=wished) if wished else settings.agent,
        settings.llm,
        db=app.db,
        clock=app.clock,
        redact=redact,
        environment=app.config.keys,
    )
    if model is None:
        raise ConfigError(
            "no model is set: give one (--model openai:gpt-5.4-mini, or ollama:qwen3 for one on "
            "this machine), or set agent.model"
        )
    return model


def _toolset(app: App, wishes: Wishes, experience: Experience) -> AbstractToolset[Run]:
    from pydantic_ai.toolsets import AbstractToolset as Toolset

    from seasoned.tools.approval import ApprovalRules
    from seasoned.tools.approval_store import Approvals
    from seasoned.tools.toolset import combined, toolset_from, wrapped

    settings = app.config.settings
    functions = [one for one in wishes.tools if not isinstance(one, Toolset)]
    given: list[Toolset[Any]] = [one for one in wishes.tools if isinstance(one, Toolset)]
    names = wishes.built_in if wishes.built_in is not None else listed(settings.agent.tools)
    for name in names:
        functions += _built_in(app, name, wishes.root or settings.agent.root or ".")
    approval = settings.approval
    rules = ApprovalRules(
        *(approval.policy, approval.timeout_seconds),
        *(listed(approval.sensitive), listed(approval.exempt)),
    )
    own = toolset_from(functions)
    experience.tools = tuple(own.tools)
    if settings.skills.enabled:
        _with_skills(app, own)
    tools = combined([own, *given, *_mcp(app)])
    return wrapped(tools, experience.observed, rules=rules, approvals=Approvals(app.db, app.clock))


def _built_in(app: App, name: str, root: str | os.PathLike[str]) -> Sequence[Callable[..., Any]]:
    if name == "files":
        from seasoned.tools.files import file_tools

        return file_tools(root)
    if name == "shell":
        from seasoned.config import environment
        from seasoned.tools.shell import shell_tools

        return shell_tools(root, environment())
    if name == "web":
        from seasoned.tools.web import web_tools

        return web_tools()
    if name == "knowledge":
        from seasoned.agent.knowledge import LearnedKnowledge
        from seasoned.tools.knowledge import knowledge_tools

        return knowledge_tools(LearnedKnowledge(app.db, app.teacher, app.search))
    if name == "schedule":
        from seasoned.tools.schedule import schedule_tools

        return schedule_tools(app.db, app.clock)
    raise ConfigError(f"there are no tools called {name!r}; there are {', '.join(BUILT_IN)}")


def _with_skills(app: App, tools: FunctionToolset[Run]) -> None:
    """How skills are read, where there are any: a tool that is of no use only confuses."""
    from seasoned.tools.skills import skill_tools
    from seasoned.tools.toolset import toolset_from

    async def some(context: object, tool: ToolDefinition) -> ToolDefinition | None:
        return tool if await app.db.run_async(app.skills.has_some()) else None

    for made in toolset_from(skill_tools(app.skills)).tools.values():
        made.prepare = some
        tools.add_tool(made)


def _mcp(app: App) -> Sequence[AbstractToolset[Any]]:
    path = app.config.settings.agent.mcp
    if not path:
        return ()
    from seasoned.config import environment
    from seasoned.tools.mcp import mcp_toolsets

    return mcp_toolsets(path, environment())


def listed(names: str) -> list[str]:
    """Names with commas between.

    >>> listed("files, shell,")
    ['files', 'shell']
    """
    return [name.strip() for name in names.split(",") if name.strip()]


class AsyncAgent:
    """An agent for code that runs in an event loop.

    `turn` streams what happens; `ask` waits for the whole reply. `async with` keeps what tools
    need (MCP servers) open between turns.
    """

    def __init__(
        self, agent: InnerAgent, scope: Scope, ready: Callable[[], Awaitable[object]]
    ) -> None:
        self.inner = agent
        self.scope = scope
        self._ready = ready
        self._stack = AsyncExitStack()

    def turn(self, message: str, *, session: str | None = None, ask: Ask | None = None) -> Turn:
        """Iterate it: `async for event in agent.turn("…")`. A tool that must be allowed first is
        asked for by `ask`, or waits for `Turn.decide`."""
        return self.inner.turn(message, self._in(session), ask=ask)

    def resume(self, *, session: str | None = None, ask: Ask | None = None) -> Turn:
        """Goes on with a turn that was cut off when a process ended."""
        return self.inner.resume(self._in(session), ask=ask)

    async def ask(self, message: str, *, session: str | None = None, ask: Ask | None = None) -> str:
        """The reply; a tool that must be allowed is denied unless `ask` allows it."""
        await self._ready()
        turn = self.inner.turn(message, self._in(session), ask=ask, answers=False)
        return await turn.reply()

    def due(self, *, ask: Ask | None = None) -> AsyncGenerator[tuple[Schedule, AgentEvent]]:
        """Does what was scheduled for now; iterate it, every now and then."""
        from seasoned.agent.scheduled import carried_out

        return carried_out(self.inner, self.scope, ask=ask)

    async def end(self, *, session: str | None = None, reason: str = "closed") -> bool:
        """Closes the session, which is then learned from as a whole; it can be gone on with."""
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
        return self.scope.within(session or self.scope.session)


class Agent:
    """An agent for ordinary code; it lives in a thread of its own until it is closed."""

    def __init__(self, inner: AsyncAgent) -> None:
        self.inner = inner
        self._portal = Portal("agent")
        self._entered = False

    def ask(self, message: str, *, session: str | None = None, ask: Ask | None = None) -> str:
        """The reply; a tool that must be allowed is denied unless `ask` allows it."""
        return self._run(self.inner.ask(message, session=session, ask=ask))

    def events(
        self, message: str, *, session: str | None = None, ask: Ask | None = None
    ) -> Generator[AgentEvent]:
        """What happens, as it does; whoever stops looking has interrupted the turn."""
        return self._events(self.inner.turn(message, session=session, ask=ask))

    def resumed(
        self, *, session: str | None = None, ask: Ask | None = None
    ) -> Generator[AgentEvent]:
        """Goes on with a turn that was cut off when a process ended."""
        return self._events(self.inner.resume(session=session, ask=ask))

    def due(self, *, ask: Ask | None = None) -> Generator[tuple[Schedule, AgentEvent]]:
        """Does what was scheduled for now; iterate it, every now and then."""
        return self._pulled(self.inner.due(ask=ask))

    def _events(self, turn: Turn) -> Generator[AgentEvent]:
        return self._pulled(aiter(turn))

    def _pulled(self, events: AsyncGenerator[T]) -> Generator[T]:
        try:
            while (event := self._run(_next(events))) is not None:
                yield event
        finally:
            self._run(events.aclose())

    def end(self, *, session: str | None = None, reason: str = "closed") -> bool:
        """Closes the session, which is then learned from as a whole; it can be gone on with."""
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


async def _next(events: AsyncGenerator[T]) -> T | None:
    return await anext(events, None)
