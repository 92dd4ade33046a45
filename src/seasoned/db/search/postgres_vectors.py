"""Vectors in Postgres: pgvector compares them, exactly while there are few, else by an index."""

import re
from collections.abc import Collection, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import Unsupported
from seasoned.db.connection import Connection, Row
from seasoned.db.search.index import Nearest, Space, VectorIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

INDEXED = 20_000  # vectors from which an index pays
MOST_WAITING = 1_000  # no index while more wait for a vector: inserts are faster without
LONGEST_INDEXED = 4_000  # dimensions that pgvector can index in half precision


class PostgresVectors(VectorIndex):
    def __init__(self, kind: str, columns: Sequence[str]) -> None:
        super().__init__(kind, columns)
        self._why_not: str | None = None
        self._likeness = (
            f"SELECT key, vector <=> ?::halfvec FROM {self.table} WHERE space = ? AND key = ANY(?)"
        )

    async def why_unusable(self, tx: Connection) -> str:
        """Create the extension and the column, once; return why that failed."""
        if self._why_not is None:
            self._why_not = await self._prepare(tx)
        return self._why_not

    async def _prepare(self, tx: Connection) -> str:
        if await self._has_column(tx):
            return ""
        available = await tx.fetch_one(
            "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions "
            "WHERE name = 'vector'"
        )
        if not available:
            return "this Postgres has no pgvector; install it on the server for search by meaning"
        if is_too_old(available[0]):
            return f"pgvector is {available[0]}; install 0.8 and run: ALTER EXTENSION vector UPDATE"
        await tx.script(
            "DO $$ BEGIN "
            "PERFORM pg_advisory_xact_lock(99104593); "
            "CREATE EXTENSION IF NOT EXISTS vector; "
            f"ALTER TABLE {self.table} ADD COLUMN IF NOT EXISTS vector halfvec; "
            "EXCEPTION WHEN insufficient_privilege THEN NULL; END $$"
        )
        if await self._has_column(tx):
            return ""
        return "pgvector is not enabled; let an administrator run: CREATE EXTENSION vector"

    async def _has_column(self, tx: Connection) -> bool:
        row = await tx.fetch_one(
            "SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() "
            "AND table_name = ? AND column_name = 'vector'",
            (self.table,),
        )
        return row is not None

    async def put(
        self, tx: Connection, space: Space, keys: Sequence[int], vectors: "NDArray[Any]"
    ) -> None:
        if why := await self.why_unusable(tx):
            raise Unsupported(why)
        await tx.execute(
            f"UPDATE {self.table} t SET space = ?, vector = given.vector::halfvec "
            "FROM unnest(?::bigint[], ?::text[]) AS given (key, vector) WHERE t.key = given.key",
            (space.id, list(keys), [_literal(vector) for vector in vectors]),
        )

    async def tend(self, tx: Connection, space: Space) -> None:
        """Build the index of a space that has grown large."""
        name = f"{self.table}_near_{space.id}"
        if space.dimensions > LONGEST_INDEXED:
            return
        if await tx.fetch_one(
            "SELECT to_regclass(?) WHERE to_regclass(?) IS NOT NULL", (name, name)
        ):
            return
        some = f"SELECT count(*) FROM (SELECT FROM {self.table} WHERE space"
        row = await tx.fetch_one(
            f"SELECT ({some} = ? LIMIT ?) embedded), ({some} < ? LIMIT ?) waiting)",
            (space.id, INDEXED, space.id, MOST_WAITING),
        )
        if row is None or row[0] < INDEXED or row[1] == MOST_WAITING:
            return
        await tx.script("SET LOCAL maintenance_work_mem = '256MB'")
        await tx.script(
            f"CREATE INDEX IF NOT EXISTS {name} ON {self.table} USING hnsw "
            f"((vector::halfvec({space.dimensions})) halfvec_cosine_ops) WHERE space = {space.id}"
        )

    async def nearest(
        self,
        tx: Connection,
        space: Space,
        vector: "NDArray[Any]",
        groups: Collection[int],
        most: int,
    ) -> list[tuple[int, float]]:
        if await self.why_unusable(tx) or not groups:
            return []
        rows = await tx.fetch(self._nearest(space), (_literal(vector), list(groups), most))
        return list(_cosines(rows).items())

    async def begin(
        self,
        tx: Connection,
        space: Space,
        vector: "NDArray[Any]",
        groups: Collection[int],
        most: int,
    ) -> Nearest:
        async def nearest(others: Sequence[int]) -> dict[int, float]:
            if await self.why_unusable(tx) or not groups:
                return {}
            text = _literal(vector)
            rows = await tx.fetch(
                f"({self._nearest(space)}) UNION ALL ({self._likeness})",
                (text, list(groups), most, text, space.id, list(others)),
            )
            return _cosines(rows)

        return nearest

    async def likeness(
        self, tx: Connection, space: Space, vector: "NDArray[Any]", keys: Sequence[int]
    ) -> dict[int, float]:
        if await self.why_unusable(tx):
            return {}
        return _cosines(await tx.fetch(self._likeness, (_literal(vector), space.id, list(keys))))

    def _nearest(self, space: Space) -> str:
        size = space.dimensions
        return (
            f"SELECT key, vector::halfvec({size}) <=> ?::halfvec({size}) AS distance "
            f"FROM {self.table} WHERE space = {space.id} AND group_id = ANY(?) "
            "ORDER BY distance LIMIT ?"
        )


def is_too_old(version: str) -> bool:
    """Whether pgvector lacks half precision, or scans that go on until enough rows pass filters.

    >>> [is_too_old(version) for version in ("0.5.1", "0.7.4", "0.8.0", "0.10.2", "1.0")]
    [True, True, False, False, False]
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2]) < (0, 8)


def _cosines(rows: Sequence[Row]) -> dict[int, float]:
    """Return keys with cosines; the zero vector of a blank text has none."""
    return {row[0]: 1 - float(row[1]) for row in rows if not isnan(row[1])}


def _literal(vector: "NDArray[Any]") -> str:
    return "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"
