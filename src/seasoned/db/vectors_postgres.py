"""Vectors in Postgres: pgvector compares them, exactly while few, by an index when many."""

import re
from collections.abc import Collection, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import Unsupported
from seasoned.db.connection import Connection, Row
from seasoned.db.vectors import Space, Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

INDEXED = 20_000  # vectors from which on an index pays
LONGEST_INDEXED = 4_000  # dimensions that pgvector can index in half precision
LEAST_LOOKED_AT, MOST_LOOKED_AT = 100, 1000  # rows of the index; pgvector takes no more


class PostgresVectors(Vectors):
    def __init__(self, kind: str, columns: Sequence[str]) -> None:
        super().__init__(kind, columns)
        self._why_not: str | None = None

    async def usable(self, tx: Connection) -> str:
        """Sees to the extension and the column, once."""
        if self._why_not is None:
            self._why_not = await self._prepared(tx)
        return self._why_not

    async def _prepared(self, tx: Connection) -> str:
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
        if why := await self.usable(tx):
            raise Unsupported(why)
        await tx.execute_many(
            f"UPDATE {self.table} SET space = ?, vector = ?::halfvec WHERE key = ?",
            ((space.id, _written(vector), key) for key, vector in zip(keys, vectors, strict=True)),
        )

    async def tend(self, tx: Connection, space: Space) -> None:
        """Builds the index of a space that has grown large."""
        name = f"{self.table}_near_{space.id}"
        if space.dimensions > LONGEST_INDEXED:
            return
        if await tx.fetch_one(
            "SELECT to_regclass(?) WHERE to_regclass(?) IS NOT NULL", (name, name)
        ):
            return
        counted = await self.count(tx, space.id)
        if counted.embedded < INDEXED or counted.waiting > counted.embedded // 10:
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
        if await self.usable(tx) or not groups:
            return []
        looked_at = min(max(LEAST_LOOKED_AT, 2 * most), MOST_LOOKED_AT)
        await tx.script(
            f"SET LOCAL hnsw.ef_search = {looked_at}; SET LOCAL hnsw.iterative_scan = strict_order"
        )
        near = f"vector::halfvec({space.dimensions}) <=> ?::halfvec({space.dimensions})"
        text = _written(vector)
        rows = await tx.fetch(
            f"SELECT key, 1 - ({near}) FROM {self.table} WHERE space = {space.id} "
            f"AND group_id = ANY(?) ORDER BY {near} LIMIT ?",
            (text, list(groups), text, most),
        )
        return list(_measured(rows).items())

    async def likeness(
        self, tx: Connection, space: Space, vector: "NDArray[Any]", keys: Sequence[int]
    ) -> dict[int, float]:
        if await self.usable(tx):
            return {}
        rows = await tx.fetch(
            f"SELECT key, 1 - (vector <=> ?::halfvec) FROM {self.table} "
            "WHERE space = ? AND key = ANY(?)",
            (_written(vector), space.id, list(keys)),
        )
        return _measured(rows)


def is_too_old(version: str) -> bool:
    """Whether it lacks half precision, or scans that go on until enough pass the filters.

    >>> [is_too_old(version) for version in ("0.5.1", "0.7.4", "0.8.0", "0.10.2", "1.0")]
    [True, True, False, False, False]
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2]) < (0, 8)


def _measured(rows: Sequence[Row]) -> dict[int, float]:
    """Keys and cosines; a vector without a direction, as of a blank text, has none."""
    return {row[0]: float(row[1]) for row in rows if not isnan(row[1])}


def _written(vector: "NDArray[Any]") -> str:
    return "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"
