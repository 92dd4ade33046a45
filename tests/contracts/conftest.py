"""Shared by the contracts: indexes of vectors and words, and the back ends of a queue."""

from collections.abc import Awaitable, Callable, Collection, Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database
from seasoned.db.queue.opening import open_queue
from seasoned.db.queue.queue import Queue
from seasoned.db.search import postgres_vectors as vectors_postgres
from seasoned.db.search import sign_codes as vector_codes
from seasoned.db.search import sqlite_vectors as vectors_sqlite
from seasoned.db.search import vector_mirror
from seasoned.db.search.index import Space, VectorIndex

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


class Place:
    """The back end of a queue: a database, or a Redis beside one."""

    def __init__(self, database_url: str, queue_url: str = "") -> None:
        self.addresses = (database_url, queue_url)
        self.db = open_database(database_url, busy_seconds=20)
        self.db.run(self.db.open())
        self._opened: list[Queue] = []

    def queue(self, cap: int = 50, name: str = "behavioral") -> Queue:
        self._opened.append(open_queue(self.addresses[1], self.db, cap, name))
        return self._opened[-1]

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.db.run(work)

    def close(self) -> None:
        for queue in self._opened:
            self.run(queue.close())
        self.db.run(self.db.close())
        self.db.shutdown()


@pytest.fixture(params=["sqlite", "postgres", "redis"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Place]:
    """Run the test on every back end of a queue."""
    here = str(tmp_path / "seasoned.db")
    made = {
        "sqlite": lambda: Place(here),
        "postgres": lambda: Place(request.getfixturevalue("postgres_url")),
        "redis": lambda: Place(here, request.getfixturevalue("redis_url")),
    }[request.param]()
    yield made
    made.close()


class Shelf:
    """Vectors of errors, filtered by tenant, project and tool, in one database."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.vectors: VectorIndex = db.vectors("error", ("tenant", "project", "tool"))

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
    """Open the same database a second time, like another process."""
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
    """Lower the limits, so that few rows are searched by codes or by an index."""
    monkeypatch.setattr(vector_mirror, "EXACT", 40)
    monkeypatch.setattr(vector_codes, "SHARED", 60)
    monkeypatch.setattr(vector_codes, "SHARED_BLOCK", 25)
    monkeypatch.setattr(vectors_sqlite, "STAYS", 2)
    monkeypatch.setattr(vectors_postgres, "INDEXED", 40)


def units(rng: np.random.Generator, many: int, dimensions: int) -> Array:
    rows = rng.normal(size=(many, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
