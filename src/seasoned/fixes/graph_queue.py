"""The errors, fixes and episodes that the graph does not show yet, or not in their present form.

The queue is the column `graphed`: whatever changes a row sets it to 0, whether the graph is enabled
or not, so nothing is lost while it is off.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.reader import SELECT, lesson_from

# The rows of each table that wait, and the index to find them by. Episodes only grow at their end,
# so a start position is enough; an index would cost every failure, even without a graph.
WAITING = {
    "errors": ("errors_ungraphed", "graphed = 0"),
    "lessons": ("lessons_ungraphed", "graphed = 0 AND kind = 'fix'"),
    "episodes": ("", "graphed = 0 AND id > (SELECT episode FROM graph_drawn)"),
}
LATECOMERS = 1000  # on Postgres an episode may commit after one with a higher number

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class GraphedError:
    """The columns of an error that the graph shows."""

    id: str
    scope: Scope
    tool: str
    template: str
    first_seen_at: int


@dataclass(frozen=True, slots=True)
class Encounter:
    """An error that occurred in a session: an episode."""

    id: int
    error_id: str
    session: str
    at: int


@dataclass(frozen=True, slots=True)
class GraphBacklog:
    """Waiting errors, fixes (with the error of each) and episodes."""

    error_ids: Sequence[str]
    fixes: Mapping[str, str]
    met: Sequence[Encounter]

    @property
    def about(self) -> list[str]:
        """Return all errors that these pieces are about."""
        met = {one.error_id for one in self.met}
        return sorted({*self.error_ids, *self.fixes.values(), *met})


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """Pieces to draw now, the errors they are about, and their number."""

    error_ids: Sequence[str]
    fixes: Sequence[Lesson]
    met: Sequence[Encounter]
    pieces: int


@dataclass(frozen=True, slots=True)
class ErrorLink:
    error_id: str
    other_id: str
    similarity: float


class GraphQueue:
    """Owns the mark `graphed` of errors, lessons and episodes, and `graph_drawn`."""

    def __init__(self, db: Database) -> None:
        on_server = db.dialect == "postgres"
        self._skip = " FOR UPDATE SKIP LOCKED" if on_server else ""
        self._latecomers = LATECOMERS if on_server else 0
        self._waiting = [
            f"{table}{db.using(index) if index else ''} WHERE {waits}"
            for table, (index, waits) in WAITING.items()
        ]

    async def waiting(self, tx: Connection) -> int:
        """Count the waiting pieces."""
        counts = [
            await tx.fetch_one(f"SELECT count(*) FROM {waiting}") for waiting in self._waiting
        ]
        return sum(int(row[0]) for row in counts if row)

    async def is_empty(self, tx: Connection) -> bool:
        for waiting in self._waiting:
            if await tx.fetch_one(f"SELECT 1 FROM {waiting} LIMIT 1"):
                return False
        return True

    async def next(self, tx: Connection, most: int) -> GraphBacklog:
        """Return up to `most` waiting pieces."""
        in_errors, in_lessons, in_episodes = (
            f"{waiting} ORDER BY id LIMIT ?" for waiting in self._waiting
        )
        errors = await tx.fetch(f"SELECT id FROM {in_errors}", (most,))
        fixes = await tx.fetch(
            f"SELECT u.id, f.error_id FROM (SELECT id FROM {in_lessons}) AS u "
            "JOIN lesson_fixes f ON f.lesson_id = u.id",
            (most - len(errors),),
        )
        episodes = await tx.fetch(
            f"SELECT id, error_id, session, opened_at FROM {in_episodes}",
            (most - len(errors) - len(fixes),),
        )
        met = [Encounter(*row) for row in episodes]
        now_is = await self._now(tx, sorted({one.error_id for one in met}))
        return GraphBacklog(
            [str(row[0]) for row in errors],
            dict(fixes),
            [replace(one, error_id=now_is.get(one.error_id, one.error_id)) for one in met],
        )

    async def take(self, tx: Connection, waiting: GraphBacklog) -> GraphBatch:
        """Mark these pieces as shown and return them; skip those another writer is changing.

        They are marked before they are read: a writer that comes later has to wait, and marks them
        anew. Skipped ones keep waiting.
        """
        held = await self._mark(tx, "errors", waiting.about)
        free = held | await self._gone(tx, set(waiting.about) - held)
        about = {fix: error for fix, error in waiting.fixes.items() if error in free}
        fixes = await self._mark(tx, "lessons", list(about))
        met = await self._mark(tx, "episodes", [m.id for m in waiting.met if m.error_id in free])
        await self._drawn_to(tx, waiting, met)
        return GraphBatch(
            sorted(held),
            await self._lessons(tx, sorted(fixes)),
            [one for one in waiting.met if one.id in met],
            len(held & set(waiting.error_ids)) + len(fixes) + len(met),
        )

    async def _mark(self, tx: Connection, table: str, ids: Sequence[T]) -> set[T]:
        if not ids:
            return set()
        rows = await tx.fetch(
            f"SELECT id FROM {table} WHERE id IN ({_marks(ids)}) ORDER BY id{self._skip}", ids
        )
        found: list[T] = [row[0] for row in rows]
        if found:
            await tx.execute(f"UPDATE {table} SET graphed = 1 WHERE id IN ({_marks(found)})", found)
        return set(found)

    async def _gone(self, tx: Connection, error_ids: set[str]) -> set[str]:
        """Return the errors that no longer exist and were not merged into another."""
        if not error_ids:
            return set()
        ids = sorted(error_ids)
        rows = await tx.fetch(f"SELECT id FROM errors WHERE id IN ({_marks(ids)})", ids)
        return error_ids - {row[0] for row in rows} - (await self._now(tx, ids)).keys()

    async def _drawn_to(self, tx: Connection, waiting: GraphBacklog, taken: set[int]) -> None:
        left = [one.id for one in waiting.met if one.id not in taken]
        last = (min(left) - 1 if left else max(taken, default=0)) - self._latecomers
        await tx.execute(
            "UPDATE graph_drawn SET episode = ? WHERE one = 1 AND episode < ?", (last, last)
        )

    async def _lessons(self, tx: Connection, ids: Sequence[str]) -> list[Lesson]:
        if not ids:
            return []
        rows = await tx.fetch(f"{SELECT} WHERE l.id IN ({_marks(ids)})", ids)
        return [lesson_from(row) for row in rows]

    async def _now(self, tx: Connection, error_ids: Sequence[str]) -> dict[str, str]:
        """Map each merged error to the one it is part of now."""
        if not error_ids:
            return {}
        rows = await tx.fetch(
            f"SELECT digest, error_id FROM error_aliases WHERE digest IN ({_marks(error_ids)})",
            error_ids,
        )
        return {str(digest): str(error_id) for digest, error_id in rows}

    async def errors(self, tx: Connection, error_ids: Sequence[str]) -> dict[str, GraphedError]:
        """Return the errors that may be shown: seen ones, and those with a fix for everybody."""
        if not error_ids:
            return {}
        rows = await tx.fetch(
            "SELECT id, tenant, project, tool, template, first_seen_at FROM errors "
            f"WHERE id IN ({_marks(error_ids)}) AND {_shown('errors')}",
            error_ids,
        )
        return {row[0]: GraphedError(row[0], Scope(row[1], row[2]), *row[3:]) for row in rows}

    async def similar(self, tx: Connection, error_ids: Sequence[str]) -> list[ErrorLink]:
        """Return the links from and to these errors if both ends may be shown."""
        if not error_ids:
            return []
        found: dict[tuple[str, str], ErrorLink] = {}
        for own, other in (("error_id", "other_id"), ("other_id", "error_id")):
            rows = await tx.fetch(
                "SELECT s.error_id, s.other_id, s.similarity FROM similar_errors s "
                f"JOIN errors e ON e.id = s.{other} "
                f"WHERE s.{own} IN ({_marks(error_ids)}) AND {_shown('e')}",
                error_ids,
            )
            found |= {(row[0], row[1]): ErrorLink(*row) for row in rows}
        return list(found.values())

    async def sessions_of(self, tx: Connection, lesson_id: str, most: int) -> list[tuple[str, int]]:
        """Return the latest sessions with evidence for a lesson, and when."""
        rows = await tx.fetch(
            "SELECT session, at FROM evidence WHERE lesson_id = ? AND session <> '' "
            "AND worked > 0 ORDER BY at DESC LIMIT ?",
            (lesson_id, most),
        )
        return [(str(session), int(at)) for session, at in rows]

    async def put_back(self, tx: Connection, scope: Scope) -> int:
        """Queue everything of exactly this scope again; return how many pieces wait."""
        await tx.execute("UPDATE graph_drawn SET episode = 0 WHERE one = 1")
        for table in WAITING:
            await tx.execute(
                f"UPDATE {table} SET graphed = 0 WHERE graphed <> 0 AND tenant = ? AND project = ?",
                (scope.tenant, scope.project),
            )
        return await self.waiting(tx)


def _shown(errors: str) -> str:
    """Return the condition that hides errors known only from private lessons."""
    return (
        f"({errors}.seen > 0 OR EXISTS (SELECT 1 FROM lesson_fixes f "
        f"JOIN lessons l ON l.id = f.lesson_id WHERE f.error_id = {errors}.id "
        "AND l.user_id = '' AND l.session = '' AND l.content <> ''))"
    )


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)
