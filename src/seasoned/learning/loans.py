"""Keeps what fixes have borrowed from fixes of similar errors: evidence they have not seen."""

from collections.abc import Sequence

from seasoned.db.database import Connection
from seasoned.graph.propagate import Standing
from seasoned.learning.confidence import PRIOR
from seasoned.learning.lesson import Evidence, Lesson, Status
from seasoned.learning.lesson_rows import COLUMNS, lesson_from
from seasoned.learning.lessons import LessonStore

BORROWED = "borrowed from a fix of a similar error"
RETURNED = "gave back what it had borrowed beyond its own evidence"


LENDING_LOCK = 0x5EA50EE  # any number, the same in every process


class LoanStore:
    """Reads and writes the borrowed rows of `evidence`: one for each giver, however often."""

    def __init__(self, lessons: LessonStore) -> None:
        self.lessons = lessons
        self._locks = lessons.db.dialect == "postgres"

    async def begin(self, tx: Connection) -> None:
        """Lets one transaction at a time lend and borrow, until it ends.

        Two who give to each other would block each other. On SQLite there is one writer anyway.
        """
        if self._locks:
            await tx.fetch("SELECT pg_advisory_xact_lock(?)", (LENDING_LOCK,))

    async def receivers(
        self, tx: Connection, error_id: str, most: int
    ) -> list[tuple[Lesson, float]]:
        """The inferred fixes of errors for which this one's fixes may do too, the likest first."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS}, s.similarity FROM similar_errors s "
            "JOIN lesson_fixes f ON f.error_id = s.error_id JOIN lessons l ON l.id = f.lesson_id "
            "WHERE s.other_id = ? AND s.error_id <> s.other_id "
            "AND l.status IN ('active', 'candidate') AND l.source NOT IN ('operator', 'user') "
            "ORDER BY s.similarity DESC, l.id LIMIT ?",
            (error_id, most),
        )
        return [(lesson_from(row[:-1]), float(row[-1])) for row in rows]

    async def standings(self, tx: Connection, lessons: Sequence[Lesson]) -> dict[str, Standing]:
        """How each of these stands: what it has seen itself, and what it has borrowed."""
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
        self, tx: Connection, lesson: Lesson, evidence: Evidence, status: Status, now: int
    ) -> Lesson:
        """Adds borrowed counts to a fix; what the same giver lent before is added to."""
        changed = await self.lessons.weigh(tx, lesson, evidence, status, now)
        key = (lesson.id, evidence.reason, evidence.quote)
        counts = (evidence.worked, evidence.failed, evidence.at)
        touched = await tx.execute(
            "UPDATE evidence SET worked = worked + ?, failed = failed + ?, at = ? "
            "WHERE lesson_id = ? AND reason = ? AND quote = ?",
            (*counts, *key),
        )
        if not touched:
            await tx.execute(
                "INSERT INTO evidence (worked, failed, at, lesson_id, reason, quote) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (*counts, *key),
            )
        return changed


def _standing(lesson: Lesson, seen: float, borrowed: float) -> Standing:
    worked, failed = lesson.belief.worked, lesson.belief.failed
    return Standing(worked - max(borrowed, 0.0), failed - max(-borrowed, 0.0), seen, borrowed)
