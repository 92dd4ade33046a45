"""Learn from tool results: a failure opens an episode, and the success that follows shows the fix.

1. A call fails. Its error is looked up, an episode is opened, and a known fix that fits the call is
   returned at once as a `Hint`. Only misuse has a fix (see `errors.nature`): a test that fails, a
   search that finds nothing or a service that is away teach nothing about the call, and a call that
   a person refused is no error of the tool at all.
2. Other calls succeed. They are noted as steps, since one of them may be what the repair needed.
3. The same kind of call succeeds. What is different is compared with other repairs of this error
   (see `fixes.fixes`): what recurs becomes a fix. If the very same call works soon after, the
   difference did not matter, and what was learned from it is retracted.
4. The same failure comes again. If the hint that was given was followed, it loses credit and is
   not given again in this episode.

A success without a failure before it is no evidence. Agents, servers and transcript readers all
call the engine.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, cast

from seasoned.changes.relatedness import Step, are_related, is_reworded
from seasoned.changes.repair import steps_for
from seasoned.changes.single import fits
from seasoned.core.errors import BadInput, SeasonedError
from seasoned.core.events import HintGiven, ToolFinished
from seasoned.core.ids import canonical
from seasoned.core.limits import LATEST, LONGEST_DURATION_MS, is_within
from seasoned.core.messages import ToolResult
from seasoned.core.plain import plain, safe_text
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.unit import Change, Unit
from seasoned.errors.edits import edits_files
from seasoned.errors.error_store import ErrorStore, KnownError
from seasoned.errors.nature import nature_of
from seasoned.fixes.episodes import MOST_OPEN, Episode, EpisodeStore
from seasoned.fixes.expiry import Expiry
from seasoned.fixes.failure import failure_of, stop_of
from seasoned.fixes.fixes import Fixes
from seasoned.fixes.hint import Hint
from seasoned.fixes.hints import Hints
from seasoned.fixes.recollection import Recollection
from seasoned.fixes.tool_records import ToolRecordStore
from seasoned.lessons.lesson import Evidence, Lesson
from seasoned.lessons.lesson_store import repair_of
from seasoned.security.redact import SECRET, cut, redacted_json, shortened
from seasoned.security.stored import CleanText, stored_name

log = logging.getLogger("seasoned.fixes")


@dataclass(frozen=True, slots=True)
class EngineConfig:
    enabled: bool = True  # knowledge.enabled: learn at all
    hints: bool = True  # agent.errorCorrectionEnabled


LONGEST_MESSAGE = 4000
FOLLOWED_IN_VAIN = "hint followed by the same failure"
STEP_IN_VAIN = 0.25  # how much that counts against a fix of steps alone
LONGEST_AUDITED = 500

Params = Mapping[str, Any]


@dataclass(slots=True)
class CheckedCall:
    """A tool call, checked and with its secrets redacted; `error` is None if it succeeded."""

    call: ToolResult
    scope: Scope
    params_text: str
    error: str | None
    at: int
    nature: str = ""  # of the failure
    repeated: bool = False  # its error was known before this session's failure

    @property
    def params(self) -> Params:
        """Return the parameters as plain JSON values, as episodes store them."""
        return cast("Params", json.loads(self.params_text))


class Engine:
    def __init__(
        self,
        unit: Unit,
        errors: ErrorStore,
        episodes: EpisodeStore,
        tools: ToolRecordStore,
        fixes: Fixes,
        hints: Hints,
        config: EngineConfig,
    ) -> None:
        self.unit = unit
        self.lessons = fixes.lessons
        self.errors = errors
        self.episodes = episodes
        self.tools = tools
        self.fixes = fixes
        self.hints = hints
        self.config = config
        self.expiry = Expiry(fixes, errors)
        self.recollection = Recollection()

    async def observe(self, call: ToolResult, scope: Scope, *, hints: bool = True) -> Hint | None:
        """Record one call and learn from it; return a hint if it failed and a fix is known."""
        if not self.config.enabled:
            return None
        wanted = hints and self.config.hints

        async def observed(change: Change) -> Hint | None:
            return await self.observe_within(change, call, scope, hints=wanted)

        try:
            return await self.unit.change(observed)
        except SeasonedError:
            raise
        except Exception as error:  # noqa: BLE001 - values may raise anything
            call = _abbreviated(call, error)
            return await self.unit.change(observed)

    async def observe_all(
        self, calls: Sequence[ToolResult], scope: Scope, *, hints: bool = True
    ) -> list[Hint | None]:
        """Observe many calls in one transaction."""
        if not calls or not self.config.enabled:
            return [None] * len(calls)
        wanted = hints and self.config.hints

        async def observed(change: Change) -> list[Hint | None]:
            return [await self.observe_within(change, call, scope, hints=wanted) for call in calls]

        try:
            return await self.unit.change(observed)
        except SeasonedError:
            raise
        except Exception as error:  # noqa: BLE001 - values may raise anything
            calls = [_abbreviated(call, error) for call in calls]
            return await self.unit.change(observed)

    async def observe_within(
        self, change: Change, call: ToolResult, scope: Scope, *, hints: bool
    ) -> Hint | None:
        """Observe one call inside the caller's transaction.

        Without `hints` none is given, so none is credited either: nobody would have read it.
        """
        checked = _check(call, scope, change.at)
        hint = None
        if checked.error is None:
            await self._learn_from_success(change, checked)
            self.recollection.add(checked.call.session, checked.call.tool, checked.call.result)
        else:
            hint = await self._answer_failure(change, checked, checked.error, hints)
        await self._record(change, checked, hint)
        return hint

    async def _learn_from_success(self, change: Change, checked: CheckedCall) -> None:
        """Take a success as the repair of the open failure it retries, and as a step for others."""
        waiting = await self.episodes.list_open(change, checked.scope, checked.call.session)
        if not waiting:  # no failure before it: it is no evidence, except that it worked as it is
            await self.expiry.on_success(change, checked.call, checked.scope, checked.call.params)
            return
        params = checked.params
        for episode in waiting:
            await self._follow_up(change, episode, checked, params)

    async def _follow_up(
        self, change: Change, episode: Episode, checked: CheckedCall, params: Params
    ) -> None:
        tool, at = checked.call.tool, checked.at
        step = Step(tool, params)
        if not _retries(episode, tool, params):
            await self.episodes.step(change, episode, step, at)
        elif episode.params == params and SECRET not in checked.params_text:
            # The very call that failed works now: no change of it was needed.
            if episode.repaired:
                await self.fixes.retract(change, episode, at)
            lesson = None
            if not any(edits_files(step.tool, step.params) for step in episode.steps):
                lesson = await self._learn(change, episode, params, checked)
            await self.episodes.resolve(change, episode, lesson, at)
        elif episode.repaired:
            await self.episodes.step(change, episode, step, at)  # repaired before, in another way
        else:
            lesson = await self._learn(change, episode, params, checked)
            await self.episodes.settle(change, episode, step, lesson)

    async def _learn(
        self, change: Change, episode: Episode, params: Params, checked: CheckedCall
    ) -> str | None:
        """Learn the fix that this success shows."""
        error = await self.errors.get(change, episode.error_id)
        trigger = error.template if error else episode.message
        origins = self.recollection.origins(episode.session)
        self.expiry.forget()
        lesson = await self.fixes.learn(
            change, episode, params, trigger, checked.scope, checked.at, origins
        )
        return lesson.id if lesson else None

    async def _answer_failure(
        self, change: Change, checked: CheckedCall, error: str, hints: bool
    ) -> Hint | None:
        """Count the error, open or continue its episode, and find a hint."""
        call, scope, at = checked.call, checked.scope, checked.at
        params = checked.params
        nature = checked.nature = stop_of(call) or nature_of(error, params)
        if nature in ("refused", "cancelled"):
            return None
        known = await self.errors.see(change, scope, call.tool, error, at)
        if known.seen > 1:
            await self.expiry.on_error(change, known.id)
        await self.errors.record(change, known, call.session, error, checked.params_text, at)
        waiting = await self.episodes.list_open(change, scope, call.session)
        again = _same_failure(waiting, call.tool, known, params)
        if again is not None and again.repaired:  # settled: this is a new failure
            await self.episodes.give_up(change, again, at)
            again = None
        if again is not None and not await self._debit_hint(change, again, checked):
            again = replace(again, hint=None)  # nobody followed it: it may be given again
        checked.repeated = again is None and known.seen > 1
        tried = again.failed_hints if again is not None else ()
        inferred = nature == "misuse"
        hint = None
        if hints:
            hint = await self._give_hint(change, checked, known, error, tried, inferred=inferred)
        if not inferred:
            return hint
        given = hint.lesson if hint else None
        if again is not None:
            await self.episodes.try_again(change, again, error, checked.params_text, given)
            return hint
        if len(waiting) >= MOST_OPEN:
            await self.episodes.give_up(change, waiting[-1], at)
        failed = (call.session, call.tool, known.id, error, checked.params_text)
        await self.episodes.add(change, scope, *failed, given, at)
        return hint

    async def _debit_hint(self, change: Change, episode: Episode, checked: CheckedCall) -> bool:
        """Count the same failure after a hint against the hint; tell whether it was followed."""
        lesson = await self.lessons.find(change, episode.hint) if episode.hint else None
        if lesson is None or not _followed(lesson, episode, checked):
            return False
        # A step leaves the call to the agent, which may have erred in another way.
        repair = repair_of(lesson)
        weight = STEP_IN_VAIN if repair is not None and not repair.edits else 1.0
        evidence = Evidence(checked.at, FOLLOWED_IN_VAIN, 0, weight, episode.session)
        await self.fixes.credit(change, lesson, evidence)
        return True

    async def _give_hint(
        self,
        change: Change,
        checked: CheckedCall,
        known: KnownError,
        error: str,
        tried: tuple[str, ...],
        *,
        inferred: bool,
    ) -> Hint | None:
        """Find the best hint that was not tried before, and count it as given."""
        call = checked.call
        caller = checked.scope.within(call.session)
        hint = await self.hints.best(
            *(change, known, error, _suggestible(checked), caller),
            without=tried,
            inferred=inferred,
            results=partial(self.recollection.latest, call.session),
        )
        if hint is not None:
            await self.lessons.give(change, {(hint.lesson, caller): 1}, checked.at)
            told = HintGiven(change.at, hint.lesson, call.session, call.tool, checked.scope)
            change.tell(told)
        return hint

    async def _record(self, change: Change, checked: CheckedCall, hint: Hint | None) -> None:
        """Update the tool's record, audit the call and publish it."""
        call, error = checked.call, checked.error
        failed = error is not None
        await self.tools.add(change, checked.scope, call.tool, failed, call.duration_ms, checked.at)
        kind = "tool.failed" if failed else "tool.succeeded"
        subject = hint.lesson if hint else ""  # the entry is then about that lesson too
        change.record(kind, subject, _audit_detail(checked))
        change.tell(
            ToolFinished(change.at, call, error, checked.scope, checked.nature, checked.repeated)
        )


