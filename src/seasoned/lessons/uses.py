"""Remember in which sessions a lesson was given, so that a person can look at what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.db.connection import Connection
from seasoned.db.scope_filter import contained

MOST_KEPT = 50  # sessions of a lesson, the latest, after the nightly tidying


@dataclass(frozen=True, slots=True)
class LessonUse:
    """A session in which a lesson was given: how often, first and last."""

    scope: Scope  # with the session
    times: int
    first_at: int
    last_at: int


class UseStore:
    """Owns `lesson_uses`."""

    async def add(self, tx: Connection, given: Mapping[tuple[str, Scope], int], now: int) -> None:
        """Count lessons as given in sessions; what was given outside of any is left out.

        A lesson that was deleted meanwhile is left out, too.
        """
        for (lesson, scope), times in given.items():
            if not scope.session:
                continue
            await tx.send(
                "INSERT INTO lesson_uses "
                "(lesson_id, tenant, project, user_id, session, times, first_at, last_at) "
                "SELECT id, ?, ?, ?, ?, ?, ?, ? FROM lessons WHERE id = ? "
                "ON CONFLICT (lesson_id, tenant, project, user_id, session) DO UPDATE "
                "SET times = lesson_uses.times + excluded.times, last_at = excluded.last_at",
                (*scope.fields(), times, now, now, lesson),
            )

    async def of_lesson(
        self, tx: Connection, lesson: str, realm: Scope, limit: int = MOST_KEPT
    ) -> Sequence[LessonUse]:
        """Return the uses of a lesson inside a realm, latest first."""
        inside, values = contained(realm)
        rows = await tx.fetch(
            "SELECT tenant, project, user_id, session, times, first_at, last_at FROM lesson_uses "
            f"WHERE lesson_id = ? AND {inside} ORDER BY last_at DESC, session LIMIT ?",
            (lesson, *values, limit),
        )
        return [LessonUse(Scope(*row[:4]), row[4], row[5], row[6]) for row in rows]

    async def forget_session(self, tx: Connection, scope: Scope) -> None:
        """Delete what names a session."""
        await tx.execute(
            "DELETE FROM lesson_uses WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND session = ?",
            scope.fields(),
        )

    async def forget_old(self, tx: Connection, before: int | None) -> int:
        """Delete all but the latest uses of each lesson, and those before a time, if given."""
        return await tx.execute(
            "DELETE FROM lesson_uses WHERE (lesson_id, tenant, project, user_id, session) IN ("
            "SELECT lesson_id, tenant, project, user_id, session FROM ("
            "SELECT lesson_id, tenant, project, user_id, session, last_at, row_number() OVER ("
            "PARTITION BY lesson_id ORDER BY last_at DESC, session) AS place FROM lesson_uses"
            ") placed WHERE place > ? OR last_at < ?)",
            (MOST_KEPT, before or 0),
        )
