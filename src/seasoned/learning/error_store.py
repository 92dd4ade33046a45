"""Keeps the errors that were seen: one row per scope, tool and pattern, however often it occurs."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.learning.error_category import category_of
from seasoned.learning.error_pattern import pattern_of
from seasoned.learning.error_template import place, shape_of

MOST_KNOWN = 200  # templates of one shape that a new pattern is compared with


@dataclass(frozen=True, slots=True)
class KnownError:
    """An error as it is stored; `wider` are the same error in wider scopes or for any tool."""

    id: str
    tool: str
    template: str
    category: str
    seen: int
    first_seen_at: int
    last_seen_at: int
    wider: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrence:
    at: int
    session: str
    message: str
    params: str


class ErrorStore:
    """Owns `errors`, `error_aliases` and `occurrences`."""

    async def see(
        self, tx: Connection, scope: Scope, tool: str, message: str, at: int, *, times: int = 1
    ) -> KnownError:
        """Counts an occurrence; the error it is one of, new or known."""
        pattern = pattern_of(message)
        own = alias(scope, tool, pattern)
        wider = [a for a in _aliases(scope, tool, pattern) if a != own]
        marks = ", ".join("?" for _ in (own, *wider))
        rows = await tx.fetch(
            f"SELECT digest, error_id FROM error_aliases WHERE digest IN ({marks})", (own, *wider)
        )
        known = dict(rows)
        error_id = known.get(own)
        if error_id is None:
            error_id = await self._place(tx, scope, tool, pattern, own, message, at)
        row = await tx.fetch_one(
            "UPDATE errors SET seen = seen + ?, "
            "last_seen_at = CASE WHEN last_seen_at < ? THEN ? ELSE last_seen_at END "
            "WHERE id = ? RETURNING template, category, seen, first_seen_at, last_seen_at",
            (times, at, at, error_id),
        )
        assert row is not None, "an alias names an error that is there"
        others = tuple({known[a] for a in wider if a in known} - {error_id})
        return KnownError(error_id, tool, *row, wider=others)

    async def record(
        self, tx: Connection, error: KnownError, session: str, message: str, params: str, at: int
    ) -> None:
        await tx.execute(
            "INSERT INTO occurrences (error_id, at, session, message, params) "
            "VALUES (?, ?, ?, ?, ?)",
            (error.id, at, session, message, params),
        )

    async def get(self, tx: Connection, error_id: str) -> KnownError | None:
        row = await tx.fetch_one(
            "SELECT id, tool, template, category, seen, first_seen_at, last_seen_at "
            "FROM errors WHERE id = ?",
            (error_id,),
        )
        return KnownError(*row) if row else None

    async def list(self, tx: Connection, scope: Scope, *, limit: int = 20) -> list[KnownError]:
        """The errors seen most often."""
        rows = await tx.fetch(
            "SELECT id, tool, template, category, seen, first_seen_at, last_seen_at FROM errors "
            "WHERE tenant = ? AND project = ? AND seen > 0 "
            "ORDER BY seen DESC, last_seen_at DESC LIMIT ?",
            (scope.tenant, scope.project, limit),
        )
        return [KnownError(*row) for row in rows]

    async def samples(self, tx: Connection, error_id: str, limit: int = 3) -> Sequence[Occurrence]:
        """The latest times it happened."""
        rows = await tx.fetch(
            "SELECT at, session, message, params FROM occurrences WHERE error_id = ? "
            "ORDER BY at DESC LIMIT ?",
            (error_id, limit),
        )
        return [Occurrence(*row) for row in rows]

    async def _place(
        self, tx: Connection, scope: Scope, tool: str, pattern: str, own: str, message: str, at: int
    ) -> str:
        """Finds the error that a new pattern belongs to, or begins one."""
        shape = shape_of(pattern)
        rows = await tx.fetch(
            "SELECT id, template FROM errors WHERE tenant = ? AND project = ? AND tool = ? "
            "AND shape = ? ORDER BY first_seen_at, id LIMIT ?",
            (scope.tenant, scope.project, tool, shape, MOST_KNOWN),
        )
        placed = place(pattern, [row[1] for row in rows])
        if placed.index is None:
            error_id = own
            await tx.execute(
                "INSERT INTO errors (id, tenant, project, tool, template, shape, category, "
                "first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (id) DO NOTHING",
                (
                    *(error_id, scope.tenant, scope.project, tool, placed.template, shape),
                    *(category_of(message, tool), at, at),
                ),
            )
        else:
            error_id = rows[placed.index][0]
            if placed.template != rows[placed.index][1]:
                await tx.execute(
                    "UPDATE errors SET template = ? WHERE id = ?", (placed.template, error_id)
                )
            for index in placed.absorbed:
                await self._merge(tx, rows[index][0], into=error_id)
        await tx.execute(
            "INSERT INTO error_aliases (digest, error_id) VALUES (?, ?) "
            "ON CONFLICT (digest) DO NOTHING",
            (own, error_id),
        )
        return error_id

    async def _merge(self, tx: Connection, error_id: str, *, into: str) -> None:
        """Two errors turned out to be one: what belonged to the one belongs to the other."""
        for table in ("error_aliases", "occurrences", "episodes", "lesson_fixes"):
            await tx.execute(
                f"UPDATE {table} SET error_id = ? WHERE error_id = ?", (into, error_id)
            )
        row = await tx.fetch_one(
            "DELETE FROM errors WHERE id = ? RETURNING seen, first_seen_at, last_seen_at",
            (error_id,),
        )
        if row:
            await tx.execute(
                "UPDATE errors SET seen = seen + ?, "
                "first_seen_at = CASE WHEN first_seen_at > ? THEN ? ELSE first_seen_at END, "
                "last_seen_at = CASE WHEN last_seen_at < ? THEN ? ELSE last_seen_at END "
                "WHERE id = ?",
                (row[0], row[1], row[1], row[2], row[2], into),
            )


def alias(scope: Scope, tool: str, pattern: str) -> str:
    return digest(scope.tenant, scope.project, tool, pattern)


def _aliases(scope: Scope, tool: str, pattern: str) -> list[str]:
    """Where it may also be known: in this scope or a wider one, for this tool or any."""
    scopes = {(scope.tenant, scope.project), (scope.tenant, ""), ("", "")}
    return sorted({alias(Scope(t, p), name, pattern) for t, p in scopes for name in {tool, ""}})