def _suggestible(checked: CheckedCall) -> Params:
    """Return the parameters as they were given, or as they are stored if JSON cannot tell them."""
    try:
        canonical(checked.call.params)
    except (TypeError, ValueError, RecursionError):
        return checked.params
    return checked.call.params


def _retries(episode: Episode, tool: str, params: Params) -> bool:
    if episode.tool != tool:
        return False
    return are_related(episode.params, params, episode.message) or is_reworded(
        episode.params, params, episode.message
    )


def _followed(lesson: Lesson, episode: Episode, checked: CheckedCall) -> bool:
    """Tell whether a call did what the hint said; of words alone nobody can tell, so it did."""
    repair = repair_of(lesson)
    if repair is None or checked.error is None:
        return True
    if repair.edits:
        return not fits(replace(repair, steps=()), checked.params, checked.error)
    wanted = steps_for(repair, episode.params, episode.message) or ()
    return all(
        any(
            step.tool == taken.tool and step.params.items() <= taken.params.items()
            for taken in episode.steps
        )
        for step in wanted
    )


def _same_failure(
    waiting: Sequence[Episode], tool: str, error: KnownError, params: Params
) -> Episode | None:
    for episode in waiting:
        if episode.error_id == error.id and _retries(episode, tool, params):
            return episode
    return None


