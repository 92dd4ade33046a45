"""`Seasoned`: the whole API for synchronous code; each call drives that of `AsyncSeasoned`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, overload

from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.face import F as AnyFace
from seasoned.api.face import LazyFace
from seasoned.core.clock import Clock
from seasoned.core.events import Event
from seasoned.core.scope import Scope

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.toolsets import AbstractToolset

    from seasoned.api.adaptation import AdaptationFace
    from seasoned.api.agent import AgentFace
    from seasoned.api.audit import AuditFace
    from seasoned.api.bulk import BulkFace
    from seasoned.api.conversation import Conversation
    from seasoned.api.corrections import CorrectionsFace
    from seasoned.api.examples import ExamplesFace
    from seasoned.api.experiences import ExperiencesFace
    from seasoned.api.feedback import FeedbackFace
    from seasoned.api.graph import GraphFace
    from seasoned.api.jobs import JobsFace
    from seasoned.api.keys import KeysFace
    from seasoned.api.knowledge import KnowledgeFace
    from seasoned.api.librarian import LibrarianFace
    from seasoned.api.memory import MemoryFace
    from seasoned.api.review import ReviewFace
    from seasoned.api.rules import RulesFace
    from seasoned.api.sessions import SessionsFace
    from seasoned.api.skills import SkillsFace
    from seasoned.recall.context import Layer, LayerSource

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Event)
F = TypeVar("F", bound=Callable[..., Any])


def _sync(
    method: Callable[Concatenate[AsyncSeasoned, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Seasoned, P], T]:
    """Turn an async method into a synchronous one: inline on SQLite, in a thread on Postgres."""

    @functools.wraps(method)
    def call(self: Seasoned, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.inner.app.unit.drive(method(self.inner, *args, **kwargs))

    return call


class Seasoned:
    """Learn from what an agent does and recall it. Thread-safe.

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
        acts_in: Scope | None = None,
        clock: Clock | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.inner = AsyncSeasoned(
            database,
            tenant=tenant,
            project=project,
            user=user,
            session=session,
            acts_in=acts_in,
            clock=clock,
            environment=environment,
        )
        try:
            self.inner.app.db.run(self.inner.open())
        except BaseException:
            self.inner.app.db.shutdown()
            raise

    graph: LazyFace[GraphFace] = LazyFace("graph", "GraphFace")
    """The knowledge graph: query, neighbours, path, add…"""
    review: LazyFace[ReviewFace] = LazyFace("review", "ReviewFace")
    bulk: LazyFace[BulkFace] = LazyFace("bulk", "BulkFace")
    """Lessons that wait for an operator: list, accept, reject, edit."""
    rules: LazyFace[RulesFace] = LazyFace("rules", "RulesFace")
    """Rules of behaviour: list, add, edit, activate, deactivate, resolve…"""
    skills: LazyFace[SkillsFace] = LazyFace("skills", "SkillsFace")
    """Procedures worth repeating: add, load, list, search, adopt, retire, distill…"""
    examples: LazyFace[ExamplesFace] = LazyFace("examples", "ExamplesFace")
    """Good and bad exchanges: add, list, search, delete."""
    feedback: LazyFace[FeedbackFace] = LazyFace("feedback", "FeedbackFace")
    """Feedback on answers: add, record, list, stats, export."""
    corrections: LazyFace[CorrectionsFace] = LazyFace("corrections", "CorrectionsFace")
    """Corrections by users: pending, history, learn, retry, clear."""
    experiences: LazyFace[ExperiencesFace] = LazyFace("experiences", "ExperiencesFace")
    """Actions with their state and reward: add, sample, prioritise, list."""
    adaptation: LazyFace[AdaptationFace] = LazyFace("adaptation", "AdaptationFace")
    """Choice by reward: adapt, reward, stats, evaluate; also available directly."""
    keys: LazyFace[KeysFace] = LazyFace("keys", "KeysFace")
    knowledge: LazyFace[KnowledgeFace] = LazyFace("knowledge", "KnowledgeFace")
    """Documents: add, list, get, search, update, remove."""
    sessions: LazyFace[SessionsFace] = LazyFace("sessions", "SessionsFace")
    """Conversations of agents: list, messages, turns, end, delete."""
    memory: LazyFace[MemoryFace] = LazyFace("memory", "MemoryFace")
    """Observations and reflections: list, show, observe, reflect, clear."""
    librarian: LazyFace[LibrarianFace] = LazyFace("librarian", "LibrarianFace")
    """Open questions: list, answer, dismiss, ask."""
    jobs: LazyFace[JobsFace] = LazyFace("jobs", "JobsFace")
    """What the agent does by itself: schedule, start, list, cancel…"""
    audit: LazyFace[AuditFace] = LazyFace("audit", "AuditFace")
    """The trail of all changes: list, verify."""

    def make_face(self, attribute: str, face: Callable[..., AnyFace]) -> AnyFace:
        return face(getattr(self.inner, attribute), self._drive)

    @property
    def adapt(self):
        """Choose between variants by their rewards: `s.adapt("search", "ucb1")`."""
        return self.adaptation.adapt

    @property
    def reward(self):
        """Record the reward of a variant: `s.reward("search", "bm25", 1.0)`."""
        return self.adaptation.reward

    @property
    def stats(self):
        """Return the performance of skills and tools: `s.stats(days=7)`."""
        return self.adaptation.stats

    @property
    def evaluate(self):
        """Estimate what a strategy would have earned: `s.evaluate("thompson")`."""
        return self.adaptation.evaluate

    @property
    def export(self):
        """Export feedback as training data: `s.export("dpo", "pairs.jsonl")`."""
        return self.feedback.export

    observe = _sync(AsyncSeasoned.observe)
    on_tool_result = _sync(AsyncSeasoned.on_tool_result)
    teach = _sync(AsyncSeasoned.teach)
    recall = _sync(AsyncSeasoned.recall)
    tool_notes = _sync(AsyncSeasoned.tool_notes)
    turn = _sync(AsyncSeasoned.turn)
    replied = _sync(AsyncSeasoned.replied)
    end = _sync(AsyncSeasoned.end)
    correct = _sync(AsyncSeasoned.correct)
    search = _sync(AsyncSeasoned.search)
    learn = _sync(AsyncSeasoned.learn)
    known_scopes = _sync(AsyncSeasoned.known_scopes)
    lessons_by_id = _sync(AsyncSeasoned.lessons_by_id)
    lessons = _sync(AsyncSeasoned.lessons)
    lesson = _sync(AsyncSeasoned.lesson)
    history = _sync(AsyncSeasoned.history)
    errors = _sync(AsyncSeasoned.errors)
    error = _sync(AsyncSeasoned.error)
    tools = _sync(AsyncSeasoned.tools)
    forget = _sync(AsyncSeasoned.forget)
    distill = _sync(AsyncSeasoned.distill)
    why = _sync(AsyncSeasoned.why)
    status = _sync(AsyncSeasoned.status)
    progress = _sync(AsyncSeasoned.progress)
    verify_audit = _sync(AsyncSeasoned.verify_audit)

    def close(self) -> None:
        self.inner.app.db.run(self.inner.close())
        self.inner.app.db.shutdown()

    def _drive(self, work: Coroutine[Any, Any, T]) -> T:
        return self.inner.app.unit.drive(work)

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
    ) -> AgentFace:
        """Build an agent that learns: `s.agent("ollama:qwen3").ask("…")`."""
        from seasoned.api.agent import AgentFace

        made = self.inner.agent(
            model,
            tools=tools,
            built_in=built_in,
            instructions=instructions,
            root=root,
            session=session,
        )
        return AgentFace(made)

    def conversation(self, session: str | None = None, *, reach: str = "") -> Conversation:
        """Start a conversation that an agent's loop feeds message by message."""
        from seasoned.api.conversation import Conversation

        return Conversation(self.inner.conversation(session, reach=reach), self._drive)
