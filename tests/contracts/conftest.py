"""What the contracts of the indexes share: rows of one kind, put and asked for in one line."""

from collections.abc import Awaitable, Callable, Collection, Generator, Sequence
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from seasoned.db import vector_mirror, vectors_postgres
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database
from seasoned.db.vectors import Space, Vectors

T = TypeVar("T")
Array = NDArray[np.float32]
Wanted = Sequence[Collection[str] | None]

ANY: Wanted = (None, None, None)


def writing(db: Database, work: Callable[[Connection], Awaitable[T]]) -> T:
    async def done() -> T:
        async with db.write() as tx:
            return await work(tx)

    return db.run(done())


def reading(db: Database, work: Callable[[Connection], Awaitable[T]]) -> T:
    async def done() -> T:
        async with db.read() as tx:
            return await work(tx)

    return db.run(done())


class Shelf:
    """Vectors of errors, filtered by tenant, project and tool, in one database."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.vectors: Vectors = db.vectors("error", ("tenant", "project", "tool"))

    def add(self, *places: tuple[str, str, str]) -> list[int]:
        async def added(tx: Connection) -> list[int]:
            return [await self.vectors.add(tx, place, 5) for place in places]

        return writing(self.db, added)

    def put(self, space: Space, keys: Sequence[int], rows: Array) -> None:
        writing(self.db, lambda tx: self.vectors.put(tx, space, keys, rows))

    def remove(self, *keys: int) -> None:
        async def removed(tx: Connection) -> None:
            for key in keys:
                await self.vectors.remove(tx, key)

        writing(self.db, removed)

    def regroup(self, key: int, place: tuple[str, str, str]) -> None:
        writing(self.db, lambda tx: self.vectors.regroup(tx, key, place))

    def tend(self, space: Space) -> None:
        writing(self.db, lambda tx: self.vectors.tend(tx, space))

    def nearest(
        self, space: Space, vector: Array, wanted: Wanted = ANY, most: int = 10
    ) -> list[tuple[int, float]]:
        async def found(tx: Connection) -> list[tuple[int, float]]:
            groups = await self.vectors.groups(tx, wanted)
            return await self.vectors.nearest(tx, space, vector, groups, most)

        return reading(self.db, found)

    def keys(self, space: Space, vector: Array, wanted: Wanted = ANY, most: int = 10) -> list[int]:
        return [key for key, _ in self.nearest(space, vector, wanted, most)]

    def likeness(self, space: Space, vector: Array, keys: Sequence[int]) -> dict[int, float]:
        return reading(self.db, lambda tx: self.vectors.likeness(tx, space, vector, keys))

    def waiting(self, space: Space, most: int = 100) -> list[int]:
        return reading(self.db, lambda tx: self.vectors.waiting(tx, space.id, most))

    def rows(self, sql: str, *params: object) -> list[tuple[Any, ...]]:
        return reading(self.db, lambda tx: tx.fetch(sql, params))


@pytest.fixture
def shelf(db: Database) -> Shelf:
    return Shelf(db)


@pytest.fixture
def elsewhere(database_url: str) -> Generator[Callable[[], Shelf]]:
    """The same database, as another process would have it open."""
    there: list[Database] = []

    def open_one() -> Shelf:
        there.append(open_database(database_url, busy_seconds=5))
        there[-1].run(there[-1].open())
        return Shelf(there[-1])

    yield open_one
    for one in there:
        one.run(one.close())
        one.shutdown()


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes few rows count as many: they are searched by codes, or by an index."""
    monkeypatch.setattr(vector_mirror, "EXACT", 40)
    monkeypatch.setattr(vectors_postgres, "INDEXED", 40)


def units(rng: np.random.Generator, many: int, dimensions: int) -> Array:
    rows = rng.normal(size=(many, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
