"""Vectors in SQLite: kept in tables, compared in memory, in step with what any process writes."""

import threading
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.db.connection import Connection
from seasoned.db.vectors import Nearest, Space, Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seasoned.db.read_ahead import Beside, Job, Opened, ReadAhead
    from seasoned.db.vector_mirror import VectorMirror

COMPARED = 400  # of the nearest by code, so many are compared exactly,
MORE_COMPARED = 1_600  # and so many where there are more rows than this:
MANY = 200_000
MOST_READ = 200  # vectors that a search reads for that
KEPT_CHANGES = 200_000  # a reader that is further behind reads everything anew
AT_ONCE = 500
STAYS = 20  # searches after which a process is one that stays, and reads ahead what it needs:
FEW = 250_000  # keys up to which all vectors are read at once, in a microsecond each
READ_AT_ONCE = 10_000
AHEAD_AT_ONCE = 500  # keys: a search that comes meanwhile waits until these are taken in
TRIES = 3  # at a batch that was changed while it was read; it is read when asked for, then
RECENT = 500  # rows, the newest, that are compared where the mirror may not be asked
RECENT_EACH = 20  # of each group, however many groups there are


class SqliteVectors(Vectors):
    def __init__(self, kind: str, columns: Sequence[str], db: "Beside") -> None:
        super().__init__(kind, columns)
        self.embeddings = f"{kind}_embeddings"
        self.changes = f"{kind}_vector_changes"
        self.turn = threading.RLock()
        self._db = db
        self.also_ahead: Job | None = None  # what else is worth reading ahead, where there are few
        self._in_order = (
            f"SELECT key, vector FROM {self.embeddings} WHERE space = ? AND key >= ? AND key < ?"
        )
        self._ahead: ReadAhead | None = None
        self._searches = 0
        self._mirror: VectorMirror | None = None
        self._space: Space | None = None
        self._seen = 0

    async def usable(self, tx: Connection) -> str:
        return ""

    async def put(
        self, tx: Connection, space: Space, keys: Sequence[int], vectors: "NDArray[Any]"
    ) -> None:
        from seasoned.db.vector_codes import code_of
        from seasoned.db.vector_mirror import packed

        await tx.execute_many(
            f"INSERT INTO {self.embeddings} (key, space, vector) "
            f"SELECT key, ?, ? FROM {self.table} WHERE key = ? ON CONFLICT (key) DO UPDATE "
            "SET space = excluded.space, vector = excluded.vector",
            ((space.id, blob, key) for blob, key in zip(packed(vectors), keys, strict=True)),
        )
        await tx.execute_many(
            f"UPDATE {self.table} SET space = ?, code = ? WHERE key = ?",
            ((space.id, code, key) for code, key in zip(code_of(vectors), keys, strict=True)),
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
        from seasoned.db.vector_codes import code_of

        if tx.writes:
            return await super().begin(tx, space, vector, groups, most)
        with self.turn:
            mirror = await self.mirrored(tx, space)
            code = code_of(vector[None])[0]
            begun = None if mirror.exact else mirror.begin(code, groups)

        async def compared(others: Sequence[int]) -> dict[int, float]:
            with self.turn:
                also = mirror.with_vector(others)
                if mirror.exact:
                    near = mirror.compared(vector, groups, most)
                    keys, vectors = await self._vectors_of(tx, mirror, space, also)
                    return dict(near) | _alike(keys, vectors, vector)
                scan = begun or mirror.begin(code, groups)  # rows may have been added meanwhile
                enough = COMPARED if mirror.size < MANY else MORE_COMPARED
                close = scan.nearest(max(enough, 2 * most)).tolist()
                if len(mirror.unread(close)) > MOST_READ:  # as long as little has been read ahead
                    close = scan.nearest(max(COMPARED, 2 * most)).tolist()
                wanted = list(dict.fromkeys((*close, *also)))
                keys, vectors = await self._vectors_of(tx, mirror, space, wanted)
                await self._searched(tx, mirror, space)
            cosines, asked = _cosines(vectors, vector), set(also)
            best = (-cosines).argsort(kind="stable")[:most].tolist()
            rest = [place for place, key in enumerate(keys) if key in asked]
            return {keys[place]: float(cosines[place]) for place in (*best, *rest)}

        return compared

    async def _searched(self, tx: Connection, mirror: "VectorMirror", space: Space) -> None:
        """Counts a search; after some, what will be needed is read ahead."""
        from seasoned.db.read_ahead import ReadAhead

        self._searches += 1
        if self._searches != STAYS or not mirror.remembers:
            return
        if mirror.size > FEW:

            def vectors(opened: "Opened") -> Iterator[None]:
                return self._read_ahead(opened, mirror, space)

            self._ahead = ReadAhead(self._db, vectors, hurries=True)
            return
        for start in range(0, mirror.size, READ_AT_ONCE):
            rows = await tx.fetch(self._in_order, (space.id, start, start + READ_AT_ONCE))
            mirror.remember([(row[0], row[1]) for row in rows])
        if self.also_ahead is not None:
            self._ahead = ReadAhead(self._db, self.also_ahead)

    def _read_ahead(self, opened: "Opened", mirror: "VectorMirror", space: Space) -> Iterator[None]:
        """Every vector, in the order of the keys: sooner done than hundreds a search."""
        for start in range(0, mirror.size, AHEAD_AT_ONCE):
            for _ in range(TRIES):
                version = mirror.version
                keys = (space.id, start, start + AHEAD_AT_ONCE)
                rows: list[tuple[int, bytes]] = opened.execute(self._in_order, keys).fetchall()
                with self.turn:
                    if mirror.version == version:
                        mirror.remember(rows)
                        break
            yield

    def close(self) -> None:
        """Ends what still reads ahead."""
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
        return _alike(there, vectors, vector)

    async def mirrored(self, tx: Connection, space: Space) -> "VectorMirror":
        """The mirror, in step with this transaction's view of the tables.

        Inside a transaction that writes it is left as it was: what is rolled back was never there.
        """
        from seasoned.db.vector_mirror import VectorMirror

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
        row = await tx.fetch_one(  # asked for both at once, SQLite would read every row
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
        """The keys that have a vector, and the vectors; only those never read before are read."""
        return mirror.vectors(keys, await self._embedded(tx, space, mirror.unread(keys)))

    async def _recent(
        self, tx: Connection, space: Space, groups: Collection[int]
    ) -> list[tuple[int, bytes]]:
        """The newest vectors of these groups, as a transaction that writes sees them."""
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
        """The vectors of these keys, as they are stored.

        The space is asked for again: another model may have taken over since the mirror was read.
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
    from seasoned.db.vector_mirror import SCALE_BYTES, as_rows, unpacked

    blobs = as_rows([blob for _, blob in rows], space.dimensions + SCALE_BYTES)
    return [key for key, _ in rows], unpacked(blobs)


def _best(
    keys: Sequence[int], vectors: "NDArray[Any]", vector: "NDArray[Any]", most: int
) -> list[tuple[int, float]]:
    """The keys whose vectors are nearest, with their cosine."""
    cosines = _cosines(vectors, vector)
    best = (-cosines).argsort(kind="stable")[:most]
    return [(keys[place], float(cosines[place])) for place in best.tolist()]


def _alike(
    keys: Sequence[int], vectors: "NDArray[Any]", vector: "NDArray[Any]"
) -> dict[int, float]:
    return dict(zip(keys, _cosines(vectors, vector).tolist(), strict=True))


def _cosines(vectors: "NDArray[Any]", vector: "NDArray[Any]") -> "NDArray[Any]":
    """On this thread alone: to share so little work among threads takes longer than to do it."""
    import numpy as np

    return np.einsum("ij,j->i", vectors, vector)
