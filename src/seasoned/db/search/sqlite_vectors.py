"""Vectors in SQLite: stored in tables, compared in memory, in step with all writing processes."""

import threading
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.db.connection import Connection
from seasoned.db.search.index import Nearest, Space, VectorIndex

# Modules that need numpy are imported late: it takes longer to load than a short command runs.
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.db.search.read_ahead import Job, ReadAhead, ReadConnection, ReadDatabase
    from seasoned.db.search.vector_mirror import VectorMirror

COMPARED = 400  # rows nearest by code that are compared exactly,
MORE_COMPARED = 1_600  # and from so many rows on:
MANY = 200_000
MOST_READ = 200  # vectors that a search reads for it
KEPT_CHANGES = 200_000  # a reader further behind reads everything again
AT_ONCE = 500
STAYS = 20  # searches after which a process counts as long-running, and reads vectors ahead:
FEW = 250_000  # up to so many keys all at once, in a microsecond each
READ_AT_ONCE = 10_000
AHEAD_AT_ONCE = 500  # keys; a search waits while they are stored
TRIES = 3  # at a batch that changed while it was read; then it is left to the searches
RECENT = 500  # newest rows that a writing transaction compares
RECENT_EACH = 20  # of each group, however many groups there are


class SqliteVectors(VectorIndex):
    def __init__(self, kind: str, columns: Sequence[str], db: "ReadDatabase") -> None:
        super().__init__(kind, columns)
        self.embeddings = f"{kind}_embeddings"
        self.changes = f"{kind}_vector_changes"
        self.turn = threading.RLock()
        self._db = db
        self.also_ahead: Job | None = None  # what else to read ahead if there are few vectors
        self._in_order = (
            f"SELECT key, vector FROM {self.embeddings} WHERE space = ? AND key >= ? AND key < ?"
        )
        self._ahead: ReadAhead | None = None
        self._searches = 0
        self._mirror: VectorMirror | None = None
        self._space: Space | None = None
        self._seen = 0

    async def why_unusable(self, tx: Connection) -> str:
        return ""

    async def put(
        self, tx: Connection, space: Space, keys: Sequence[int], vectors: "NDArray[Any]"
    ) -> None:
        from seasoned.db.search.sign_codes import codes_of
        from seasoned.db.search.vector_mirror import pack

        await tx.execute_many(
            f"INSERT INTO {self.embeddings} (key, space, vector) "
            f"SELECT key, ?, ? FROM {self.table} WHERE key = ? ON CONFLICT (key) DO UPDATE "
            "SET space = excluded.space, vector = excluded.vector",
            ((space.id, blob, key) for blob, key in zip(pack(vectors), keys, strict=True)),
        )
        await tx.execute_many(
            f"UPDATE {self.table} SET space = ?, code = ? WHERE key = ?",
            ((space.id, code, key) for code, key in zip(codes_of(vectors), keys, strict=True)),
        )

    async def tend(self, tx: Connection, space: Space) -> None:
        await tx.execute(
            f"DELETE FROM {self.changes} WHERE seq < (SELECT max(seq) FROM {self.changes}) - ?",
            (KEPT_CHANGES,),
        )

    async def nearest(
        self,
        tx: Connection,
        space: Space,
        vector: "NDArray[Any]",
        groups: Collection[int],
        most: int,
    ) -> list[tuple[int, float]]:
        if tx.writes:
            rows = await self._recent(tx, space, groups)
            return _best(*_unpacked(rows, space), vector, most)
        nearest = await self.begin(tx, space, vector, groups, most)
        return list((await nearest(())).items())

    async def begin(
        self,
        tx: Connection,
        space: Space,
        vector: "NDArray[Any]",
        groups: Collection[int],
        most: int,
    ) -> Nearest:
        if tx.writes:
            return await super().begin(tx, space, vector, groups, most)
        with self.turn:
            mirror = await self.mirrored(tx, space)
            started = None if mirror.exact else mirror.begin(vector, groups)

        async def nearest(others: Sequence[int]) -> dict[int, float]:
            with self.turn:
                also = mirror.with_vector(others)
                if mirror.exact:
                    near = mirror.compared(vector, groups, most)
                    keys, vectors = await self._vectors_of(tx, mirror, space, also)
                    return dict(near) | _cosines_by_key(keys, vectors, vector)
                scan = started or mirror.begin(vector, groups)  # rows may have been added
                enough = COMPARED if mirror.size < MANY else MORE_COMPARED
                close = scan.nearest(max(enough, 2 * most)).tolist()
                if len(mirror.unread(close)) > MOST_READ:  # little has been read ahead yet
                    close = scan.nearest(max(COMPARED, 2 * most)).tolist()
                wanted = list(dict.fromkeys((*close, *also)))
                keys, vectors = await self._vectors_of(tx, mirror, space, wanted)
                await self._count_search(tx, mirror, space)
            cosines, asked = _cosines(vectors, vector), set(also)
            best = (-cosines).argsort(kind="stable")[:most].tolist()
            rest = [place for place, key in enumerate(keys) if key in asked]
            return {keys[place]: float(cosines[place]) for place in (*best, *rest)}

        return nearest

    async def _count_search(self, tx: Connection, mirror: "VectorMirror", space: Space) -> None:
        """Count a search; after some, read ahead what later ones will need."""
        from seasoned.db.search.read_ahead import ReadAhead

        self._searches += 1
        if self._searches != STAYS or not mirror.remembers:
            return
        if mirror.size > FEW:

            def vectors(reader: "ReadConnection") -> Iterator[None]:
                return self._read_ahead(reader, mirror, space)

            self._ahead = ReadAhead(self._db, vectors, hurries=True)
            return
        for start in range(0, mirror.size, READ_AT_ONCE):
            rows = await tx.fetch(self._in_order, (space.id, start, start + READ_AT_ONCE))
            mirror.remember([(row[0], row[1]) for row in rows])
        if self.also_ahead is not None:
            self._ahead = ReadAhead(self._db, self.also_ahead)

    def _read_ahead(
        self, reader: "ReadConnection", mirror: "VectorMirror", space: Space
    ) -> Iterator[None]:
        """Read every vector in the order of the keys: faster than hundreds per search."""
        for start in range(0, mirror.size, AHEAD_AT_ONCE):
            for _ in range(TRIES):
                version = mirror.version
                keys = (space.id, start, start + AHEAD_AT_ONCE)
                rows: list[tuple[int, bytes]] = reader.execute(self._in_order, keys).fetchall()
                with self.turn:
                    if mirror.version == version:
                        mirror.remember(rows)
                        break
            yield

    def close(self) -> None:
        """Stop reading ahead."""
        if self._ahead is not None:
            self._ahead.stop()
            self._ahead.join()

    async def likeness(
        self, tx: Connection, space: Space, vector: "NDArray[Any]", keys: Sequence[int]
    ) -> dict[int, float]:
        if tx.writes:
            there, vectors = _unpacked(await self._embedded(tx, space, keys), space)
        else:
            with self.turn:
                mirror = await self.mirrored(tx, space)
                known = mirror.with_vector(keys)
                there, vectors = await self._vectors_of(tx, mirror, space, known)
        return _cosines_by_key(there, vectors, vector)

    async def mirrored(self, tx: Connection, space: Space) -> "VectorMirror":
        """Return the mirror, in step with this transaction's view of the tables.

        A transaction that writes leaves it as it is, because it may be rolled back.
        """
        from seasoned.db.search.vector_mirror import VectorMirror

        if tx.writes and (self._mirror is None or self._space != space):
            aside = VectorMirror(space.dimensions)
            await self._read_all(tx, aside, space)
            return aside
        if self._mirror is None or self._space != space:
            self._mirror, self._space, self._seen = VectorMirror(space.dimensions), space, 0
            self._searches = 0
            if self._ahead is not None:
                self._ahead.stop()
        if not tx.writes:
            await self._catch_up(tx, self._mirror, space)
        return self._mirror

    async def _catch_up(self, tx: Connection, mirror: "VectorMirror", space: Space) -> None:
        row = await tx.fetch_one(  # in one SELECT, SQLite would read every row
            f"SELECT (SELECT max(seq) FROM {self.changes}), (SELECT min(seq) FROM {self.changes})"
        )
        last, first = (row[0] or 0, row[1] or 0) if row else (0, 0)
        if last == self._seen:
            return
        if not self._seen or first > self._seen + 1 or last < self._seen:
            await self._read_all(tx, mirror, space)
        else:
            rows = await tx.fetch(
                f"SELECT DISTINCT key FROM {self.changes} WHERE seq > ?", (self._seen,)
            )
            keys = [row[0] for row in rows]
            for start in range(0, len(keys), AT_ONCE):
                await self._read(tx, mirror, space, keys[start : start + AT_ONCE])
        self._seen = last

    async def _read_all(self, tx: Connection, mirror: "VectorMirror", space: Space) -> None:
        mirror.clear()
        rows = await tx.fetch(
            f"SELECT key, group_id, length, CASE WHEN space = ? THEN code END FROM {self.table}",
            (space.id,),
        )
        mirror.put(rows)
        if mirror.exact:
            await self._hold(tx, mirror, space, [row[0] for row in rows if row[3] is not None])

    async def _read(
        self, tx: Connection, mirror: "VectorMirror", space: Space, keys: Sequence[int]
    ) -> None:
        marks = ", ".join("?" for _ in keys)
        rows = await tx.fetch(
            f"SELECT key, group_id, length, CASE WHEN space = ? THEN code END FROM {self.table} "
            f"WHERE key IN ({marks})",
            (space.id, *keys),
        )
        mirror.drop(set(keys) - {row[0] for row in rows})
        mirror.put(rows)
        if mirror.exact:
            await self._hold(tx, mirror, space, [row[0] for row in rows if row[3] is not None])

    async def _hold(
        self, tx: Connection, mirror: "VectorMirror", space: Space, keys: Sequence[int]
    ) -> None:
        for start in range(0, len(keys), AT_ONCE):
            rows = await self._embedded(tx, space, keys[start : start + AT_ONCE])
            if rows:
                mirror.keep(*_unpacked(rows, space))

    async def _vectors_of(
        self, tx: Connection, mirror: "VectorMirror", space: Space, keys: Sequence[int]
    ) -> "tuple[list[int], NDArray[Any]]":
        """Return the keys that have a vector, and the vectors; read only those not in memory."""
        return mirror.vectors(keys, await self._embedded(tx, space, mirror.unread(keys)))

    async def _recent(
        self, tx: Connection, space: Space, groups: Collection[int]
    ) -> list[tuple[int, bytes]]:
        """Read the newest vectors of these groups, inside a writing transaction."""
        each = max(RECENT_EACH, RECENT // max(1, len(groups)))
        rows: list[tuple[int, bytes]] = []
        for group in sorted(groups):
            rows += await tx.fetch(  # pyright: ignore
                f"SELECT v.key, e.vector FROM {self.table} v "
                f"JOIN {self.embeddings} e ON e.key = v.key "
                "WHERE v.group_id = ? AND v.space = ? ORDER BY v.key DESC LIMIT ?",
                (group, space.id, each),
            )
        return rows

    async def _embedded(
        self, tx: Connection, space: Space, keys: Sequence[int]
    ) -> list[tuple[int, bytes]]:
        """Read the stored vectors of these keys.

        It checks the space, because another model may have replaced it since the mirror was read.
        """
        rows: list[tuple[int, bytes]] = []
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            marks = ", ".join("?" for _ in some)
            rows += await tx.fetch(  # pyright: ignore
                f"SELECT key, vector FROM {self.embeddings} WHERE space = ? AND key IN ({marks})",
                (space.id, *some),
            )
        return rows


def _unpacked(rows: Sequence[tuple[int, bytes]], space: Space) -> "tuple[list[int], NDArray[Any]]":
    from seasoned.db.search.vector_mirror import SCALE_BYTES, rows_of, unpack

    blobs = rows_of([blob for _, blob in rows], space.dimensions + SCALE_BYTES)
    return [key for key, _ in rows], unpack(blobs)


def _best(
    keys: Sequence[int], vectors: "NDArray[Any]", vector: "NDArray[Any]", most: int
) -> list[tuple[int, float]]:
    """Return the keys whose vectors are nearest, with their cosines."""
    cosines = _cosines(vectors, vector)
    best = (-cosines).argsort(kind="stable")[:most]
    return [(keys[place], float(cosines[place])) for place in best.tolist()]


def _cosines_by_key(
    keys: Sequence[int], vectors: "NDArray[Any]", vector: "NDArray[Any]"
) -> dict[int, float]:
    return dict(zip(keys, _cosines(vectors, vector).tolist(), strict=True))


def _cosines(vectors: "NDArray[Any]", vector: "NDArray[Any]") -> "NDArray[Any]":
    """Compute with einsum, which uses one thread: sharing so little work takes longer."""
    import numpy as np

    return np.einsum("ij,j->i", vectors, vector)
