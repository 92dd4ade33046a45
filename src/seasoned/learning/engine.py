"""Learns from tool results: a failure opens an episode, the success after it shows the fix.

An agent, a server or a reader of old transcripts hands in what happened; the engine records it,
says at once when a known fix fits (a `Hint`), and credits or debits what it had said before.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, cast

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput
from seasoned.core.events import ToolFinished
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.core.tool_result import ToolResult
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.change import Step
from seasoned.learning.episodes import MOST_OPEN, Episode, EpisodeStore
from seasoned.learning.error_store import ErrorStore, KnownError
from seasoned.learning.failure import failure_of
from seasoned.learning.fixes import Fixes
from seasoned.learning.hint import Hint
from seasoned.learning.hints import Hints
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Evidence
from seasoned.learning.lessons import LessonStore
from seasoned.learning.relatedness import related
from seasoned.learning.tool_records import ToolRecordStore
from seasoned.security.audit import AuditStore
from seasoned.security.redact import SECRET, cut, redacted_json, shortened


@dataclass(frozen=True, slots=True)
class EngineConfig:
    enabled: bool = True  # knowledge.enabled: learn at all
    hints: bool = True  # agent.errorCorrectionEnabled


LONGEST_MESSAGE = 4000
LONGEST_AUDITED = 500

Params = Mapping[str, Any]


class Engine:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        errors: ErrorStore,
        episodes: EpisodeStore,
        tools: ToolRecordStore,
        fixes: Fixes,
        hints: Hints,
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
        config: EngineConfig,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.errors = errors
        self.episodes = episodes
        self.tools = tools
        self.fixes = fixes
        self.hints = hints
        self.audit = audit
        self.bus = bus
        self.clock = clock
        self.config = config

    async def observe(self, call: ToolResult, scope: Scope, *, hints: bool = True) -> Hint | None:
        """Records one call and learns from it; a hint when it failed and a fix is known."""
        return (await self.observe_all([call], scope, hints=hints))[0]

    async def observe_all(
        self, calls: Sequence[ToolResult], scope: Scope, *, hints: bool = True
    ) -> list[Hint | None]:
        """The same for many calls, in one transaction."""
        if not calls or not self.config.enabled:
            return [None] * len(calls)

        async def observed(tx: Connection) -> tuple[Journal, list[Hint | None]]:
            journal = Journal(self.clock.now())
            wanted = hints and self.config.hints
            given = [
                await self.observe_within(tx, call, scope, journal, hints=wanted) for call in calls
            ]
            await self.audit.add(tx, journal.at, journal.entries)
            return journal, given

        journal, given = await transact(self.db, observed)
        journal.publish(self.bus)
        return given

    async def observe_within(
        self, tx: Connection, call: ToolResult, scope: Scope, journal: Journal, *, hints: bool
    ) -> Hint | None:
        """One call, inside the caller's transaction; the caller audits and publishes.

        Without `hints`, none is given and so none is credited: nobody would have read it.
        """
        call = _checked(call)
        params = redacted_json(call.params)
        failure = failure_of(call)
        error = None if failure is None else cut(storable(failure), LONGEST_MESSAGE)
        if error is None:
            hint = None
            await self._succeeded(tx, call, params, scope, journal)
        else:
            hint = await self._failed(tx, call, params, error, scope, journal, hints)
        at = call.at or journal.at
        await self.tools.add(tx, scope, call.tool, error is not None, call.duration_ms, at)
        kind = "tool.succeeded" if error is None else "tool.failed"
        given = hint.lesson if hint else ""  # the event is then about that lesson too
        journal.note(kind, given, _audited(call, params, error))
        journal.events.append(ToolFinished(journal.at, call, error, scope))
        return hint

    async def _succeeded(
        self, tx: Connection, call: ToolResult, params_text: str, scope: Scope, journal: Journal
    ) -> None:
        """A success repairs the open failure it is related to; to the others it is a step."""
        waiting = await self.episodes.opened(tx, scope, call.session)
        if not waiting:
            return  # no failure before it: it is not evidence
        params = _plain(params_text)
        at = call.at or journal.at
        for episode in waiting:
            step = Step(call.tool, params)
            if episode.tool != call.tool or not related(episode.params, params, episode.message):
                await self.episodes.step(tx, episode, step, at)
            elif episode.params == params and SECRET not in params_text:
                lesson = await self._learn(tx, episode, params, scope, at, journal)
                await self.episodes.resolve(tx, episode, lesson, at)
            elif episode.lesson_id is not None:
                await self.episodes.step(tx, episode, step, at)
            elif lesson := await self._learn(tx, episode, params, scope, at, journal):
                await self.episodes.settle(tx, episode, step, lesson)
            else:
                await self.episodes.resolve(tx, episode, None, at)

    async def _learn(
        self,
        tx: Connection,
        episode: Episode,
        params: Params,
        scope: Scope,
        at: int,
        journal: Journal,
    ) -> str | None:
        """The fix that this success shows; what an earlier one seemed to show is taken back."""
        if episode.lesson_id is not None:
            await self.fixes.retract(tx, episode, at, journal)
            episode = replace(episode, hint=None)
        error = await self.errors.get(tx, episode.error_id)
        trigger = error.template if error else episode.message
        lesson = await self.fixes.learn(tx, episode, params, trigger, scope, at, journal)
        return lesson.id if lesson else None

    async def _failed(
        self,
        tx: Connection,
        call: ToolResult,
        params_text: str,
        error: str,
        scope: Scope,
        journal: Journal,
        hints: bool,
    ) -> Hint | None:
        at = call.at or journal.at
        params = _plain(params_text)
        known = await self.errors.see(tx, scope, call.tool, error, at)
        await self.errors.record(tx, known, call.session, error, params_text, at)
        waiting = await self.episodes.opened(tx, scope, call.session)
        again = _same_failure(waiting, call.tool, known, params)
        if again is not None and again.lesson_id is not None:
            await self.episodes.give_up(tx, again, at)  # that was settled: this is a new failure
            again = None
        tried: tuple[str, ...] = ()
        if again is not None:
            await self._debit_hint(tx, again, at, journal)
            tried = again.failed_hints
        hint = None
        if hints:
            caller = scope.within(call.session)
            hint = await self.hints.best(tx, known, error, call.params, caller, without=tried)
        if hint is not None:
            await self.lessons.give(tx, {hint.lesson: 1}, at)
            journal.hinted(hint, call.session, call.tool)
        given = hint.lesson if hint else None
        if again is not None:
            await self.episodes.try_again(tx, again, error, params_text, given)
            return hint
        if len(waiting) >= MOST_OPEN:
            await self.episodes.give_up(tx, waiting[-1], at)
        await self.episodes.add(
            tx, scope, call.session, call.tool, known.id, error, params_text, given, at
        )
        return hint

    async def _debit_hint(
        self, tx: Connection, episode: Episode, at: int, journal: Journal
    ) -> None:
        """The same failure after a hint speaks against the hint, once per episode."""
        lesson = await self.lessons.find(tx, episode.hint) if episode.hint else None
        if lesson is not None:
            reason = "hint followed by the same failure"
            against = Evidence(at, reason, 0, 1, episode.session)
            await self.fixes.credit(tx, lesson, against, journal)


def _same_failure(
    waiting: Sequence[Episode], tool: str, error: KnownError, params: Params
) -> Episode | None:
    for episode in waiting:
        same = episode.tool == tool and episode.error_id == error.id
        if same and related(episode.params, params, episode.message):
            return episode
    return None


def _checked(call: ToolResult) -> ToolResult:
    given: Any = call.params
    if not isinstance(given, Mapping):
        call = replace(call, params={"input": given})
    tool, session = storable(call.tool.strip()[:200]), storable(call.session[:200])
    if not tool:
        raise BadInput("a tool result needs the name of its tool; pass tool=…")
    took = call.duration_ms
    if took is not None and not 0 <= took < math.inf:
        took = None  # a clock that went back, or a NaN, must not spoil the tool's record
    if tool == call.tool and session == call.session and took == call.duration_ms:
        return call
    return replace(call, tool=tool, session=session, duration_ms=took)


def _plain(params: str) -> Params:
    """Parameters as they will be compared: what JSON cannot say has become text."""
    return cast("Params", json.loads(params))


def _audited(call: ToolResult, params: str, error: str | None) -> str:
    """The event's detail as JSON, put together here because it is written at every call."""
    short = params if len(params) <= LONGEST_AUDITED else quoted(shortened(params, LONGEST_AUDITED))
    said = "" if error is None else f'"error":{quoted(shortened(error, LONGEST_AUDITED))},'
    took = "" if call.duration_ms is None else f'"ms":{float(call.duration_ms)!r},'
    names = f'"session":{quoted(call.session)},"tool":{quoted(call.tool)}'
    return f'{{{said}{took}"params":{short},{names}}}'
