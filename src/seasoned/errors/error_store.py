"""Store the errors that occurred: one row per scope, tool and pattern."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.authority import Caller, contains
from seasoned.core.errors import DatabaseConflict
from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import Condition
from seasoned.errors.category import category_of_pattern
from seasoned.errors.pattern import pattern_of
from seasoned.errors.similar import LocalErrorEmbedder, SimilarErrors, word_key
from seasoned.errors.template import Placement, place, shape_of
from seasoned.graph.graph_store import GraphStore
from seasoned.graph.triple import error_node
from seasoned.security.redact import shortened

FIRST_SAMPLES = 10  # occurrences kept; after these, one at each power of two
FREQUENT = "seen DESC, last_seen_at DESC, id"
COLUMNS = "id, tool, template, category, seen, first_seen_at, last_seen_at"
MOST_KNOWN = 200  # templates of one shape to compare a new pattern with


@dataclass(frozen=True, slots=True)
class KnownError:
    """A stored error; `wider` are ids of the same error in wider scopes or for any tool."""

    id: str
    tool: str
    template: str
    category: str
    seen: int
    first_seen_at: int
    last_seen_at: int
    wider: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[int, int, str]:
        """Where it stands in a list, most frequent first: `after` of the next page."""
        return (self.seen, self.last_seen_at, self.id)


@dataclass(frozen=True, slots=True)
class Occurrence:
    at: int
    session: str
    message: str
    params: str


class ErrorStore:
    """Owns `errors`, their aliases and `occurrences`."""

    def __init__(self, db: Database, embedder: LocalErrorEmbedder | None = None) -> None:
        self.graph = GraphStore(db)
        self.similar = SimilarErrors(db, embedder)

    async def see(
        self, tx: Connection, scope: Scope, tool: str, message: str, at: int, *, times: int = 1
    ) -> KnownError:
        """Count an occurrence and return its error, new or known."""
        pattern = pattern_of(message)
        own, *wider = _aliases(scope, tool, pattern)
        marks = ", ".join("?" for _ in (own, *wider))
        rows = await tx.fetch(
            f"SELECT digest, error_id FROM error_aliases WHERE digest IN ({marks})", (own, *wider)
        )
        known = dict(rows)
        error_id = known.get(own)
        if error_id is None:
            error_id = await self._place(tx, scope, tool, pattern, own, at, widen=times > 0)
        row = await tx.fetch_one(
            "UPDATE errors SET seen = seen + ?, "
            "last_seen_at = CASE WHEN last_seen_at < ? THEN ? ELSE last_seen_at END "
            "WHERE id = ? RETURNING template, category, seen, first_seen_at, last_seen_at",
            (times, at, at, error_id),
        )
        if row is None:
            raise DatabaseConflict(f"error {error_id} was merged into another meanwhile; try again")
        others = tuple({known[a] for a in wider if a in known} - {error_id})
        return KnownError(error_id, tool, *row, wider=others)

    async def record(
        self, tx: Connection, error: KnownError, session: str, message: str, params: str, at: int
    ) -> None:
        """Keep a sample: the first few, then ever fewer, so that a failing loop fills no disk."""
        if error.seen > FIRST_SAMPLES and error.seen.bit_count() > 1:
            return
        await tx.execute(
            "INSERT INTO occurrences (error_id, at, session, message, params) "
            "VALUES (?, ?, ?, ?, ?)",
            (error.id, at, session, shortened(message, 1000), shortened(params, 2000)),
        )

    async def get(self, tx: Connection, error_id: str) -> KnownError | None:
        row = await tx.fetch_one(
            f"SELECT {COLUMNS} FROM errors WHERE id = ?",
            (error_id,),
        )
        return KnownError(*row) if row else None

    async def erase_unseen(self, tx: Connection, error_id: str) -> None:
        """Delete an error that never occurred, once no taught fix refers to it."""
        linked = await self.similar.scopes_linked_to(tx, error_id)
        gone = await tx.fetch_one(
            "DELETE FROM errors WHERE id = ? AND seen = 0 AND NOT EXISTS ("
            "SELECT 1 FROM lesson_fixes f JOIN lessons l ON l.id = f.lesson_id "
            "WHERE f.error_id = errors.id AND l.content <> '') "
            "RETURNING tenant, project, tool, vector_key",
            (error_id,),
        )
        if gone:
            await self.similar.forget(tx, error_id, gone[3])
            for scope in {Scope(gone[0], gone[1]), *linked}:
                await self.graph.drop(tx, scope, error_node(gone[2], error_id))

    async def list(
        self,
        tx: Connection,
        scope: Scope,
        *,
        tool: str | None = None,
        category: str | None = None,
        limit: int = 20,
        after: Place | None = None,
    ) -> list[KnownError]:
        """List the most frequent errors."""
        later, place = following(FREQUENT, after)
        wanted = f"tenant = ? AND project = ? AND seen > 0 AND {later}"
        given = {"tool": tool, "category": category}
        chosen = {column: value for column, value in given.items() if value is not None}
        wanted += "".join(f" AND {column} = ?" for column in chosen)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM errors WHERE {wanted} ORDER BY {FREQUENT} LIMIT ?",
            (scope.tenant, scope.project, *place, *chosen.values(), limit),
        )
        return [KnownError(*row) for row in rows]

    async def find(self, tx: Connection, name: str, seen: Condition) -> KnownError | None:
        """Return the error with this id, if the condition on its tenant and project holds."""
        condition, values = seen
        row = await tx.fetch_one(
            f"SELECT {COLUMNS} FROM errors WHERE id = ? AND {condition}", (name, *values)
        )
        return KnownError(*row) if row else None

    async def count(self, tx: Connection, scope: Scope) -> int:
        row = await tx.fetch_one(
            "SELECT count(*) FROM errors WHERE tenant = ? AND project = ? AND seen > 0",
            (scope.tenant, scope.project),
        )
        return int(row[0]) if row else 0

    async def samples(self, tx: Connection, error_id: str, limit: int = 3) -> Sequence[Occurrence]:
        """Return the latest occurrences."""
        rows = await tx.fetch(
            "SELECT at, session, message, params FROM occurrences WHERE error_id = ? "
            "ORDER BY at DESC LIMIT ?",
            (error_id, limit),
        )
        return [Occurrence(*row) for row in rows]

    async def samples_for(
        self, tx: Connection, error_id: str, caller: Caller
    ) -> Sequence[Occurrence]:
        """Return the latest occurrences to a caller who acts for all to whom the error occurs.

        Messages hold people's values, and names of their sessions.
        """
        row = await tx.fetch_one("SELECT tenant, project FROM errors WHERE id = ?", (error_id,))
        if row is None or not contains(caller.realm, Scope(row[0], row[1])):
            return ()
        return await self.samples(tx, error_id)

    async def clear(self, tx: Connection, tenant: str) -> None:
        """Delete all errors of a tenant."""
        gone = await tx.fetch(
            "DELETE FROM errors WHERE tenant = ? RETURNING id, vector_key", (tenant,)
        )
        for error_id, key in gone:
            await self.similar.forget(tx, error_id, key)

    async def _place(
        self,
        tx: Connection,
        scope: Scope,
        tool: str,
        pattern: str,
        own: str,
        at: int,
        *,
        widen: bool,
    ) -> str:
        """Find the error that a new pattern belongs to, or create one.

        A pattern that was only taught must not `widen` a template: two names are then two errors.
        """
        shape = shape_of(pattern)
        rows = await tx.fetch(
            "SELECT id, template FROM errors WHERE tenant = ? AND project = ? AND tool = ? "
            "AND shape = ? ORDER BY first_seen_at, id LIMIT ?",
            (scope.tenant, scope.project, tool, shape, MOST_KNOWN),
        )
        placed = place(pattern, [row[1] for row in rows])
        if not widen and placed.index is not None and placed.template != rows[placed.index][1]:
            placed = Placement(None, pattern)
        if placed.index is None:
            error_id = own
            added = await tx.execute(
                "INSERT INTO errors (id, key, tenant, project, tool, template, shape, category, "
                "first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (id) DO NOTHING",
                (
                    *(error_id, word_key(own), scope.tenant, scope.project, tool, placed.template),
                    *(shape, category_of_pattern(pattern, tool), at, at),
                ),
            )
            if added:
                await self.similar.add(tx, error_id, scope, tool, placed.template)
        else:
            error_id = rows[placed.index][0]
            for index in placed.absorbed:
                await self._merge(tx, rows[index][0], into=error_id)
            if placed.template != rows[placed.index][1]:
                await tx.execute(
                    "UPDATE errors SET template = ?, graphed = 0 WHERE id = ?",
                    (placed.template, error_id),
                )
                await self.similar.remove(tx, error_id)
                await self.similar.add(tx, error_id, scope, tool, placed.template)
        await tx.execute(
            "INSERT INTO error_aliases (digest, error_id) VALUES (?, ?) "
            "ON CONFLICT (digest) DO NOTHING",
            (own, error_id),
        )
        return error_id

    async def _merge(self, tx: Connection, error_id: str, *, into: str) -> None:
        """Move everything that belongs to one error to another that it turned out to be."""
        # Locked first, so that nothing another writer is adding to it gets lost.
        await tx.execute("UPDATE errors SET graphed = 0 WHERE id = ?", (error_id,))
        for table in ("error_aliases", "occurrences", "lesson_fixes"):
            await tx.execute(
                f"UPDATE {table} SET error_id = ? WHERE error_id = ?", (into, error_id)
            )
        await tx.execute(
            "UPDATE episodes SET error_id = ? WHERE error_id = ? "
            "AND (outcome = 'open' OR changes IS NOT NULL)",
            (into, error_id),
        )
        await self.similar.merge(tx, error_id, into)
        row = await tx.fetch_one(
            "DELETE FROM errors WHERE id = ? "
            "RETURNING seen, first_seen_at, last_seen_at, tenant, project, tool",
            (error_id,),
        )
        if row:
            await tx.execute(
                "UPDATE errors SET seen = seen + ?, graphed = 0, "
                "first_seen_at = CASE WHEN first_seen_at > ? THEN ? ELSE first_seen_at END, "
                "last_seen_at = CASE WHEN last_seen_at < ? THEN ? ELSE last_seen_at END "
                "WHERE id = ?",
                (row[0], row[1], row[1], row[2], row[2], into),
            )
            before, after = error_node(row[5], error_id), error_node(row[5], into)
            for scope in {Scope(row[3], row[4]), *await self.similar.scopes_linked_to(tx, into)}:
                await self.graph.merge(tx, scope, before, after)


def _aliases(scope: Scope, tool: str, pattern: str) -> list[str]:
    """Return its own alias, then those of wider scopes and of any tool."""
    scopes = dict.fromkeys(((scope.tenant, scope.project), (scope.tenant, ""), ("", "")))
    tools = dict.fromkeys((tool, ""))
    return [digest(tenant, project, name, pattern) for tenant, project in scopes for name in tools]
