"""What was learned and does not stand in the graph yet, or not as it is now.

The queue is the state: an error, a fix or an episode with `graphed` 0. Whatever changes one of
them sets it so, whether there is a graph or not; so nothing is lost while it is switched off.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from seasoned.core.errors import DatabaseConflict
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.learning.lesson import Lesson
from seasoned.learning.lessons import SELECT, lesson_from

# Each table, and which of its rows are ever shown.
TABLES = {"errors": "", "lessons": " AND kind = 'fix'", "episodes": ""}


@dataclass(frozen=True, slots=True)
class GraphedError:
    """An error as the graph shows it."""

    id: str
    scope: Scope
    tool: str
    template: str
    first_seen_at: int


@dataclass(frozen=True, slots=True)
class Met:
    """An error was met in a session: an episode."""

    id: int
    error_id: str
    session: str
    at: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Pieces that wait: errors, fixes with the error each is about, episodes."""

    error_ids: Sequence[str]
    fixes: Mapping[str, str]
    met: Sequence[Met]

    def __len__(self) -> int:
        return len(self.error_ids) + len(self.fixes) + len(self.met)

    @property
    def about(self) -> list[str]:
        """All the errors that these pieces are about."""
        met = {one.error_id for one in self.met}
        return sorted({*self.error_ids, *self.fixes.values(), *met})


@dataclass(frozen=True, slots=True)
class Similar:
    error_id: str
    other_id: str
    similarity: float


class GraphQueue:
    """Owns the mark `graphed` of errors, lessons and episodes."""

    async def waiting(self, tx: Connection) -> int:
        """How many pieces wait."""
        counts = [
            await tx.fetch_one(f"SELECT count(*) FROM {table} WHERE graphed = 0{which}")
            for table, which in TABLES.items()
        ]
        return sum(int(row[0]) for row in counts if row)

    async def is_empty(self, tx: Connection) -> bool:
        for table, which in TABLES.items():
            if await tx.fetch_one(f"SELECT 1 FROM {table} WHERE graphed = 0{which} LIMIT 1"):
                return False
        return True

    async def next(self, tx: Connection, most: int) -> Waiting:
        """Up to so many pieces that wait."""
        ungraphed = "graphed = 0 ORDER BY id LIMIT ?"
        errors = await tx.fetch(f"SELECT id FROM errors WHERE {ungraphed}", (most,))
        fixes = await tx.fetch(
            "SELECT u.id, f.error_id FROM (SELECT id FROM lessons "
            "WHERE graphed = 0 AND kind = 'fix' ORDER BY id LIMIT ?) AS u "
            "JOIN lesson_fixes f ON f.lesson_id = u.id",
            (most - len(errors),),
        )
        episodes = await tx.fetch(
            f"SELECT id, error_id, session, opened_at FROM episodes WHERE {ungraphed}",
            (most - len(errors) - len(fixes),),
        )
        met = [Met(*row) for row in episodes]
        now_is = await self._now(tx, sorted({one.error_id for one in met}))
        return Waiting(
            [str(row[0]) for row in errors],
            dict(fixes),
            [replace(one, error_id=now_is.get(one.error_id, one.error_id)) for one in met],
        )

    async def take(self, tx: Connection, waiting: Waiting) -> list[Lesson]:
        """Marks these pieces as shown; the fixes among them, as they are now.

        Marked first and read then: a change meanwhile has to wait, and marks them anew. Errors
        come first, as they do when something is learned, so that neither waits for the other.
        """
        held = await self._mark(tx, "errors", waiting.about)
        gone = set(waiting.about) - {str(one) for one in held}
        if gone and any(now != was for was, now in (await self._now(tx, sorted(gone))).items()):
            raise DatabaseConflict("an error became one with another meanwhile; try again")
        await self._mark(tx, "lessons", sorted(waiting.fixes))
        await self._mark(tx, "episodes", [one.id for one in waiting.met])
        if not waiting.fixes:
            return []
        rows = await tx.fetch(
            f"{SELECT} WHERE l.id IN ({_marks(list(waiting.fixes))})", list(waiting.fixes)
        )
        return [lesson_from(row) for row in rows]

    async def _mark(self, tx: Connection, table: str, ids: Sequence[object]) -> list[object]:
        if not ids:
            return []
        rows = await tx.fetch(
            f"UPDATE {table} SET graphed = 1 WHERE id IN ({_marks(ids)}) RETURNING id", ids
        )
        return [row[0] for row in rows]

    async def _now(self, tx: Connection, error_ids: Sequence[str]) -> dict[str, str]:
        """The error that each of these is by now: one may have become one with another."""
        if not error_ids:
            return {}
        rows = await tx.fetch(
            f"SELECT digest, error_id FROM error_aliases WHERE digest IN ({_marks(error_ids)})",
            error_ids,
        )
        return {str(digest): str(error_id) for digest, error_id in rows}

    async def errors(self, tx: Connection, error_ids: Sequence[str]) -> dict[str, GraphedError]:
        """Those of these errors that may be shown: seen, or the subject of a fix for everybody."""
        if not error_ids:
            return {}
        rows = await tx.fetch(
            "SELECT id, tenant, project, tool, template, first_seen_at FROM errors "
            f"WHERE id IN ({_marks(error_ids)}) AND {_shown('errors')}",
            error_ids,
        )
        return {row[0]: GraphedError(row[0], Scope(row[1], row[2]), *row[3:]) for row in rows}

    async def similar(self, tx: Connection, error_ids: Sequence[str]) -> list[Similar]:
        """Every likeness from or to these errors, where both may be shown."""
        if not error_ids:
            return []
        found: dict[tuple[str, str], Similar] = {}
        for own, other in (("error_id", "other_id"), ("other_id", "error_id")):
            rows = await tx.fetch(
                "SELECT s.error_id, s.other_id, s.similarity FROM similar_errors s "
                f"JOIN errors e ON e.id = s.{other} "
                f"WHERE s.{own} IN ({_marks(error_ids)}) AND {_shown('e')}",
                error_ids,
            )
            found |= {(row[0], row[1]): Similar(*row) for row in rows}
        return list(found.values())

    async def sessions_of(self, tx: Connection, lesson_id: str, most: int) -> list[tuple[str, int]]:
        """The sessions that spoke for a lesson last, and when."""
        rows = await tx.fetch(
            "SELECT session, at FROM evidence WHERE lesson_id = ? AND session <> '' "
            "AND worked > 0 ORDER BY at DESC LIMIT ?",
            (lesson_id, most),
        )
        return [(str(session), int(at)) for session, at in rows]

    async def put_back(self, tx: Connection, scope: Scope) -> int:
        """All of this very scope is to be shown anew; how many pieces."""
        done = [
            await tx.execute(
                f"UPDATE {table} SET graphed = 0 "
                f"WHERE graphed <> 0 AND tenant = ? AND project = ?{which}",
                (scope.tenant, scope.project),
            )
            for table, which in TABLES.items()
        ]
        return sum(done)


def _shown(errors: str) -> str:
    """What a private lesson is about must not be shown to all of its project."""
    return (
        f"({errors}.seen > 0 OR EXISTS (SELECT 1 FROM lesson_fixes f "
        f"JOIN lessons l ON l.id = f.lesson_id WHERE f.error_id = {errors}.id "
        "AND l.user_id = '' AND l.session = '' AND l.content <> ''))"
    )


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)
