"""Learns from what users said: each case becomes a rule, evidence for a known rule, or nothing.

Corrections and, with a model, the messages that wait for its judgement are taken together, several
at a time. A failed case stays in its queue with its error and is retried later, in the end by
itself, so that one that breaks an answer holds up no other. The outcome is written in the same
transaction as the rule, so a killed process neither loses nor doubles a case.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from seasoned.core.clock import DAY
from seasoned.core.errors import BudgetSpent, ModelError, ModelUnavailable, SeasonedError
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.unit import Change, Unit
from seasoned.lessons.lesson import Lesson, Polarity
from seasoned.rules.analyst import Analyst
from seasoned.rules.case import Case, Judgement, NoRule, RuleDraft
from seasoned.rules.case_store import ORDINARY, CaseStore
from seasoned.rules.examples import Examples, checked_example
from seasoned.rules.exchanges import ExchangeStore
from seasoned.rules.pending import ClaimedCase, Pending
from seasoned.rules.rules import RuleOrigin, Rules
from seasoned.rules.sharing import Sharing

log = logging.getLogger("seasoned.learner")

Outcome = Literal["learned", "strengthened", "no rule", "failed"]
LEARNED_BEFORE = "it was learned from before"
NOTHING_SAID = "nothing was said; it holds in its session at most"
ALL = 1_000_000
EXCHANGE_AGE = 30 * DAY  # the last exchange of a session is kept so long
PROVISIONAL_AGE = 7 * DAY  # a provisional rule is kept so long once its case was learned
ALONE_FROM = 2  # failed attempts, after which a case is judged by itself
ANALYSIS_SECONDS = 600.0  # timeout; shorter than the lease on a case
SURE = 0.8  # from this score on, the corrected reply becomes a negative example
PRAISED = 0.7  # from this confidence on, the praised reply becomes a positive one
ONE_OFF = "it was said for this session alone"
FORGOTTEN = "its user has forgotten it since"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The outcome of learning from one case.

    `corrects` says whether it blames the reply; `sentence` is what was read in it, kept or not.
    """

    case: Case
    outcome: Outcome
    rule: Lesson | None = None
    reason: str = ""
    by: str = ""
    corrects: bool = True
    sentence: str = ""

    @property
    def ordinary(self) -> bool:
        """Whether a model found that there is nothing in it."""
        return self.case.kind == ORDINARY and self.outcome == "no rule"


