"""The face of Seasoned for Python: `Seasoned` for ordinary code, `AsyncSeasoned` for async code.

Both are the same: every method is written once, async, and the synchronous class drives it.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, overload

from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, DatabaseUnavailable
from seasoned.core.events import Event
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.core.tool_result import ToolResult
from seasoned.core.waiting import begun, waited
from seasoned.learning.lesson import KINDS, STATUSES, Lesson, Source

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.toolsets import AbstractToolset

    from seasoned.faces.adaptation import Adaptation, AsyncAdaptation
    from seasoned.faces.agent import Agent, AsyncAgent
    from seasoned.faces.conversation import AsyncConversation, Conversation
    from seasoned.faces.corrections import AsyncCorrections, Corrections
    from seasoned.faces.examples import AsyncExamples, Examples
    from seasoned.faces.experiences import AsyncExperiences, Experiences
    from seasoned.faces.feedback import AsyncFeedback, FeedbackFace, Moment
    from seasoned.faces.graph import AsyncGraph, Graph
    from seasoned.faces.knowledge import AsyncKnowledge, Knowledge
    from seasoned.faces.librarian import AsyncLibrarian, Librarian
    from seasoned.faces.memory import AsyncMemory, Memory
    from seasoned.faces.rules import AsyncRules, Rules
    from seasoned.faces.sessions import AsyncSessions, Sessions
    from seasoned.faces.skills import AsyncSkills, Skills
    from seasoned.learning.error_store import KnownError
    from seasoned.learning.explanation import Explanation
    from seasoned.learning.export_report import ExportReport
    from seasoned.learning.hint import Hint
    from seasoned.learning.history import HistoryReport, Progress
    from seasoned.learning.tool_records import ToolRecord
    from seasoned.learning.turns import Noticed
    from seasoned.recall.context import Context
    from seasoned.recall.layers import Layer
    from seasoned.recall.layers import Source as LayerSource
    from seasoned.recall.search import Hit
    from seasoned.security.audit import AuditReport
    from seasoned.tools.observed import Outcome

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Event)
F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger("seasoned.facade")

LONGEST_END_SECONDS = 60  # for workers to finish: an embedder that hangs must not hang the exit

MOST_SESSIONS = 1000  # whose last rules are remembered

_session: ContextVar[str | None] = ContextVar("seasoned_session", default=None)


class AsyncSeasoned:
    """Learns from what an agent does and recalls it; for code that runs in an event loop.

    `database` is a path, ":memory:" or "postgresql://…"; None takes it from the settings, which
    is `seasoned.db` in `SEASONED_HOME` (`~/.seasoned`) unless they say otherwise.
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
        # The parts are loaded by those who open a database, not by everyone who imports this.
        from seasoned.app import build
        from seasoned.config import load

        config = load(environment)
        url = str(database) if database is not None else config.database_url
        self.app = build(config, url, clock)
        self.scope = Scope(storable(tenant), storable(project), storable(user))
        self.default_session = session or f"run-{new_id()}"
        self._rules_given: dict[str, Sequence[str]] = {}
        self._opened = False
        self._closed = False

    async def open(self) -> Self:
        """Connects and migrates; done by itself at the first call."""
        if self._closed:
            raise DatabaseUnavailable(
                f"{self.app.db.where} is closed; open a new Seasoned to go on"
            )
        if not self._opened:
            await self.app.db.run_async(self.app.db.open())
            self._opened = True
            await self.app.db.run_async(self.app.begin())
        return self

    async def observe(
        self,
        tool: str | ToolResult,
        params: Mapping[str, Any] | None = None,
        result: Any = None,
        error: str | BaseException | None = None,
        *,
        session: str | None = None,
        duration_ms: float | None = None,
    ) -> Hint | None:
        """Says what a tool call came to; a `Hint` when it failed and a fix is known.

        A failure is an `error`, or a result that says so (`is_error`, a non-zero exit code).
        """
        if isinstance(tool, ToolResult):
            call = replace(tool, session=session or tool.session or self._session())
        else:
            named = session or self._session()
            call = ToolResult(tool, params or {}, result, _error_text(error), named, duration_ms)
        return await self._run(self.app.engine.observe(call, self.scope))

    async def on_tool_result(
        self,
        session: str,
        tool: str,
        params: Mapping[str, Any] | None,
        result: Any,
        error: str | BaseException | None,
    ) -> Hint | None:
        """The same under the name and in the order of the observer interface."""
        return await self.observe(tool, params, result, error, session=session)

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
        """Tells a lesson outright: it applies at once and beats whatever was inferred.

        For a fix, `trigger` is the error it is for; for the others, the situation they belong to.
        """
        from seasoned.learning.teaching import teaching_from

        told = teaching_from(
            trigger,
            fix=fix,
            rule=rule,
            fact=fact,
            preference=preference,
            tool=tool,
            source=source,
        )
        return await self._run(self.app.teacher.teach(told, scope or self.scope))

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
        """The few lines that matter for this request; `.text` goes into the prompt.

        `tool` is the one about to be used, `tools` those at hand; `runtime` is what holds right
        now (a channel, a date) and is told as it is. `limit` is for each layer. With `given`
        False nothing is counted as handed to an agent: to look what it would be told.
        """
        from seasoned.recall.retriever import Turn

        if limit is not None and limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        scope = self.scope.within(session or self._session())
        turn = Turn(query, scope, tool, tuple(tools), runtime)
        context = await self._run(self.app.retriever.recall(turn, limit=limit))
        if given:
            self._count(context, scope.session)
        return context

    def _count(self, context: Context, session: str) -> None:
        """Notes what was handed to an agent: how often, and which rules a correction may blame."""
        lessons = [entry.lesson for entry in context.entries if entry.lesson is not None]
        learned = [lesson.id for lesson in lessons if lesson.source != "document"]
        if self.app.given.note(learned):
            self.app.nudge("given")
        self._rules_given.pop(session, None)
        self._rules_given[session] = [
            lesson.id for lesson in lessons if lesson.kind in ("rule", "preference")
        ]
        if len(self._rules_given) > MOST_SESSIONS:
            del self._rules_given[next(iter(self._rules_given))]

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
    ) -> Noticed:
        """Says what a user wrote and, if it is there already, what the agent replied.

        When the message corrects the reply before it in this session, a provisional rule holds
        from now on in the session, and the correction waits to be learned. `edited` is the reply
        as the user left it, `denied` a tool that the user did not let run (or the tool and why).
        `reach` is session, user, project or tenant: whom a rule that follows is for; whoever said
        it, in this project, if it is not given. For an agent's loop, `conversation` is handier.
        """
        scope = self.scope.within(session or self._session())
        noticed = await self._run(self.app.turns.heard(user, scope, reach))
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
    ) -> Noticed:
        """The second half of a turn: what the agent replied, and what the user did to that."""
        from seasoned.learning.exchanges import Exchange
        from seasoned.learning.turns import Denial, Signals

        scope = self.scope.within(session or self._session())
        refused = Denial(denied) if isinstance(denied, str) else denied and Denial(*denied)
        signals = Signals(edited, interrupted, refused)
        rules = self._rules_given.get(scope.session, ())
        exchange = Exchange(user, reply, tool_calls, rules)
        return await self._run(self.app.turns.said(exchange, scope, signals, reach))

    async def correct(
        self,
        message: str,
        *,
        request: str | None = None,
        reply: str | None = None,
        session: str | None = None,
        reach: str = "",
    ) -> Noticed:
        """Says outright that this message corrects the agent, however it is put.

        `request` and `reply` are what it corrects; the last exchange of the session otherwise.
        `reach` says whom the rule is for, as in `turn`.
        """
        from seasoned.corrections import Correction, Kind, find_correction
        from seasoned.learning.exchanges import Exchange

        if not message.strip():
            raise BadInput("the correction is empty; say what was wrong, or what is wanted")
        scope = self.scope.within(session or self._session())
        turns = self.app.turns
        last = (
            Exchange(request or "", reply or "")
            if request is not None or reply is not None
            else await self._run(turns.last(scope))
        )
        found = find_correction(message, previous_reply=last.reply or None, floor=0)
        told = replace(found, score=1.0) if found else None
        sure = told or Correction(Kind.INSTRUCTION, 1.0, (0, len(message)))
        return await self._run(turns.correct(message, sure, scope, last, reach))

    def conversation(self, session: str | None = None, *, reach: str = "") -> AsyncConversation:
        """A conversation that an agent's loop feeds message by message; `reach` as in `turn`."""
        from seasoned.faces.conversation import AsyncConversation

        return AsyncConversation(self, session or f"conversation-{new_id()}", reach)

    def agent(
        self,
        model: str | Model | None = None,
        *,
        tools: Sequence[Callable[..., Any] | AbstractToolset[Any]] = (),
        built_in: Sequence[str] | None = None,
        instructions: str | None = None,
        root: str | PathLike[str] | None = None,
        session: str | None = None,
    ) -> AsyncAgent:
        """An agent that learns from what it does: `await s.agent("ollama:qwen3").ask("…")`.

        `model` is a name, or a model of pydantic-ai; what is not given is taken from the settings.
        `tools` are functions and toolsets, `built_in` names of ours: files, shell, web, knowledge,
        schedule; `root` is the folder that files and shell stay in.
        """
        from seasoned.faces.agent import AsyncAgent, Wishes, built

        wishes = Wishes(model, tools, built_in, instructions, root)
        scope = self.scope.within(session or f"chat-{new_id()}")
        return AsyncAgent(built(self.app, wishes), scope, self.open)

    async def search(
        self, query: str, *, session: str | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """The lessons that fit a request best, with no floor: to look around in what there is."""
        if limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        scope = self.scope.within(session or self._session())
        found = await self._run(self.app.search.find(query, scope, wanted=None, most=limit))
        return found.hits

    async def learn(
        self, paths: Iterable[str | PathLike[str]], *, progress: Progress | None = None
    ) -> HistoryReport:
        """Learns from old transcripts: files, or folders of them."""
        from seasoned.transcripts.files import transcript_files

        files = list(transcript_files([Path(path) for path in paths]))
        return await self._run(self.app.history.learn(files, self.scope, progress))

    async def lessons(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        tool: str | None = None,
        limit: int = 50,
    ) -> Sequence[Lesson]:
        """What was learned, the newest first; what was imported is in `knowledge`."""
        _one_of("kind", kind, KINDS)
        _one_of("status", status, STATUSES)

        async def listed() -> Sequence[Lesson]:
            async with self.app.db.read() as tx:
                return await self.app.lessons.list(
                    tx, self.scope, kind=kind, status=status, tool=tool, limit=limit
                )

        return await self._run(listed())

    async def lesson(self, name: str) -> Lesson:
        """One lesson, by its id or the beginning of it."""

        async def found() -> Lesson:
            async with self.app.db.read() as tx:
                return await self.app.lessons.get(tx, name, self.scope)

        return await self._run(found())

    async def errors(self, *, limit: int = 20) -> Sequence[KnownError]:
        """The error patterns seen, the most frequent first."""

        async def listed() -> Sequence[KnownError]:
            async with self.app.db.read() as tx:
                return await self.app.errors.list(tx, self.scope, limit=limit)

        return await self._run(listed())

    async def tools(self, *, limit: int = 50) -> Sequence[ToolRecord]:
        """How each tool performed, the busiest first."""

        async def listed() -> Sequence[ToolRecord]:
            async with self.app.db.read() as tx:
                return await self.app.tools.list(tx, self.scope, limit)

        return await self._run(listed())

    async def forget(self, name: str, *, erase: bool = False) -> Lesson:
        """Retires a lesson; with `erase`, its words are taken away for good as well."""
        return await self._run(self.app.teacher.forget(name, self.scope, erase=erase))

    async def why(self, name: str) -> Explanation:
        """Why a lesson is believed: its evidence, its error, its episodes, its audit events."""
        return await self._run(self.app.explainer.why(name, self.scope))

    async def status(self) -> dict[str, Any]:
        """What there is, in numbers."""
        return await self._run(self.app.status(self.scope))

    async def verify_audit(self) -> AuditReport:
        """Checks that no event of the audit was changed, removed or inserted."""
        return await self._run(self.app.audit.verify())

    async def export(
        self,
        kind: str,
        path: str | PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - what it is called
        dimension: str | None = None,
        source: str | None = None,
        model: str | None = None,
        least_confidence: float | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        samples: bool = False,
        chat: bool = False,
        keep_pii: bool = False,
        with_corrections: bool = False,
    ) -> ExportReport:
        """Writes what was judged as data to train with: dpo, kto, reward or sft, and a datasheet.

        The file's name says the format (.jsonl, .parquet), or `format` does. `samples` makes a
        reward file of single answers with their worth, `chat` messages instead of plain texts.
        Personal data is taken out unless `keep_pii`; `with_corrections` adds what users corrected
        and the examples there are.
        """
        from seasoned.faces.export import exported

        work = exported(
            self.app.export,
            self.scope,
            kind,
            path,
            format=format,
            dimension=dimension,
            source=source,
            model=model,
            least_confidence=least_confidence,
            since=since,
            until=until,
            samples=samples,
            chat=chat,
            keep_pii=keep_pii,
            with_corrections=with_corrections,
        )
        return await self._run(work)

    async def close(self) -> None:
        if self._opened:
            try:
                await waited(begun(self.app.end), LONGEST_END_SECONDS)
            except TimeoutError:
                log.warning("what is being embedded or linked is left for the next time")
            await self.app.db.run_async(self.app.pending.close())
            await self.app.db.run_async(self.app.db.close())
        self._opened, self._closed = False, True
        if not self.app.db.is_here():
            self.app.db.shutdown()

    @property
    def graph(self) -> AsyncGraph:
        """What was learned as a graph: `s.graph.neighbours(…)`."""
        from seasoned.faces.graph import AsyncGraph

        return AsyncGraph(self.app.graph, self.scope, self._run)

    @property
    def rules(self) -> AsyncRules:
        """How the agent is to behave: list, add, edit, activate, deactivate, resolve…"""
        from seasoned.faces.rules import AsyncRules

        return AsyncRules(self.app.rulebook, self.app.search, self.scope, self._run)

    @property
    def skills(self) -> AsyncSkills:
        """Procedures worth repeating: add, load, list, search, adopt, retire, distill…"""
        from seasoned.faces.skills import AsyncSkills

        return AsyncSkills(self.app, self.scope, self._run)

    @property
    def examples(self) -> AsyncExamples:
        """Exchanges that went well, or badly."""
        from seasoned.faces.examples import AsyncExamples

        parts = (self.app.examples, self.app.teacher, self.app.search)
        return AsyncExamples(*parts, self.scope, self._run)

    @property
    def feedback(self) -> AsyncFeedback:
        """What people, the environment and the agent itself think of answers."""
        from seasoned.faces.feedback import AsyncFeedback

        return AsyncFeedback(self.app.feedbacks, self.scope, self._run)

    @property
    def corrections(self) -> AsyncCorrections:
        """What users corrected: pending, history, learn, retry, clear."""
        from seasoned.faces.corrections import AsyncCorrections

        return AsyncCorrections(self.app, self.scope, self._run)

    @property
    def experiences(self) -> AsyncExperiences:
        """What was done in which state and what came of it: add, sample, prioritise, list."""
        from seasoned.faces.experiences import AsyncExperiences

        return AsyncExperiences(self.app.experiences, self.scope, self._run)

    @property
    def adaptation(self) -> AsyncAdaptation:
        """Choosing by what was earned; its methods stand below as well."""
        from seasoned.faces.adaptation import AsyncAdaptation

        return AsyncAdaptation(self.app, self.scope, self._run)

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

    def provide(self, layer: Layer, source: LayerSource) -> None:
        """Fills a layer of recall (skills, observations…) from a source of yours.

        It is asked at each recall, in a thread of its own, for lines that fit the request; one
        that takes longer than `knowledge.deadlineSeconds` is left out.
        """
        self.app.retriever.provide(layer, source)

    @property
    def knowledge(self) -> AsyncKnowledge:
        """Documents that the agent may draw on: add, list, get, search, update, remove."""
        from seasoned.faces.knowledge import AsyncKnowledge

        return AsyncKnowledge(self.app.library, self.app.search, self.scope, self._run)

    @property
    def sessions(self) -> AsyncSessions:
        """The conversations that agents had: list, messages, turns, end, delete."""
        from seasoned.faces.sessions import AsyncSessions

        return AsyncSessions(self.app, self.scope, self._run)

    @property
    def memory(self) -> AsyncMemory:
        """What is remembered of conversations: list, show, observe, reflect, clear."""
        from seasoned.faces.memory import AsyncMemory

        return AsyncMemory(self.app, self.scope, self._run)

    @property
    def librarian(self) -> AsyncLibrarian:
        """What it would be good to know: list, answer, dismiss, ask."""
        from seasoned.faces.librarian import AsyncLibrarian

        return AsyncLibrarian(self.app, self.scope, self._run)

    def on(self, event: type[E], listener: Callable[[E], object]) -> None:
        """Calls the listener whenever such a fact has happened (see `seasoned.core.events`)."""
        self.app.bus.subscribe(event, listener)

    @contextmanager
    def session(self, name: str) -> Generator[None]:
        """Everything observed and recalled inside belongs to this session."""
        token = _session.set(name)
        try:
            yield
        finally:
            _session.reset(token)

    @overload
    def tool(self, function: F) -> F: ...
    @overload
    def tool(self, *, name: str) -> Callable[[F], F]: ...
    def tool(self, function: F | None = None, *, name: str | None = None) -> F | Callable[[F], F]:
        """Wraps a function, sync or async, so that every call of it is observed.

        An exception goes on to the caller as it was, with the hint as a note on it.
        """
        from seasoned.tools.observed import observed

        watch = functools.partial(observed, name=name, run=self._drive, record=self._record)
        return watch(function) if function is not None else watch

    def _drive(self, work: Coroutine[Any, Any, T]) -> T:
        result = self.app.db.run(work)
        self.app.bus.deliver()
        return result

    async def _record(self, outcome: Outcome) -> Hint | None:
        call = ToolResult(
            outcome.tool,
            outcome.params,
            outcome.result,
            _error_text(outcome.error),
            self._session(),
            outcome.duration_ms,
        )
        # Only an exception can carry a hint: one that nobody sees must not count as given.
        seen = isinstance(outcome.error, Exception)
        return await self._run(self.app.engine.observe(call, self.scope, hints=seen))

    def _session(self) -> str:
        return _session.get() or self.default_session

    async def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if not self._opened:
            try:
                await self.open()
            except BaseException:
                work.close()
                raise
        result = await self.app.db.run_async(work)
        if not self.app.db.is_here():
            self.app.bus.deliver()
        return result

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


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

    def provide(self, layer: Layer, source: LayerSource) -> None:
        self.inner.provide(layer, source)

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

    def _drive(self, work: Coroutine[Any, Any, T]) -> T:
        result = self.inner.app.db.run(work)
        self.inner.app.bus.deliver()
        return result

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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _error_text(error: str | BaseException | None) -> str | None:
    if isinstance(error, BaseException):
        return f"{type(error).__name__}: {error}"
    return error


def _one_of(name: str, value: str | None, allowed: Sequence[str]) -> None:
    if value is not None and value not in allowed:
        raise BadInput(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
