"""Reading vectors ahead of the first search, in a long-running process."""

import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from seasoned import Seasoned
from seasoned.core.words import stems
from seasoned.db.connection import Connection
from seasoned.db.search import read_ahead, vector_mirror
from seasoned.db.search import sqlite_vectors as vectors_sqlite
from seasoned.db.search import sqlite_words as words_sqlite
from seasoned.db.search.index import Space
from seasoned.db.sqlite import SqliteDatabase

SPACE = Space(1, "test", 64)
MANY = 300
COLUMNS = ("tenant", "project", "tool")


@pytest.fixture(autouse=True)
def _crowded(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(vector_mirror, "EXACT", 40)
    monkeypatch.setattr(vectors_sqlite, "COMPARED", 5)
    monkeypatch.setattr(vectors_sqlite, "STAYS", 3)
    monkeypatch.setattr(vectors_sqlite, "FEW", 100)
    monkeypatch.setattr(vectors_sqlite, "AHEAD_AT_ONCE", 50)


@pytest.fixture
def opened(tmp_path: Path) -> Generator[SqliteDatabase]:
    db = SqliteDatabase(str(tmp_path / "seasoned.db"))
    db.run(db.open())
    yield db
    db.run(db.close())


def rows() -> NDArray[np.float32]:
    made = np.random.default_rng(2).normal(size=(MANY, 64)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def filled(db: SqliteDatabase) -> tuple[vectors_sqlite.SqliteVectors, list[int]]:
    vectors = db.vectors("error", COLUMNS)

    async def fill() -> list[int]:
        async with db.write() as tx:
            keys = [await vectors.add(tx, ("t", "p", "shell"), 5) for _ in range(MANY)]
            await vectors.put(tx, SPACE, keys, rows())
        return keys

    return vectors, db.run(fill())


def search(db: SqliteDatabase, vectors: vectors_sqlite.SqliteVectors, place: int = 0) -> list[int]:
    async def found(tx: Connection) -> list[int]:
        groups = await vectors.groups(tx, (None, None, None))
        return [key for key, _ in await vectors.nearest(tx, SPACE, rows()[place], groups, 2)]

    return reading(db, found)


def reading(db: SqliteDatabase, work: Callable[[Connection], object]) -> list[int]:
    async def read() -> list[int]:
        async with db.read() as tx:
            return await work(tx)  # pyright: ignore

    return db.run(read())


def unread(db: SqliteDatabase, vectors: vectors_sqlite.SqliteVectors, keys: list[int]) -> list[int]:
    async def asked(tx: Connection) -> list[int]:
        return (await vectors.mirrored(tx, SPACE)).unread(keys)

    return reading(db, asked)


def eventually(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not done():
        assert time.monotonic() < until, "it did not come to that within ten seconds"
        time.sleep(0.01)


def readers() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "seasoned-read-ahead"]


def test_a_long_running_process_reads_all_vectors_in_the_background(opened: SqliteDatabase) -> None:
    vectors, keys = filled(opened)
    for place in range(2):
        assert search(opened, vectors, place)[0] == keys[place]
    assert len(unread(opened, vectors, keys)) > MANY // 2, "one that asks little reads little"
    search(opened, vectors)
    eventually(lambda: not unread(opened, vectors, keys))
    for place in range(MANY):
        assert search(opened, vectors, place)[0] == keys[place]


def test_few_vectors_are_read_at_once(
    opened: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_sqlite, "FEW", MANY + 1)
    monkeypatch.setattr(vectors_sqlite, "READ_AT_ONCE", 70)
    vectors, keys = filled(opened)
    for _ in range(3):
        search(opened, vectors)
    assert not unread(opened, vectors, keys)
    assert not readers()


def test_what_changes_meanwhile_is_not_remembered_as_it_was(opened: SqliteDatabase) -> None:
    vectors, keys = filled(opened)
    search(opened, vectors)
    search(opened, vectors)
    swapped = rows()[::-1]

    async def swap() -> None:
        async with opened.write() as tx:
            await vectors.put(tx, SPACE, keys, swapped)

    search(opened, vectors)  # starts reading ahead
    opened.run(swap())
    search(opened, vectors)
    eventually(lambda: not readers())
    for place in range(0, MANY, 7):
        assert search(opened, vectors, place)[0] == keys[MANY - 1 - place]


def test_closing_ends_it(opened: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_sqlite, "AHEAD_AT_ONCE", 1)
    monkeypatch.setattr(read_ahead, "QUIET_SECONDS", 1000)
    monkeypatch.setattr(read_ahead, "PATIENCE_SECONDS", 1000)
    vectors, _ = filled(opened)
    for _ in range(3):
        search(opened, vectors)
    assert readers()
    opened.run(opened.close())
    assert not readers()


def test_reading_ahead_continues_under_constant_load(
    opened: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_ahead, "QUIET_SECONDS", 1000)
    monkeypatch.setattr(read_ahead, "PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(opened, "idle_seconds", lambda: 999.99)
    vectors, keys = filled(opened)
    for _ in range(3):
        search(opened, vectors)
    eventually(lambda: not unread(opened, vectors, keys))


def test_an_in_memory_database_is_searched_without_reading_ahead() -> None:
    db = SqliteDatabase(":memory:")
    db.run(db.open())
    vectors, keys = filled(db)
    for place in range(10):
        assert search(db, vectors, place)[0] == keys[place]
    db.run(db.close())


def test_searches_work_after_the_reader_fails(
    opened: SqliteDatabase, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, keys = filled(opened)
    monkeypatch.setattr(vectors_sqlite, "AHEAD_AT_ONCE", "many")  # make the reader fail
    with caplog.at_level("INFO", "seasoned.db"):
        for place in range(10):
            assert search(opened, vectors, place)[0] == keys[place]
        eventually(lambda: not readers())
    assert "stopped reading ahead" in caplog.text


def test_words_are_read_ahead_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_sqlite, "COSTLY", 3)
    monkeypatch.setattr(vectors_sqlite, "FEW", 1000)
    with Seasoned(tmp_path / "seasoned.db") as s:
        for number in range(50):
            s.teach(f"night {number}", fact=f"Zebras graze beside tree {number}, said Naïve.")
        eventually(lambda: not s.status()["embedding"]["waiting"])
        index = s.inner.app.lessons.words
        assert isinstance(index, words_sqlite.SqliteWords)
        for number in range(4):
            s.recall(f"unheard {number}")
        eventually(lambda: not readers())
        known = index._places  # pyright: ignore[reportPrivateUsage]
        assert {"zebra", "graze", "tree", *stems("naïve")} <= known.keys()
        before = [hit.lesson.content for hit in s.search("zebras that graze", limit=50)]
        assert len(before) == 50
        s.teach("night 50", fact="Zebras graze beside tree 50.")  # newer than the rows read ahead
        after = [hit.lesson.content for hit in s.search("zebras that graze", limit=60)]
        assert len(after) == 51