class Learner:
    def __init__(
        self,
        unit: Unit,
        pending: Pending,
        cases: CaseStore,
        rules: Rules,
        examples: Examples,
        analyst: Analyst,
        remarks: Pending | None = None,
        counts: Callable[[str], bool] | None = None,
    ) -> None:
        self.unit = unit
        self.pending = pending
        self.cases = cases
        self.rules = rules
        self.examples = examples
        self.analyst = analyst
        self.remarks = remarks
        self.exchanges = ExchangeStore()
        self.sharing = Sharing(rules, counts)

    def work(self, most: int) -> int:
        """Learn from up to so many cases in the worker's thread; return how many."""
        done = self.unit.db.run(self._learn(most))
        self.unit.drive(self.unit.change(self.tidy))
        return len(done)

    async def tidy(self, change: Change) -> None:
        """Delete old exchanges and outlived provisional rules."""
        await self.exchanges.drop(change, change.at - EXCHANGE_AGE)
        await self.cases.let_go(change, change.at - PROVISIONAL_AGE)
        for rule in await self.rules.lessons.rules.expired_provisional(
            change, change.at - PROVISIONAL_AGE
        ):
            await self.rules.lessons.remove(change, rule, None)

    async def learn(
        self, most: int = ALL, tell: Callable[[CaseResult], None] | None = None
    ) -> Sequence[CaseResult]:
        """Learn from the cases that are due; `tell` gets each result, but no ordinary message."""
        return [one for one in await self._learn(most, tell) if not one.ordinary]

    async def _learn(
        self, most: int, tell: Callable[[CaseResult], None] | None = None
    ) -> list[CaseResult]:
        results: list[CaseResult] = []
        while len(results) < most:
            claimed = await self._claim(min(most - len(results), self.analyst.together))
            if not claimed:
                break
            together = [one for one in claimed if one.item.attempts < ALONE_FROM]
            alone = [one for one in claimed if one.item.attempts >= ALONE_FROM]
            for batch in (together, *([one] for one in alone)):
                for result in await self._learn_claimed(batch):
                    results.append(result)
                    if tell and not result.ordinary:
                        tell(result)
        return results

    async def _claim(self, most: int) -> Sequence[ClaimedCase]:
        """Claim corrections first, then what else waits for a model, in the order it was said."""
        now = self.unit.now()
        claimed = list(await self.pending.claim(most, now))
        if self.remarks is not None and len(claimed) < most:
            claimed += await self.remarks.claim(most - len(claimed), now)
        return sorted(claimed, key=lambda one: (one.case.at, one.case.id))

    async def _learn_claimed(self, batch: Sequence[ClaimedCase]) -> list[CaseResult]:
        """Judge these cases together, and store the result of each by itself."""
        if not batch:
            return []
        try:
            judged = await self._judge([one.case for one in batch])
        except SeasonedError as error:
            return [await self._failed(one, str(error)) for one in batch]
        except Exception as error:  # cases that break the analyst must not stop the others
            log.exception("the analysis of %s failed", ", ".join(one.case.id for one in batch))
            return [await self._failed(one, f"{type(error).__name__}: {error}") for one in batch]
        return [
            await self._finish(one, verdict) for one, verdict in zip(batch, judged, strict=True)
        ]

    async def _finish(self, claimed: ClaimedCase, verdict: Judgement | ModelError) -> CaseResult:
        if isinstance(verdict, ModelError):
            return await self._failed(claimed, str(verdict))
        try:
            result = await self.settle(claimed.case, verdict, self.analyst.name, claimed.pending)
        except SeasonedError as error:
            return await self._failed(claimed, str(error))
        except Exception as error:
            log.exception("the outcome of %s was not stored", claimed.case.id)
            return await self._failed(claimed, f"{type(error).__name__}: {error}")
        await claimed.pending.queue.finish(claimed.case.id)
        return result

    async def _failed(self, claimed: ClaimedCase, reason: str) -> CaseResult:
        await claimed.pending.fail(claimed.item, reason, self.unit.now())
        return CaseResult(
            claimed.case, "failed", reason=reason, by=self.analyst.name, corrects=False
        )

    async def learn_from(self, case: Case) -> CaseResult:
        """Learn from a case that is not in the queue; queue it if the model fails."""
        try:
            (verdict,) = await self._judge([case])
            if isinstance(verdict, ModelError):
                raise verdict
            return await self.settle(case, verdict, self.analyst.name)
        except (ModelError, BudgetSpent) as error:
            await self.pending.push(case, self.unit.now())
            return CaseResult(case, "failed", reason=str(error), by=self.analyst.name)

    async def _judge(self, cases: Sequence[Case]) -> Sequence[Judgement | ModelError]:
        """Judge the cases that were not judged before."""
        async with self.unit.read() as tx:
            known = [case.id for case in cases if await self.cases.is_known(tx, case.id)]
        told = {one: Judgement(NoRule(LEARNED_BEFORE), corrects=False) for one in known}
        wordless = [case.id for case in cases if not case.message.strip()]
        told |= {one: Judgement(NoRule(NOTHING_SAID), corrects=True) for one in wordless}
        new = [case for case in cases if case.id not in told]
        asked = zip((case.id for case in new), await self._ask(new), strict=True)
        judged: dict[str, Judgement | ModelError] = {**dict(asked), **told}
        return [judged[case.id] for case in cases]

    async def _ask(self, cases: Sequence[Case]) -> Sequence[Judgement | ModelError]:
        if not cases:
            return []
        if not self.analyst.slow:
            return self.analyst(cases)
        try:
            return await wait_for(run_in_thread(self.analyst, cases), ANALYSIS_SECONDS)
        except TimeoutError as error:
            raise ModelUnavailable(
                f"{self.analyst.name} gave no rule within {ANALYSIS_SECONDS:.0f} s"
            ) from error

    async def settle(
        self, case: Case, judged: Judgement, by: str, queue: Pending | None = None
    ) -> CaseResult:
        """Store the result of an analysis, once; `queue` is where the case waits."""
        case = _named(case, judged)

        async def store(change: Change) -> CaseResult:
            if queue and not await queue.queue.finish_within(change, case.id):
                return CaseResult(case, "no rule", reason="another worker had it", by=by)
            if not await self.cases.take(change, case, by, change.at):
                return CaseResult(case, "no rule", reason=LEARNED_BEFORE, by=by)
            provisional = await self.rules.lessons.rules.provisional(change, case.id)
            result = await self._save(change, case, judged, by, provisional)
            # A rule that took the place of a provisional one holds in its session as that did.
            await self.cases.settle(
                *(change, case.id, result.outcome, result.rule and result.rule.id, result.reason),
                holds=bool(provisional),
            )
            change.record("correction.analysed", case.id, {"outcome": result.outcome, "by": by})
            return result

        await self.rules.prepare(*([judged.draft] if isinstance(judged.draft, RuleDraft) else ()))
        return await self.unit.change(store)

    async def _save(
        self,
        change: Change,
        case: Case,
        judged: Judgement,
        by: str,
        provisional: Sequence[Lesson],
    ) -> CaseResult:
        """Save the rule of a case, unless there is none or it was meant for one session."""
        draft, corrects = judged.draft, judged.corrects
        if judged.praise and not corrects and judged.confidence >= PRAISED:
            await self._add_example(change, case, "positive")
        if isinstance(draft, NoRule):
            if not corrects and draft.reason != LEARNED_BEFORE:
                await self._drop_provisional(change, case)
            return CaseResult(case, "no rule", reason=draft.reason, by=by, corrects=corrects)
        if any(rule.status == "retired" for rule in provisional):
            return CaseResult(case, "no rule", reason=FORGOTTEN, by=by, corrects=corrects)
        if "session" in (draft.duration, case.reach):
            await self._hold_in_session(change, case, draft)
            return CaseResult(
                case, "no rule", None, ONE_OFF, by, corrects=corrects, sentence=draft.description
            )
        origin = RuleOrigin(session=case.scope.session, exchange=case.exchange())
        if self.rules.will_hold(draft, origin):
            for rule in provisional:  # one row a rule, under the id that people know it by
                await self.rules.lessons.remove(change, rule, None)
                origin = replace(origin, replaces=rule.id)
        saved = await self.rules.save(change, draft, case.rule_scope, origin)
        if shared := await self.sharing.on_said(change, saved.rule):
            saved = replace(saved, rule=shared)
        if corrects and case.score >= SURE:
            await self._add_example(change, case, "negative", saved.rule.id)
        outcome: Outcome = "learned" if saved.is_new else "strengthened"
        return CaseResult(
            case, outcome, saved.rule, "", by, corrects=corrects, sentence=draft.description
        )

    async def _hold_in_session(self, change: Change, case: Case, draft: RuleDraft) -> None:
        """Let what a model found hold in its session; the grammar's words hold there already."""
        known = await self.rules.lessons.rules.provisional(change, case.id)
        if known or not case.scope.session or not self.analyst.slow:
            return
        origin = RuleOrigin(session=case.scope.session, reason=ONE_OFF, provisional_of=case.id)
        await self.rules.save(change, replace(draft, trigger=""), case.scope, origin)

    async def _drop_provisional(self, change: Change, case: Case) -> None:
        """Take back what held at once, since the message corrects nothing."""
        for rule in await self.rules.lessons.rules.provisional(change, case.id):
            await self.rules.lessons.remove(change, rule, None)

    async def _add_example(
        self, change: Change, case: Case, polarity: Polarity, rule: str | None = None
    ) -> None:
        """Add the reply as an example of how to answer its request, or how not to."""
        if case.request.strip() and case.reply.strip():
            example = checked_example(case.request, case.reply, polarity, case.message)
            example = replace(example, rule=rule)
            await self.examples.add_within(change, example, case.rule_scope, "user")


def _named(case: Case, judged: Judgement) -> Case:
    """Name a case by what it turned out to be."""
    lasting = isinstance(judged.draft, RuleDraft) and judged.draft.duration == "lasting"
    unknown = case.kind == ORDINARY
    if judged.corrects:
        return replace(case, kind="judged", score=judged.confidence) if unknown else case
    if lasting:
        return replace(case, kind="wish", score=judged.confidence)
    return case if unknown else replace(case, kind="refuted")
