"""Learns from queued corrections: each becomes a rule, evidence for a known rule, or nothing.

A failed case stays in the queue with its error and is retried later. The outcome is written in the
same transaction as the rule, so a killed process neither loses nor doubles a case.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from seasoned.core.clock import DAY
from seasoned.core.errors import BudgetSpent, ModelError, ModelUnavailable, SeasonedError
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.unit import Change, Unit
from seasoned.lessons.lesson import Lesson
from seasoned.rules.analyst import Analyst
from seasoned.rules.case import Case, NoRule, RuleDraft
from seasoned.rules.case_store import CaseStore
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
ANALYSIS_SECONDS = 600.0  # timeout; shorter than the lease on a case
SURE = 0.8  # from this score on, the corrected reply becomes a negative example


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The outcome of learning from one correction."""

    case: Case
    outcome: Outcome
    rule: Lesson | None = None
    reason: str = ""
    by: str = ""


class Learner:
    def __init__(
        self,
        unit: Unit,
        pending: Pending,
        cases: CaseStore,
        rules: Rules,
        examples: Examples,
        analyst: Analyst,
    ) -> None:
        self.unit = unit
        self.pending = pending
        self.cases = cases
        self.rules = rules
        self.examples = examples
        self.analyst = analyst
        self.exchanges = ExchangeStore()
        self.sharing = Sharing(rules)

    def work(self, most: int) -> int:
        """Learn from up to so many cases in the worker's thread; return how many."""
        done = self.unit.db.run(self.learn(most))
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
        """Learn from the cases that are due, one by one; `tell` gets each result."""
        results: list[CaseResult] = []
        while len(results) < most:
            claimed = await self.pending.claim(1, self.unit.now())
            if not claimed:
                break
            results.append(await self._learn_claimed(claimed[0]))
            if tell:
                tell(results[-1])
        return results

    async def _learn_claimed(self, claimed: ClaimedCase) -> CaseResult:
        case = claimed.case
        try:
            draft = await self._analyse(case)
            result = await self.settle(case, draft, self.analyst.name, queued=True)
        except SeasonedError as error:
            await self.pending.fail(claimed.item, str(error), self.unit.now())
            return CaseResult(case, "failed", reason=str(error), by=self.analyst.name)
        except Exception as error:  # a case that breaks the analyst must not stop the others
            log.exception("the analysis of correction %s failed", case.id)
            reason = f"{type(error).__name__}: {error}"
            await self.pending.fail(claimed.item, reason, self.unit.now())
            return CaseResult(case, "failed", reason=reason, by=self.analyst.name)
        await self.pending.queue.finish(case.id)
        return result

    async def learn_from(self, case: Case) -> CaseResult:
        """Learn from a case that is not in the queue; queue it if the model fails."""
        try:
            draft = await self._analyse(case)
            return await self.settle(case, draft, self.analyst.name, queued=False)
        except (ModelError, BudgetSpent) as error:
            await self.pending.push(case, self.unit.now())
            return CaseResult(case, "failed", reason=str(error), by=self.analyst.name)

    async def _analyse(self, case: Case) -> RuleDraft | NoRule:
        async with self.unit.read() as tx:
            known = await self.cases.is_known(tx, case.id)
        if known:
            return NoRule(LEARNED_BEFORE)
        if not case.message.strip():
            return NoRule(NOTHING_SAID)
        if not self.analyst.slow:
            return self.analyst(case)
        try:
            return await wait_for(run_in_thread(self.analyst, case), ANALYSIS_SECONDS)
        except TimeoutError as error:
            raise ModelUnavailable(
                f"{self.analyst.name} gave no rule within {ANALYSIS_SECONDS:.0f} s"
            ) from error

    async def settle(
        self, case: Case, draft: RuleDraft | NoRule, by: str, *, queued: bool
    ) -> CaseResult:
        """Store the result of an analysis, once."""

        async def store(change: Change) -> CaseResult:
            if queued and not await self.pending.queue.finish_within(change, case.id):
                return CaseResult(case, "no rule", reason="another worker had it", by=by)
            if not await self.cases.take(change, case, by, change.at):
                return CaseResult(case, "no rule", reason=LEARNED_BEFORE, by=by)
            provisional = await self.rules.lessons.rules.provisional(change, case.id)
            result = await self._save(change, case, draft, by, provisional)
            # A rule that took the place of a provisional one holds in its session as that did.
            await self.cases.settle(
                *(change, case.id, result.outcome, result.rule and result.rule.id, result.reason),
                holds=bool(provisional),
            )
            change.record("correction.analysed", case.id, {"outcome": result.outcome, "by": by})
            return result

        await self.rules.prepare(*([draft] if isinstance(draft, RuleDraft) else ()))
        return await self.unit.change(store)

    async def _save(
        self,
        change: Change,
        case: Case,
        draft: RuleDraft | NoRule,
        by: str,
        provisional: Sequence[Lesson],
    ) -> CaseResult:
        """Save the rule of a case, unless there is none or it was meant for one session."""
        if isinstance(draft, NoRule):
            return CaseResult(case, "no rule", reason=draft.reason, by=by)
        if "session" in (draft.duration, case.reach):
            return CaseResult(case, "no rule", reason="it was said for this session alone", by=by)
        draft = replace(draft, confidence=min(draft.confidence, case.score))
        origin = RuleOrigin(session=case.scope.session, exchange=case.exchange())
        if self.rules.will_hold(draft, origin):
            for rule in provisional:  # one row a rule, under the id that people know it by
                await self.rules.lessons.remove(change, rule, None)
                origin = replace(origin, replaces=rule.id)
        saved = await self.rules.save(change, draft, case.rule_scope, origin)
        if shared := await self.sharing.on_said(change, saved.rule):
            saved = replace(saved, rule=shared)
        await self._add_negative_example(change, case, saved.rule)
        outcome: Outcome = "learned" if saved.is_new else "strengthened"
        return CaseResult(case, outcome, saved.rule, by=by)

    async def _add_negative_example(self, change: Change, case: Case, rule: Lesson) -> None:
        """Add the corrected reply as an example of how not to answer its request."""
        if case.request.strip() and case.reply.strip() and case.score >= SURE:
            example = checked_example(case.request, case.reply, "negative", case.message)
            example = replace(example, rule=rule.id)
            await self.examples.add_within(change, example, case.rule_scope, "user")
