"""When a fix fares well or badly, the fixes of similar errors are believed a little more, or less.

One step far: what a neighbour gets is not passed on again. A statement of a person is never moved
by it, a fix that does something else is left alone, and nobody borrows more than they have seen.
"""

from dataclasses import dataclass

from seasoned.db.database import Connection
from seasoned.graph.propagate import LEAST, Standing, moved, share
from seasoned.learning.change import Change
from seasoned.learning.change_agreed import agreed
from seasoned.learning.confidence import Belief
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Evidence, Lesson
from seasoned.learning.lessons import LessonStore, change_of
from seasoned.learning.loans import BORROWED, RETURNED, LoanStore


@dataclass(frozen=True, slots=True)
class PropagationConfig:
    rate: float = 0.3  # graph.propagationRate
    hint_confidence: float = 0.7  # agent.autoApplyConfidence: from here on a fix is active
    most_receivers: int = 32  # of one change: the fixes of the errors that are most alike


class Propagation:
    def __init__(self, lessons: LessonStore, config: PropagationConfig) -> None:
        self.loans = LoanStore(lessons)
        self.config = config

    async def begin(self, tx: Connection) -> None:
        """Before the first fix of a transaction is changed."""
        await self.loans.begin(tx)

    async def spread(
        self, tx: Connection, giver: Lesson, evidence: Evidence, journal: Journal
    ) -> None:
        """Passes on what this evidence has changed about a fix; it has been added already."""
        if evidence.worked + evidence.failed < 0:
            await self._settle(tx, giver, evidence, journal)
        delta = giver.confidence - _before(giver, evidence).confidence
        if giver.fix is None or not delta or not self.config.rate:
            return
        found = await self.loans.receivers(tx, giver.fix.error_id, self.config.most_receivers)
        change = change_of(giver)
        willing = [
            (lesson, alike)
            for lesson, alike in found
            if giver.scope.reaches(lesson.scope) and not contradicts(lesson, change)
        ]
        if not willing:
            return
        standings = await self.loans.standings(tx, [lesson for lesson, _ in willing])
        for lesson, alike in sorted(willing, key=lambda pair: pair[0].id):
            standing = standings[lesson.id]
            after = moved(standing, share(delta, alike, self.config.rate))
            if abs(after.confidence - standing.confidence) >= LEAST:
                loan = _loan(standing, after, BORROWED, f"fix {giver.id}", evidence.at)
                await self._lend(tx, lesson, loan, journal)

    async def _settle(
        self, tx: Connection, lesson: Lesson, evidence: Evidence, journal: Journal
    ) -> None:
        """Its own evidence became less: what it has borrowed beyond that goes back."""
        standing = (await self.loans.standings(tx, [lesson]))[lesson.id]
        if surplus := standing.surplus:
            own = (standing.worked, standing.failed, standing.seen)
            after = Standing(*own, standing.borrowed - surplus)
            loan = _loan(standing, after, RETURNED, "", evidence.at)
            await self._lend(tx, lesson, loan, journal)

    async def _lend(self, tx: Connection, lesson: Lesson, loan: Evidence, journal: Journal) -> None:
        after = lesson.belief.plus(loan.worked, loan.failed)
        status = lesson.status_with(after, self.config.hint_confidence)
        changed = await self.loans.lend(tx, lesson, loan, status, journal.at)
        journal.changed(lesson, changed, loan.reason)


def contradicts(fix: Lesson, change: Change | None) -> bool:
    """Whether a fix does something else than this; what is told in words contradicts nothing."""
    own = change_of(fix)
    return own is not None and change is not None and agreed(own, change) is None


def _before(lesson: Lesson, evidence: Evidence) -> Belief:
    return lesson.belief.plus(-evidence.worked, -evidence.failed)


def _loan(before: Standing, after: Standing, reason: str, quote: str, at: int) -> Evidence:
    worked, failed = (now - was for now, was in zip(after.counts, before.counts, strict=True))
    return Evidence(at, reason, worked, failed, quote=quote)
