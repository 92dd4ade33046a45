"""Learns from the corrections that wait: each becomes a rule, more evidence for one, or none.

Whatever fails stays pending, with its error, and is tried again later. What is done is written in
the same transaction as the rule, so that a process that is killed neither loses nor doubles one.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from seasoned.core.bus import Bus
from seasoned.core.clock import DAY, Clock
from seasoned.core.errors import BudgetSpent, ModelError, ModelUnavailable, SeasonedError
from seasoned.core.scope import Scope
from seasoned.core.waiting import begun, waited
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.analyst import Analyst
from seasoned.learning.case_store import CaseStore
from seasoned.learning.examples import Examples, checked
from seasoned.learning.exchanges import ExchangeStore
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Lesson
from seasoned.learning.pending import Claimed, Pending
from seasoned.learning.rulebook import reach_of
from seasoned.learning.rules import Rules, Saying
from seasoned.rules.case import Case
from seasoned.rules.rule import NoRule, RuleDraft
from seasoned.security.audit import AuditStore

log = logging.getLogger("seasoned.learner")

Outcome = Literal["learned", "strengthened", "no rule", "failed"]
BEFORE = "it was learned from before"
ALL = 1_000_000
REMEMBERED = 30 * DAY  # the last exchange of a session
PROVISIONAL = 7 * DAY  # a rule of one session, once what it stood for was learned
LONGEST_SECONDS = 600.0  # for one analysis; shorter than the lease on a case
SURE = 0.8  # from which score a corrected reply is shown as one not to be given


@dataclass(frozen=True, slots=True)
class Learned:
    """What became of one correction."""

    case: Case
    outcome: Outcome
    rule: Lesson | None = None
    reason: str = ""
    by: str = ""


class Learner:
    def __init__(
        self,
        db: Database,
        pending: Pending,
        cases: CaseStore,
        rules: Rules,
        examples: Examples,
        exchanges: ExchangeStore,
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
        analyst: Analyst,
    ) -> None:
        self.db = db
        self.pending = pending
        self.cases = cases
        self.rules = rules
        self.examples = examples
        self.exchanges = exchanges
        self.audit = audit
        self.bus = bus
        self.clock = clock
        self.analyst = analyst

    def work(self, most: int) -> int:
        """Learns from up to so many; how many it took up. Runs in the worker's thread."""
        done = self.db.run(self.learn(most))
        self.db.run(transact(self.db, self.tidy))
        self.bus.deliver()
        return len(done)

    async def tidy(self, tx: Connection) -> None:
        """Drops what only old sessions had use for."""
        now = self.clock.now()
        await self.exchanges.drop(tx, now - REMEMBERED)
        for rule in await self.rules.lessons.rules.outlived(tx, now - PROVISIONAL):
            await self.rules.lessons.remove(tx, rule)

    async def learn(
        self, most: int = ALL, tell: Callable[[Learned], None] | None = None
    ) -> Sequence[Learned]:
        """Takes up what is due, one by one, and says what became of each."""
        results: list[Learned] = []
        while len(results) < most:
            claimed = await self.pending.claim(1, self.clock.now())
            if not claimed:
                break
            results.append(await self._learned(claimed[0]))
            if tell:
                tell(results[-1])
        return results

    async def _learned(self, claimed: Claimed) -> Learned:
        case = claimed.case
        try:
            made = await self._analysed(case)
            result = await self.settle(case, made, self.analyst.name, queued=True)
        except SeasonedError as error:
            await self.pending.fail(claimed.item, str(error), self.clock.now())
            return Learned(case, "failed", reason=str(error), by=self.analyst.name)
        except Exception as error:  # one case that breaks the analyst must not stop the others
            log.exception("the analysis of correction %s failed", case.id)
            reason = f"{type(error).__name__}: {error}"
            await self.pending.fail(claimed.item, reason, self.clock.now())
            return Learned(case, "failed", reason=reason, by=self.analyst.name)
        await self.pending.queue.finish(case.id)
        return result

    async def learn_from(self, case: Case) -> Learned:
        """Learns from a correction that is not in the queue; if that fails, it goes there."""
        try:
            made = await self._analysed(case)
            return await self.settle(case, made, self.analyst.name, queued=False)
        except (ModelError, BudgetSpent) as error:
            await self.pending.push(case, self.clock.now())
            return Learned(case, "failed", reason=str(error), by=self.analyst.name)

    async def _analysed(self, case: Case) -> RuleDraft | NoRule:
        async with self.db.read() as tx:
            known = await self.cases.is_known(tx, case.id)
        if known:
            return NoRule(BEFORE)
        if not self.analyst.slow:
            return self.analyst(case)
        try:
            return await waited(begun(self.analyst, case), LONGEST_SECONDS)
        except TimeoutError as error:
            raise ModelUnavailable(
                f"{self.analyst.name} gave no rule within {LONGEST_SECONDS:.0f} s"
            ) from error

    async def settle(
        self, case: Case, made: RuleDraft | NoRule, by: str, *, queued: bool
    ) -> Learned:
        """Stores what an analysis made of a correction, once."""
        now = self.clock.now()

        async def settled(tx: Connection) -> tuple[Journal, Learned]:
            journal = Journal(now)
            if queued and not await self.pending.queue.finish_within(tx, case.id):
                return journal, Learned(case, "no rule", reason="another worker had it", by=by)
            if not await self.cases.take(tx, case, by, now):
                return journal, Learned(case, "no rule", reason=BEFORE, by=by)
            result = await self._stored(tx, case, made, by, journal)
            await self.cases.settle(
                tx, case.id, result.outcome, result.rule and result.rule.id, result.reason
            )
            detail = {"outcome": result.outcome, "by": by}
            journal.write("correction.analysed", case.id, detail)
            await self.audit.add(tx, now, journal.entries)
            return journal, result

        await self.rules.ready(*([made] if isinstance(made, RuleDraft) else ()))
        journal, result = await transact(self.db, settled)
        journal.publish(self.bus)
        return result

    async def _stored(
        self,
        tx: Connection,
        case: Case,
        made: RuleDraft | NoRule,
        by: str,
        journal: Journal,
    ) -> Learned:
        if isinstance(made, NoRule):
            return Learned(case, "no rule", reason=made.reason, by=by)
        if "session" in (made.reach, case.reach):
            return Learned(case, "no rule", reason="it was said for this session alone", by=by)
        saved = await self.rules.save(
            tx,
            replace(made, confidence=min(made.confidence, case.score)),
            lasting(case),
            Saying(session=case.scope.session),
            journal,
        )
        await self.rules.reword_provisional(tx, case, saved.rule, journal.at)
        await self._shown(tx, case, saved.rule, journal)
        outcome: Outcome = "learned" if saved.is_new else "strengthened"
        return Learned(case, outcome, saved.rule, by=by)

    async def _shown(self, tx: Connection, case: Case, rule: Lesson, journal: Journal) -> None:
        """What was corrected is a bad example of how to answer that request."""
        if case.request.strip() and case.reply.strip() and case.score >= SURE:
            shown = checked(case.request, case.reply, "negative", case.message)
            shown = replace(shown, rule=rule.id)
            await self.examples.add_within(tx, shown, lasting(case), "user", journal)


def lasting(case: Case) -> Scope:
    """Whom a rule is for: as was chosen, else for whoever said it, in this project."""
    return reach_of(case.reach, case.scope) if case.reach else case.scope.within("")
