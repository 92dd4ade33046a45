"""`Seasoned`: the same for ordinary code, each call driven to its end."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, overload

from seasoned.core.clock import Clock
from seasoned.core.events import Event
from seasoned.facade.async_seasoned import AsyncSeasoned

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.toolsets import AbstractToolset

    from seasoned.faces.adaptation import Adaptation
    from seasoned.faces.agent import Agent
    from seasoned.faces.conversation import Conversation
    from seasoned.faces.corrections import Corrections
    from seasoned.faces.examples import Examples
    from seasoned.faces.experiences import Experiences
    from seasoned.faces.feedback import FeedbackFace
    from seasoned.faces.graph import Graph
    from seasoned.faces.knowledge import Knowledge
    from seasoned.faces.librarian import Librarian
    from seasoned.faces.memory import Memory
    from seasoned.faces.rules import Rules
    from seasoned.faces.sessions import Sessions
    from seasoned.faces.skills import Skills
    from seasoned.recall.layers import Layer
    from seasoned.recall.layers import Source as LayerSource

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Event)
F = TypeVar("F", bound=Callable[..., Any])


def _sync(
    method: Callable[Concatenate[AsyncSeasoned, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Seasoned, P], T]:
    """The same method for synchronous code: driven inline on SQLite, through a portal elsewhere."""

    @functools.wraps(method)
    def call(self: Seasoned, *args: P.args, **kwargs: P.kwargs) -> T:
        result = self.inner.app.db.run(method(self.inner, *args, **kwargs))
        self.inner.app.bus.deliver()
        return result

    return call


class Seasoned:
    """Learns from what an agent does and recalls it. Thread-safe.

    >>> with Seasoned(":memory:") as s:
    ...     lesson = s.teach("podman: command not found", fix="Use docker.", tool="shell")
    ...     hint = s.observe("shell", {"command": "podman ps"}, error="podman: command not found")
    ...     print(hint)
    Known fix (told by the operator): Use docker.
    """

    def __init__(
        self,
        database: str | PathLike[str] | None = None,
        *,
        tenant: str = "",
        project: str = "",
        user: str = "",
        session: str | None = None,
        clock: Clock | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.inner = AsyncSeasoned(
            database,
            tenant=tenant,
            project=project,
            user=user,
            session=session,
            clock=clock,
            environment=environment,
        )
        try:
            self.inner.app.db.run(self.inner.open())
        except BaseException:
            self.inner.app.db.shutdown()
            raise

    observe = _sync(AsyncSeasoned.observe)
    on_tool_result = _sync(AsyncSeasoned.on_tool_result)
    teach = _sync(AsyncSeasoned.teach)
    recall = _sync(AsyncSeasoned.recall)
    turn = _sync(AsyncSeasoned.turn)
    replied = _sync(AsyncSeasoned.replied)
    correct = _sync(AsyncSeasoned.correct)
    search = _sync(AsyncSeasoned.search)
    learn = _sync(AsyncSeasoned.learn)
    lessons = _sync(AsyncSeasoned.lessons)
    lesson = _sync(AsyncSeasoned.lesson)
    errors = _sync(AsyncSeasoned.errors)
    tools = _sync(AsyncSeasoned.tools)
    forget = _sync(AsyncSeasoned.forget)
    why = _sync(AsyncSeasoned.why)
    status = _sync(AsyncSeasoned.status)
    verify_audit = _sync(AsyncSeasoned.verify_audit)
    export = _sync(AsyncSeasoned.export)

    def close(self) -> None:
        self.inner.app.db.run(self.inner.close())
        self.inner.app.db.shutdown()

    def _drive(self, work: Coroutine[Any, Any, T]) -> T:
        result = self.inner.app.db.run(work)
        self.inner.app.bus.deliver()
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def on(self) -> Callable[[type[E], Callable[[E], object]], None]:
        return self.inner.on

    def session(self, name: str) -> Any:
        return self.inner.session(name)

    @overload
    def tool(self, function: F) -> F: ...
    @overload
    def tool(self, *, name: str) -> Callable[[F], F]: ...
    def tool(self, function: F | None = None, *, name: str | None = None) -> F | Callable[[F], F]:
        return self.inner.tool(function) if function else self.inner.tool(name=name or "")

    def provide(self, layer: Layer, source: LayerSource) -> None:
        self.inner.provide(layer, source)

    def agent(
        self,
        model: str | Model | None = None,
        *,
        tools: Sequence[Callable[..., Any] | AbstractToolset[Any]] = (),
        built_in: Sequence[str] | None = None,
        instructions: str | None = None,
        root: str | PathLike[str] | None = None,
        session: str | None = None,
    ) -> Agent:
        """An agent that learns from what it does: `s.agent("ollama:qwen3").ask("…")`."""
        from seasoned.faces.agent import Agent

        made = self.inner.agent(
            model,
            tools=tools,
            built_in=built_in,
            instructions=instructions,
            root=root,
            session=session,
        )
        return Agent(made)

    def conversation(self, session: str | None = None, *, reach: str = "") -> Conversation:
        """A conversation that an agent's loop feeds message by message; `reach` as in `turn`."""
        from seasoned.faces.conversation import Conversation

        return Conversation(self.inner.conversation(session, reach=reach), self._drive)

    @property
    def graph(self) -> Graph:
        """What was learned as a graph: `s.graph.neighbours(…)`."""
        from seasoned.faces.graph import Graph

        return Graph(self.inner.graph, self._drive)

    @property
    def rules(self) -> Rules:
        """How the agent is to behave: list, add, edit, activate, deactivate, resolve…"""
        from seasoned.faces.rules import Rules

        return Rules(self.inner.rules, self._drive)

    @property
    def skills(self) -> Skills:
        """Procedures worth repeating: add, load, list, search, adopt, retire, distill…"""
        from seasoned.faces.skills import Skills

        return Skills(self.inner.skills, self._drive)

    @property
    def examples(self) -> Examples:
        """Exchanges that went well, or badly."""
        from seasoned.faces.examples import Examples

        return Examples(self.inner.examples, self._drive)

    @property
    def feedback(self) -> FeedbackFace:
        """What people, the environment and the agent itself think of answers."""
        from seasoned.faces.feedback import FeedbackFace

        return FeedbackFace(self.inner.feedback, self._drive)

    @property
    def corrections(self) -> Corrections:
        """What users corrected: pending, history, learn, retry, clear."""
        from seasoned.faces.corrections import Corrections

        return Corrections(self.inner.corrections, self._drive)

    @property
    def experiences(self) -> Experiences:
        """What was done in which state and what came of it: add, sample, prioritise, list."""
        from seasoned.faces.experiences import Experiences

        return Experiences(self.inner.experiences, self._drive)

    @property
    def adaptation(self) -> Adaptation:
        """Choosing by what was earned; its methods stand below as well."""
        from seasoned.faces.adaptation import Adaptation

        return Adaptation(self.inner.adaptation, self._drive)

    @property
    def adapt(self):
        """Chooses between variants by what they earned: `s.adapt("search", "ucb1")`."""
        return self.adaptation.adapt

    @property
    def reward(self):
        """Says what a variant earned: `s.reward("search", "bm25", 1.0)`."""
        return self.adaptation.reward

    @property
    def stats(self):
        """How skills and tools perform: `s.stats(days=7)`."""
        return self.adaptation.stats

    @property
    def evaluate(self):
        """What a strategy would have earned on what was logged: `s.evaluate("thompson")`."""
        return self.adaptation.evaluate

    @property
    def knowledge(self) -> Knowledge:
        from seasoned.faces.knowledge import Knowledge

        return Knowledge(self.inner.knowledge, self._drive)

    @property
    def sessions(self) -> Sessions:
        """The conversations that agents had: list, messages, turns, end, delete."""
        from seasoned.faces.sessions import Sessions

        return Sessions(self.inner.sessions, self._drive)

    @property
    def memory(self) -> Memory:
        """What is remembered of conversations: list, show, observe, reflect, clear."""
        from seasoned.faces.memory import Memory

        return Memory(self.inner.memory, self._drive)

    @property
    def librarian(self) -> Librarian:
        """What it would be good to know: list, answer, dismiss, ask."""
        from seasoned.faces.librarian import Librarian

        return Librarian(self.inner.librarian, self._drive)