def _check(call: ToolResult, scope: Scope, now: int) -> CheckedCall:
    call = _sanitise(call)
    failure = failure_of(call)
    error = None if failure is None else CleanText(cut(storable(failure), LONGEST_MESSAGE))
    params = CleanText(redacted_json(call.params))
    return CheckedCall(call, scope, params, error, call.at or now)


def _abbreviated(call: ToolResult, why: Exception) -> ToolResult:
    """Return the call with values that can be followed and written, so that it is recorded."""
    log.info("a call of %s is recorded abbreviated: %s", call.tool, type(why).__name__)
    error = None if call.error is None else safe_text(call.error)
    return replace(call, params=plain(call.params), result=plain(call.result), error=error)


def _sanitise(call: ToolResult) -> ToolResult:
    given: Any = call.params
    if not isinstance(given, Mapping):
        call = replace(call, params={"input": given})
    tool, session = stored_name(call.tool.strip()), stored_name(call.session)
    if not tool:
        raise BadInput("a tool result needs the name of its tool; pass tool=…")
    took = call.duration_ms
    if took is not None and not is_within(took, 0, LONGEST_DURATION_MS):
        took = None  # a NaN, or a clock set back, must not spoil the tool's record
    at = call.at if call.at is None or is_within(call.at, 0, LATEST) else None
    if (tool, session, took, at) == (call.tool, call.session, call.duration_ms, call.at):
        return call
    return replace(call, tool=tool, session=session, duration_ms=took, at=at)


def _audit_detail(checked: CheckedCall) -> str:
    """Build the audit detail as JSON by hand, because every call needs one."""
    call, params, error = checked.call, checked.params_text, checked.error
    short = params if len(params) <= LONGEST_AUDITED else quoted(shortened(params, LONGEST_AUDITED))
    said = "" if error is None else f'"error":{quoted(shortened(error, LONGEST_AUDITED))},'
    took = "" if call.duration_ms is None else f'"ms":{float(call.duration_ms)!r},'
    names = f'"session":{quoted(call.session)},"tool":{quoted(call.tool)}'
    return CleanText(f'{{{said}{took}"params":{short},{names}}}')
