"""Pass credit on: when a fix does well or badly, fixes of similar errors gain or lose some belief.

Credit travels one step: a neighbour does not pass it on. It never changes what a person taught or a
fix that does something else, and no fix borrows more than it has seen itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.changes.agreement import common_repair
from seasoned.changes.repair import Repair
from seasoned.db.database import Connection
from seasoned.db.unit import Change
from seasoned.graph.propagate import (
    LEAST,
    FixCounts,
    move_confidence,
    share,
)
from seasoned.lessons.lesson import ACTIVE_FROM, PRIOR, Belief, Evidence, Lesson, Status
from seasoned.lessons.lesson_store import LessonStore, repair_of
from seasoned.lessons.reader import COLUMNS, lesson_from

BORROWED = "borrowed from a fix of a similar error"
RETURNED = "gave back what it had borrowed beyond its own evidence"
LENDING_LOCK = 0x5EA50EE  # any number, the same in every process


class LoanStore:
    """Reads and writes the borrowed rows of `evidence`: one per giver and receiver."""

    def __init__(self, lessons: LessonStore) -> None:
        self.lessons = lessons
        self._locks = lessons.db.dialect == "postgres"

    async def begin(self, tx: Connection) -> None:
        """Let one transaction at a time lend and borrow.

        Two that give to each other would deadlock. SQLite has one writer anyway.
        """
        if self._locks:
            await tx.fetch("SELECT pg_advisory_xact_lock(?)", (LENDING_LOCK,))

    async def receivers(
        self, tx: Connection, error_id: str, most: int
    ) -> list[tuple[Lesson, float]]:
        """Return inferred fixes of errors linked to this one, with their similarity, best first."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS}, s.similarity FROM similar_errors s "
            "JOIN lesson_fixes f ON f.error_id = s.error_id JOIN lessons l ON l.id = f.lesson_id "
            "WHERE s.other_id = ? AND s.error_id <> s.other_id "
            "AND l.status IN ('active', 'candidate') AND l.source NOT IN ('operator', 'user') "
            "ORDER BY s.similarity DESC, l.id LIMIT ?",
            (error_id, most),
        )
        return [(lesson_from(row[:-1]), float(row[-1])) for row in rows]

    async def standings(self, tx: Connection, lessons: Sequence[Lesson]) -> dict[str, FixCounts]:
        """Return what each fix has seen itself and what it has borrowed."""
        marks = ", ".join("?" for _ in lessons)
        rows = await tx.fetch(
            "SELECT lesson_id, "
            "sum(CASE WHEN reason IN (?, ?, ?) THEN 0 ELSE worked + failed END), "
            "sum(CASE WHEN reason IN (?, ?) THEN worked - failed ELSE 0 END) "
            f"FROM evidence WHERE lesson_id IN ({marks}) GROUP BY lesson_id",
            (PRIOR, BORROWED, RETURNED, BORROWED, RETURNED, *(one.id for one in lessons)),
        )
        found = {row[0]: (float(row[1]), float(row[2])) for row in rows}
        return {one.id: _standing(one, *found.get(one.id, (0.0, 0.0))) for one in lessons}

    async def lend(
        self, change: Change, lesson: Lesson, evidence: Evidence, status: Status
    ) -> None:
        """Add borrowed counts to a fix, in one row per giver."""
        await self.lessons.weigh(change, lesson, evidence, status)
        key = (lesson.id, evidence.reason, evidence.quote)
        counts = (evidence.worked, evidence.failed, evidence.at)
        touched = await change.execute(
            "UPDATE evidence SET worked = worked + ?, failed = failed + ?, at = ? "
            "WHERE lesson_id = ? AND reason = ? AND quote = ?",
            (*counts, *key),
        )
        if not touched:
            await change.execute(
                "INSERT INTO evidence (worked, failed, at, lesson_id, reason, quote) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (*counts, *key),
            )


def _standing(lesson: Lesson, seen: float, borrowed: float) -> FixCounts:
    worked, failed = lesson.belief.worked, lesson.belief.failed
    return FixCounts(worked - max(borrowed, 0.0), failed - max(-borrowed, 0.0), seen, borrowed)


@dataclass(frozen=True, slots=True)
class PropagationConfig:
    rate: float = 0.3  # graph.propagationRate
    hint_confidence: float = ACTIVE_FROM  # agent.autoApplyConfidence
    most_receivers: int = 32  # per credit: fixes of the most similar errors


class Propagation:
    def __init__(self, lessons: LessonStore, config: PropagationConfig) -> None:
        self.loans = LoanStore(lessons)
        self.config = config

    async def begin(self, tx: Connection) -> None:
        """Call this before a transaction changes its first fix."""
        await self.loans.begin(tx)

    async def spread(self, change: Change, giver: Lesson, evidence: Evidence) -> None:
        """Pass on the change in confidence that this evidence, already added, has caused."""
        if evidence.worked + evidence.failed < 0:
            await self._return_surplus(change, giver, evidence)
        delta = giver.confidence - _before(giver, evidence).confidence
        if giver.fix is None or not delta or not self.config.rate:
            return
        found = await self.loans.receivers(change, giver.fix.error_id, self.config.most_receivers)
        repair = repair_of(giver)
        willing = [
            (lesson, alike)
            for lesson, alike in found
            if giver.scope.reaches(lesson.scope) and not differs_from(lesson, repair)
        ]
        if not willing:
            return
        standings = await self.loans.standings(change, [lesson for lesson, _ in willing])
        for lesson, alike in sorted(willing, key=lambda pair: pair[0].id):
            standing = standings[lesson.id]
            after = move_confidence(standing, share(delta, alike, self.config.rate))
            if abs(after.confidence - standing.confidence) >= LEAST:
                loan = _loan(standing, after, BORROWED, f"fix {giver.id}", evidence.at)
                await self._lend(change, lesson, loan)

    async def _return_surplus(self, change: Change, lesson: Lesson, evidence: Evidence) -> None:
        """Return what a fix has borrowed beyond its own evidence, which became less."""
        standing = (await self.loans.standings(change, [lesson]))[lesson.id]
        if surplus := standing.surplus:
            own = (standing.worked, standing.failed, standing.seen)
            after = FixCounts(*own, standing.borrowed - surplus)
            loan = _loan(standing, after, RETURNED, "", evidence.at)
            await self._lend(change, lesson, loan)

    async def _lend(self, change: Change, lesson: Lesson, loan: Evidence) -> None:
        after = lesson.belief.plus(loan.worked, loan.failed)
        status = lesson.status_with(after, self.config.hint_confidence)
        await self.loans.lend(change, lesson, loan, status)


def differs_from(fix: Lesson, repair: Repair | None) -> bool:
    """Tell whether a fix has a different repair; a fix in words contradicts nothing."""
    own = repair_of(fix)
    return own is not None and repair is not None and common_repair(own, repair) is None


def _before(lesson: Lesson, evidence: Evidence) -> Belief:
    return lesson.belief.plus(-evidence.worked, -evidence.failed)


def _loan(before: FixCounts, after: FixCounts, reason: str, quote: str, at: int) -> Evidence:
    worked, failed = (now - was for now, was in zip(after.counts, before.counts, strict=True))
    return Evidence(at, reason, worked, failed, quote=quote)
