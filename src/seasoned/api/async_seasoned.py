"""`AsyncSeasoned`: the whole API for code that runs in an event loop.

Services, faces and agents are imported where they are used: `import seasoned` must stay quick, and
a program loads only what it uses.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from seasoned.api.face import F as AnyFace
from seasoned.api.face import LazyFace
from seasoned.core.authority import Caller
from seasoned.core.clock import Clock
from seasoned.core.errors import (
    BadInput,
    ConfigError,
    DatabaseUnavailable,
    NotFound,
    SeasonedError,
)
from seasoned.core.events import Event
from seasoned.core.fair_lock import FairLock
from seasoned.core.ids import new_id
from seasoned.core.messages import ToolResult
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.lessons.lesson import KINDS, STATUSES, Lesson, Source
from seasoned.security.audit_readers import may_read
from seasoned.security.redact import redact
from seasoned.security.stored import stored_name

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.toolsets import AbstractToolset

    from seasoned.api.adaptation import AsyncAdaptationFace
    from seasoned.api.agent import AsyncAgentFace
    from seasoned.api.audit import AsyncAuditFace
    from seasoned.api.bulk import AsyncBulkFace
    from seasoned.api.conversation import AsyncConversation
    from seasoned.api.corrections import AsyncCorrectionsFace
    from seasoned.api.examples import AsyncExamplesFace
    from seasoned.api.experiences import AsyncExperiencesFace
    from seasoned.api.feedback import AsyncFeedbackFace
    from seasoned.api.graph import AsyncGraphFace
    from seasoned.api.jobs import AsyncJobsFace
    from seasoned.api.keys import AsyncKeysFace
    from seasoned.api.knowledge import AsyncKnowledgeFace
    from seasoned.api.librarian import AsyncLibrarianFace
    from seasoned.api.memory import AsyncMemoryFace
    from seasoned.api.review import AsyncReviewFace
    from seasoned.api.rules import AsyncRulesFace
    from seasoned.api.sessions import AsyncSessionsFace
    from seasoned.api.skills import AsyncSkillsFace
    from seasoned.db.connection import Connection
    from seasoned.db.keyset import Place
    from seasoned.errors.error_store import KnownError
    from seasoned.fixes.distiller import DistilledFix
    from seasoned.fixes.explanation import Explanation
    from seasoned.fixes.hint import Hint
    from seasoned.fixes.tool_records import ToolRecord
    from seasoned.lessons.reader import LessonVersion
    from seasoned.proof.progress import DayOfProgress
    from seasoned.recall.context import Context, Layer, LayerSource
    from seasoned.recall.search import Hit
    from seasoned.recall.tool_notes import ToolNotes
    from seasoned.rules.turns import Reaction
    from seasoned.security.audit import AuditEvent, AuditReport
    from seasoned.tools.observed_function import CallOutcome
    from seasoned.transcripts.history import HistoryReport, Progress

T = TypeVar("T")
E = TypeVar("E", bound=Event)
F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger("seasoned.api")

STOP_SECONDS = 60  # for workers to finish; an embedder that hangs must not hang the exit
DISTILL_SECONDS = 3600.0  # limit for the model
MOST_EVENTS = 1000  # of one lesson's history

_session: ContextVar[str | None] = ContextVar("seasoned_session", default=None)


@dataclass(frozen=True, slots=True)
class KnownScopes:
    """The projects and users that something was learned for."""

    projects: tuple[str, ...]
    users: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LessonHistory:
    """A lesson, the words that it had, and what was done with it, each from first to last."""

    lesson: Lesson
    versions: Sequence[LessonVersion]
    events: Sequence[AuditEvent]


@dataclass(frozen=True, slots=True)
class ErrorStory:
    """An error pattern, its latest messages with their times, and the fixes for it."""

    error: KnownError
    messages: Sequence[tuple[int, str]]
    fixes: Sequence[Lesson]


class AsyncSeasoned:
    """Learn from what an agent does and recall it; for code that runs in an event loop.

    `database` is a path, ":memory:" or "postgresql://…"; None takes it from the settings, whose
    default is `seasoned.db` in `SEASONED_HOME` (`~/.seasoned`). `tenant`, `project` and `user` say
    whose lessons it works on; `acts_in` where it may change things, by default in that same scope.
    """

    graph: LazyFace[AsyncGraphFace] = LazyFace("graph", "AsyncGraphFace")
    """The knowledge graph: query, neighbours, path, add…"""
    review: LazyFace[AsyncReviewFace] = LazyFace("review", "AsyncReviewFace")
    bulk: LazyFace[AsyncBulkFace] = LazyFace("bulk", "AsyncBulkFace")
    """Lessons that wait for an operator: list, accept, reject, edit."""
    rules: LazyFace[AsyncRulesFace] = LazyFace("rules", "AsyncRulesFace")
    """Rules of behaviour: list, add, edit, activate, deactivate, resolve…"""
    skills: LazyFace[AsyncSkillsFace] = LazyFace("skills", "AsyncSkillsFace")
    """Procedures worth repeating: add, load, list, search, adopt, retire, distill…"""
    examples: LazyFace[AsyncExamplesFace] = LazyFace("examples", "AsyncExamplesFace")
    """Good and bad exchanges: add, list, search, delete."""
    feedback: LazyFace[AsyncFeedbackFace] = LazyFace("feedback", "AsyncFeedbackFace")
    """Feedback on answers: add, record, list, stats, export."""
    corrections: LazyFace[AsyncCorrectionsFace] = LazyFace("corrections", "AsyncCorrectionsFace")
    """Corrections by users: pending, history, learn, retry, clear."""
    experiences: LazyFace[AsyncExperiencesFace] = LazyFace("experiences", "AsyncExperiencesFace")
    """Actions with their state and reward: add, sample, prioritise, list."""
    adaptation: LazyFace[AsyncAdaptationFace] = LazyFace("adaptation", "AsyncAdaptationFace")
    """Choice by reward: adapt, reward, stats, evaluate; also available directly."""
    keys: LazyFace[AsyncKeysFace] = LazyFace("keys", "AsyncKeysFace")
    """API keys of the gateway: create, list, revoke, rotate."""
    knowledge: LazyFace[AsyncKnowledgeFace] = LazyFace("knowledge", "AsyncKnowledgeFace")
    """Documents: add, list, get, search, update, remove."""
    sessions: LazyFace[AsyncSessionsFace] = LazyFace("sessions", "AsyncSessionsFace")
    """Conversations of agents: list, messages, turns, end, delete."""
    memory: LazyFace[AsyncMemoryFace] = LazyFace("memory", "AsyncMemoryFace")
    """Observations and reflections: list, show, observe, reflect, clear."""
    librarian: LazyFace[AsyncLibrarianFace] = LazyFace("librarian", "AsyncLibrarianFace")
    """Open questions: list, answer, dismiss, ask."""
    jobs: LazyFace[AsyncJobsFace] = LazyFace("jobs", "AsyncJobsFace")
    """What the agent does by itself: schedule, start, list, cancel…"""
    audit: LazyFace[AsyncAuditFace] = LazyFace("audit", "AsyncAuditFace")
    """The trail of all changes: list, verify."""

    def make_face(self, attribute: str, face: Callable[..., AnyFace]) -> AnyFace:
        return face(self.app, self.caller, self._run)

    @property
    def caller(self) -> Caller:
        """Who calls: whose lessons it works on, and where it may change things."""
        return Caller(self.scope, self.acts_in)

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
        from seasoned.app import App
        from seasoned.config import load

        config = load(environment)
        url = str(database) if database is not None else config.database_url
        self.app = App(config, url, clock)
        self.scope = Scope(*map(stored_name, (tenant, project, user)))
        self.acts_in = acts_in
        self.default_session = session or f"run-{new_id()}"
        self._opening = FairLock()
        self._opened = False
        self._closed = False

    async def open(self) -> Self:
        """Connect and migrate; the first call does so by itself.

        A failed attempt leaves nothing open, and the next call tries again from the start.
        """
        if self._closed:
            raise DatabaseUnavailable(
                f"{self.app.db.where} is closed; open a new Seasoned to go on"
            )
        async with self._opening:
            if not self._opened:
                await self._open()
        return self

    async def _open(self) -> None:
        db = self.app.db
        self.app.config.protect_home()
        try:
            await db.run_async(db.open())
            self._opened = True
            await db.run_async(self.app.start())
        except BaseException:
            if self._opened:
                self._opened = False
                await wait_for(run_in_thread(self.app.workers.cancel), STOP_SECONDS)
                await db.run_async(db.close())
            if not db.is_here():
                db.shutdown()
            raise

    async def close(self) -> None:
        """Let the workers finish, and disconnect."""
        if self._opened:
            try:
                await self._run(self.app.recorder.end_all())
                # Now, because what wakes a worker must not arrive when it has stopped.
                self.app.bus.deliver()
            except SeasonedError as error:
                log.warning("could not end the sessions of this process: %s", error)
            try:
                await wait_for(run_in_thread(self.app.stop), STOP_SECONDS)
            except TimeoutError:
                log.warning("embedding or linking takes too long; it continues at the next start")
            await self.app.db.run_async(self.app.pending.close())
            await self.app.db.run_async(self.app.db.close())
        self._opened, self._closed = False, True
        if not self.app.db.is_here():
            self.app.db.shutdown()

    def acting_for(self, scope: Scope, acts_in: Scope | None = None) -> Self:
        """Return this open Seasoned for another caller; it is closed with this one.

        A server opens the database once, and answers each request as its caller.
        """
        if not self._opened:
            raise DatabaseUnavailable(
                f"{self.app.db.where} is not open; open it before acting for a caller"
            )
        other = copy(self)
        other.scope = Scope(*map(stored_name, scope.fields()[:3]))
        other.acts_in = acts_in
        other.default_session = scope.session or f"run-{new_id()}"
        return other

    @contextmanager
    def session(self, name: str) -> Generator[None]:
        """Assign everything observed and recalled inside the block to this session."""
        token = _session.set(name)
        try:
            yield
        finally:
            _session.reset(token)

    @property
    def named_session(self) -> str | None:
        """The session of the `session` block that the caller is in; None outside of one."""
        return _session.get()

    def _drive(self, work: Coroutine[Any, Any, T]) -> T:
        return self.app.unit.drive(work)

    def _session(self) -> str:
        return _session.get() or self.default_session

    async def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if not self._opened:
            try:
                await self.open()
            except BaseException:
                work.close()
                raise
        return await self.app.unit.run(work)

    async def _read(self, query: Callable[[Connection], Awaitable[T]]) -> T:
        async def read() -> T:
            async with self.app.db.read() as tx:
                return await query(tx)

        return await self._run(read())

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def observe(
        self,
        tool: str | ToolResult,
        params: Mapping[str, Any] | None = None,
        result: Any = None,
        error: str | BaseException | None = None,
        *,
        session: str | None = None,
        duration_ms: float | None = None,
        refused: bool = False,
        cancelled: bool = False,
    ) -> Hint | None:
        """Report a tool call; return a `Hint` if it failed and a fix is known.

        A call failed if there is an `error`, or its result says so (`is_error`, a non-zero exit
        code). One that a person `refused`, or that was `cancelled`, teaches nothing about the tool.
        """
        if isinstance(tool, ToolResult):
            call = replace(tool, session=session or tool.session or self._session())
        else:
            named = session or self._session()
            call = ToolResult(
                *(tool, params or {}, result, _error_text(error), named, duration_ms),
                refused=refused,
                cancelled=cancelled,
            )
        return await self._run(self.app.engine.observe(call, self.scope))

    async def on_tool_result(
        self,
        session: str,
        tool: str,
        params: Mapping[str, Any] | None,
        result: Any,
        error: str | BaseException | None,
    ) -> Hint | None:
        """Same as `observe`, with the name and argument order of the observer interface."""
        return await self.observe(tool, params, result, error, session=session)

    @overload
    def tool(self, function: F) -> F: ...
    @overload
    def tool(self, *, name: str) -> Callable[[F], F]: ...
    def tool(self, function: F | None = None, *, name: str | None = None) -> F | Callable[[F], F]:
        """Wrap a function, sync or async, so that every call is observed.

        A hint stands at the end of the exception's text, which frameworks show to their models; the
        type stays the same. Generators, methods and partials can be wrapped, too.
        """
        from seasoned.tools.observed_function import observe_function

        watch = functools.partial(observe_function, name=name, run=self._drive, record=self._record)
        return watch(function) if function is not None else watch

    async def teach(
        self,
        trigger: str = "",
        *,
        fix: str | None = None,
        rule: str | None = None,
        fact: str | None = None,
        preference: str | None = None,
        tool: str | None = None,
        scope: Scope | None = None,
        source: Source = "operator",
    ) -> Lesson:
        """Teach a lesson; it applies at once and takes precedence over anything inferred.

        `trigger` is the error message for a fix, the situation for other kinds.
        """
        from seasoned.rules.teaching import teaching_from

        told = teaching_from(
            trigger,
            fix=fix,
            rule=rule,
            fact=fact,
            preference=preference,
            tool=tool,
            source=source,
        )
        return await self._run(self.app.teacher.teach(told, scope or self.scope, self.caller))

    async def recall(
        self,
        query: str,
        *,
        session: str | None = None,
        tool: str | None = None,
        tools: Sequence[str] = (),
        runtime: Mapping[str, object] | None = None,
        limit: int | None = None,
        given: bool = True,
    ) -> Context:
        """Return the lessons that are relevant to a request; `.text` goes into the prompt.

        `tool` is about to be used, `tools` are available; `runtime` holds current facts (a
        channel, a date) and is passed on as is. `limit` applies to each layer. With `given`
        False the lessons are not counted as given to an agent.
        """
        from seasoned.recall.context import RecallRequest

        if limit is not None and limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        scope = self.scope.within(stored_name(session or self._session()))
        noted = self.app.notebook.given(scope)
        turn = RecallRequest(query, scope, tool, tuple(tools), runtime, noted=noted)
        context = await self._run(self.app.retriever.recall(turn, limit=limit))
        if given:
            self.app.hand(context, scope)
        return context

    async def tool_notes(
        self, *tools: str, session: str | None = None, given: bool = True
    ) -> ToolNotes:
        """Return what was learned about tools, for their descriptions; default: all tools.

        Each note is one line. A session keeps the notes that it got first, so that the prompt
        stays the same, unless a lesson no longer holds. `given` is as in `recall`, which does not
        repeat the lessons that stand in notes.
        """
        scope = self.scope.within(stored_name(session or self._session()))
        await self._run(self.app.notebook.freeze(scope))
        notes = self.app.notebook.notes(scope, tools)
        if given:
            self.app.hand_notes(notes, scope)
        return notes

    def provide(self, layer: Layer, source: LayerSource) -> None:
        """Fill a layer of recall (skills, observations…) from a source of yours.

        Each recall calls it in its own thread for lines that fit the request, and leaves it out
        if it takes longer than `knowledge.deadlineSeconds`.
        """
        self.app.retriever.provide(layer, source)

    async def _record(self, outcome: CallOutcome) -> Hint | None:
        call = ToolResult(
            outcome.tool,
            outcome.params,
            outcome.result,
            _error_text(outcome.error),
            self._session(),
            outcome.duration_ms,
        )
        # Only an exception can carry a hint; a hint nobody sees must not count as given.
        seen = isinstance(outcome.error, Exception)
        return await self._run(self.app.engine.observe(call, self.scope, hints=seen))

    async def turn(
        self,
        user: str,
        reply: str | None = None,
        *,
        session: str | None = None,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        edited: str | None = None,
        interrupted: bool = False,
        denied: str | tuple[str, str] | None = None,
        reach: str = "",
    ) -> Reaction:
        """Report a user's message and, if there is one already, the agent's reply.

        If the message corrects the previous reply of the session, a provisional rule applies to
        the session at once, and the correction is queued for analysis. `edited` is the reply as
        the user changed it, `denied` a tool the user refused (or the tool and the reason).
        `reach` (session, user, project or tenant) says who a resulting rule is for; default: this
        user in this project. In an agent's loop, `conversation` is simpler.
        """
        scope = self.scope.within(stored_name(session or self._session()))
        self._check_reach(reach, scope)
        noticed = await self._run(self.app.turns.on_message(user, scope, reach))
        await self._run(self.app.recorder.heard(scope, user))
        if reply is None:
            return noticed
        done = await self.replied(
            user,
            reply,
            session=session,
            tool_calls=tool_calls,
            edited=edited,
            interrupted=interrupted,
            denied=denied,
            reach=reach,
        )
        return noticed or done

    async def replied(
        self,
        user: str,
        reply: str,
        *,
        session: str | None = None,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        edited: str | None = None,
        interrupted: bool = False,
        denied: str | tuple[str, str] | None = None,
        reach: str = "",
    ) -> Reaction:
        """Report the second half of a turn: the reply, and what the user did with it."""
        from seasoned.rules.exchanges import Exchange
        from seasoned.rules.turns import Denial, Signals

        scope = self.scope.within(stored_name(session or self._session()))
        self._check_reach(reach, scope)
        refused = Denial(denied) if isinstance(denied, str) else denied and Denial(*denied)
        signals = Signals(edited, interrupted, refused)
        exchange = Exchange(user, reply, tool_calls, self.app.handouts.rules(scope))
        status = "cancelled" if interrupted else "done"
        await self._run(self.app.recorder.replied(scope, user, reply, tool_calls, status=status))
        return await self._run(self.app.turns.on_reply(exchange, scope, signals, reach))

    async def end(self, *, session: str | None = None, reason: str = "closed") -> bool:
        """Report that a conversation is over, so that it is learned from as a whole.

        False if nothing was said in it. Without a model, its corrections hold in other sessions
        from now on. A session also ends after `session.idleMinutes`, and with this process; it
        goes on when something else is said in it.
        """
        scope = self.scope.within(stored_name(session or self._session()))
        ended = await self._run(self.app.recorder.end(scope, reason, reported=True))
        await self.app.workers.unlearned.learn()
        return ended

    async def correct(
        self,
        message: str,
        *,
        request: str | None = None,
        reply: str | None = None,
        session: str | None = None,
        reach: str = "",
    ) -> Reaction:
        """Report a message that corrects the agent, however it is worded.

        `request` and `reply` give what it corrects; default: the last exchange of the session.
        `reach` is as in `turn`.
        """
        from seasoned.corrections import Correction, CorrectionKind, find_correction
        from seasoned.rules.exchanges import Exchange

        if not message.strip():
            raise BadInput("the correction is empty; say what was wrong, or what is wanted")
        scope = self.scope.within(stored_name(session or self._session()))
        self._check_reach(reach, scope)
        turns = self.app.turns
        last = (
            Exchange(request or "", reply or "")
            if request is not None or reply is not None
            else await self._run(turns.last_exchange(scope))
        )
        message = redact(storable(message))
        found = find_correction(message, previous_reply=last.reply or None, floor=0)
        told = replace(found, score=1.0) if found else None
        sure = told or Correction(CorrectionKind.INSTRUCTION, 1.0, (0, len(message)))
        return await self._run(turns.correct(message, sure, scope, last, reach))

    def _check_reach(self, reach: str, scope: Scope) -> None:
        """Refuse a reach beyond where the caller acts, before anything is recorded."""
        from seasoned.rules.case import reach_of

        if reach:
            self.caller.require("teach", reach_of(reach, scope), f"a rule with reach {reach!r}")

    def conversation(self, session: str | None = None, *, reach: str = "") -> AsyncConversation:
        """Start a conversation that an agent's loop feeds message by message."""
        from seasoned.api.conversation import AsyncConversation

        name = session or f"conversation-{new_id()}"
        self._check_reach(reach, self.scope.within(name))
        return AsyncConversation(self, name, reach)

    def agent(
        self,
        model: str | Model | None = None,
        *,
        tools: Sequence[Callable[..., Any] | AbstractToolset[Any]] = (),
        built_in: Sequence[str] | None = None,
        instructions: str | None = None,
        root: str | PathLike[str] | None = None,
        session: str | None = None,
    ) -> AsyncAgentFace:
        """Build an agent that learns: `await s.agent("ollama:qwen3").ask("…")`.

        `model` is a name or a pydantic-ai model; the settings supply what is not given. `tools`
        are functions and toolsets, `built_in` names of ours: files, shell, web, knowledge,
        schedule; files cannot leave the folder `root`, and programs start there.
        """
        from seasoned.api.agent import AgentOptions, AsyncAgentFace, build_agent

        options = AgentOptions(model, tools, built_in, instructions, root)
        scope = self.scope.within(stored_name(session) if session else f"chat-{new_id()}")
        agent = build_agent(self.app, options)
        from seasoned.tools.approval_store import Approvals  # after the check for its library

        return AsyncAgentFace(agent, scope, self.open, Approvals(self.app.db, self.app.clock))

    async def search(
        self, query: str, *, session: str | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """Search all lessons by request, best first, without a relevance floor."""
        if limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        scope = self.scope.within(stored_name(session or self._session()))
        found = await self._run(self.app.search.find(query, scope, wanted=None, most=limit))
        return found.hits

    async def learn(
        self,
        paths: Iterable[str | PathLike[str]],
        *,
        progress: Progress | None = None,
        project: str | None = None,
        user: str | None = None,
    ) -> HistoryReport:
        """Learn from old transcripts: files, or folders of them.

        Each session teaches the project whose folder it took place in, and the user its records
        name. `project` overrides that (default: the project this Seasoned was opened with, if
        any). `user` is the one of sessions that name none (default: the user this Seasoned was
        opened with; else, for the sessions of a coding assistant, the user of this machine).
        """
        from seasoned.config import system_user
        from seasoned.transcripts.files import transcript_files

        files = list(transcript_files([Path(path) for path in paths]))
        scope = self.scope if user is None else replace(self.scope, user=stored_name(user))
        place = scope if project is None else replace(scope, project=stored_name(project))
        self.caller.require("teach", place, "the scope of these transcripts")
        work = self.app.history.learn(
            files,
            scope,
            progress,
            project=stored_name(project) if project is not None else self.scope.project or None,
            person=scope.user if user is not None else scope.user or system_user(),
            realm=self.caller.realm,
        )
        return await self._run(work)

    async def known_scopes(self) -> KnownScopes:
        """Return the projects and users of this tenant that something was learned for.

        Those of others are left out: a user learns of no other user.
        """

        async def read(tx: Connection) -> KnownScopes:
            tenant = self.scope.tenant
            taught = await self.app.lessons.scopes(tx, tenant)
            called = [Scope(tenant, name) for name in await self.app.tools.projects(tx, tenant)]
            seen = [one for one in (*taught, *called) if self.caller.may("see", one)]
            projects, users = {one.project for one in seen}, {one.user for one in seen}
            return KnownScopes(tuple(sorted(projects - {""})), tuple(sorted(users - {""})))

        return await self._read(read)

    async def lessons(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        tool: str | None = None,
        text: str | None = None,
        limit: int = 50,
        after: Place | None = None,
        scope: Scope | None = None,
    ) -> Sequence[Lesson]:
        """List lessons, newest first; imported documents are in `knowledge`.

        `text` must stand in them. `after` is the `place` of the last one of the page before.
        """
        _one_of("kind", kind, KINDS)
        _one_of("status", status, STATUSES)
        seen = self.caller.looking(scope).scope
        return await self._read(
            lambda tx: self.app.lessons.list(
                tx, seen, kind=kind, status=status, tool=tool, text=text, limit=limit, after=after
            )
        )

    async def lesson(self, name: str) -> Lesson:
        """Return a lesson by its id or a prefix of it."""
        return await self._read(lambda tx: self.app.lessons.get(tx, name, self.caller))

    async def lessons_by_id(self, ids: Iterable[str]) -> Sequence[Lesson]:
        """Return those of these lessons that exist and that the caller sees."""

        async def read(tx: Connection) -> Sequence[Lesson]:
            found = [await self.app.lessons.find(tx, name) for name in ids]
            return [one for one in found if one and self.caller.may("see", one.scope)]

        return await self._read(read)

    async def history(self, name: str) -> LessonHistory:
        """Return a lesson with all the words it had, and the audit events about it."""

        async def read(tx: Connection) -> LessonHistory:
            lesson = await self.app.lessons.get(tx, name, self.caller)
            versions = await self.app.lessons.versions(tx, lesson.id)
            about = await self.app.audit.list(tx, lesson.id, MOST_EVENTS)
            events = [one for one in about if may_read(self.caller, one)]
            return LessonHistory(lesson, versions, events)

        return await self._read(read)

    async def errors(
        self,
        *,
        tool: str | None = None,
        category: str | None = None,
        limit: int = 20,
        after: Place | None = None,
        scope: Scope | None = None,
    ) -> Sequence[KnownError]:
        """List error patterns, most frequent first."""
        seen = self.caller.looking(scope).scope
        return await self._read(
            lambda tx: self.app.errors.list(
                tx, seen, tool=tool, category=category, limit=limit, after=after
            )
        )

    async def error(self, name: str) -> ErrorStory:
        """Return an error pattern by its id, with its latest messages and its fixes."""
        from seasoned.db.scope_filter import visible_projects

        async def read(tx: Connection) -> ErrorStory:
            found = await self.app.errors.find(tx, name, visible_projects(self.caller))
            if found is None:
                raise NotFound(f"no error {name!r}; `seasoned errors` shows those there are")
            samples = await self.app.errors.samples_for(tx, found.id, self.caller)
            fixes = await self.app.lessons.fixes_of(tx, [found.id])
            seen = [one for one in fixes if self.caller.may("see", one.scope)]
            return ErrorStory(found, [(one.at, one.message) for one in samples], seen)

        return await self._read(read)

    async def tools(self, *, limit: int = 50, after: Place | None = None) -> Sequence[ToolRecord]:
        """List tools with their calls and failures, busiest first."""
        return await self._read(lambda tx: self.app.tools.list(tx, self.scope, limit, after))

    async def forget(self, name: str, *, erase: bool = False, version: str | None = None) -> Lesson:
        """Retire a lesson; `erase` also deletes its text.

        With the `version` of the lesson as it was read, raise `Changed` if it was changed since.
        """
        return await self._run(
            self.app.teacher.forget(name, self.caller, erase=erase, version=version)
        )

    async def distill(self) -> Sequence[DistilledFix]:
        """Let the model word the fixes that have their witnesses, now; return what became of each.

        It may find that there is nothing to learn: then the fix waits for an operator.
        """
        distiller = self.app.fix_distiller
        if distiller.model is None:
            raise ConfigError(
                "fixes keep their plain words: a model is needed to distill them; set llm.model, "
                "e.g. openai:NAME"
            )
        done = await wait_for(run_in_thread(distiller.distill), DISTILL_SECONDS)
        return [one for one in done if self.caller.may("see", one.lesson.scope)]

    async def why(self, name: str, *, scope: Scope | None = None) -> Explanation:
        """Explain a lesson: evidence, error, episodes, audit events."""
        return await self._run(self.app.explainer.why(name, self.caller.looking(scope)))

    async def status(self) -> dict[str, Any]:
        """Return the state of learning, in numbers."""
        return await self._run(self.app.status(self.scope))

    async def progress(self, *, days: int = 30) -> Sequence[DayOfProgress]:
        """Return by day whether the agent gets better: mistakes repeated, first calls that fail.

        Of this project, or of all projects if none is named.
        """
        return await self._run(self.app.progress.days(self.caller, days))

    async def verify_audit(self) -> AuditReport:
        """Check that no audit event was changed, removed or inserted."""
        return await self._run(self.app.audit.verify())

    def on(self, event: type[E], listener: Callable[[E], object]) -> None:
        """Call the listener after every such event (see `seasoned.core.events`)."""
        self.app.bus.subscribe(event, listener)


def _error_text(error: str | BaseException | None) -> str | None:
    if isinstance(error, BaseException):
        from seasoned.tools.hinted_error import text_without_hint

        return f"{type(error).__name__}: {text_without_hint(error)}"
    return error


def _one_of(name: str, value: str | None, allowed: Sequence[str]) -> None:
    if value is not None and value not in allowed:
        raise BadInput(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
