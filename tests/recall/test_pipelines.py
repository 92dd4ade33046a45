"""Several parts of the database at once: the slow one is left out, the others are not."""

import asyncio
import time
from collections.abc import Sequence

from seasoned.core.errors import DatabaseError
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database
from seasoned.recall.context import Entry
from seasoned.recall.pipelines import together

LINE = Entry("skills", "• x", 1.0, "", "")


async def fast(tx: Connection) -> Sequence[Entry]:
    await tx.fetch("SELECT 1")
    return [LINE]


async def slow(tx: Connection) -> Sequence[Entry]:
    """A statement that takes its time, in either dialect."""
    if tx.writes:  # Postgres
        await tx.fetch("SELECT pg_sleep(60)")
    time.sleep(0.6)  # noqa: ASYNC251 - SQLite answers inline
    return [LINE]


def test_all_that_is_in_time_is_there(db: Database) -> None:
    found, notes = db.run(together(db, [{"a": fast}, {"b": fast}], 30))
    assert (found, notes) == ({"a": [LINE], "b": [LINE]}, [])


def test_a_part_that_is_too_slow_costs_no_other_and_is_named(db: Database) -> None:
    began = time.monotonic()
    found, notes = db.run(together(db, [{"a": fast}, {"b": slow}, {"c": fast}], 0.5))
    assert time.monotonic() - began < 30
    assert found["a"] == [LINE]
    if db.overlaps:
        assert (found["b"], found["c"]) == ((), [LINE])
        assert notes == ["b: cut off after 0.5 s"]
    else:  # it cannot be interrupted; what comes after it is left out
        assert (found["b"], found["c"]) == ([LINE], ())
        assert notes == ["c: cut off after 0.5 s"]


def test_a_part_that_is_too_slow_takes_the_time_of_those_behind_it(postgres_url: str) -> None:
    db = open_database(postgres_url)
    db.run(db.open())
    parts = [{"a": fast, "b": slow, "c": fast}, {"d": fast}]
    found, notes = db.run(together(db, parts, 0.3))
    assert found == {"a": [LINE], "b": (), "c": (), "d": [LINE]}
    assert notes == ["b: cut off after 0.3 s", "c: cut off after 0.3 s"]
    db.run(db.close())
    db.shutdown()


def test_a_database_that_cut_something_off_goes_on(db: Database) -> None:
    for _ in range(12):  # more often than it has connections
        db.run(together(db, [{"a": slow}, {"b": slow}], 0.02))
    assert db.run(together(db, [{"a": fast}], 30)) == ({"a": [LINE]}, [])


def test_an_error_is_the_callers(db: Database) -> None:
    async def broken(tx: Connection) -> Sequence[Entry]:
        await tx.fetch("SELECT * FROM nowhere")
        return []

    async def both() -> str:
        try:
            await together(db, [{"a": fast}, {"b": broken}], 30)
        except DatabaseError as error:
            return str(error)
        return ""

    assert "nowhere" in db.run(both())
    assert db.run(together(db, [{"a": fast}], 30)) == ({"a": [LINE]}, [])


def test_many_at_once_wait_for_one_another(postgres_url: str) -> None:
    db = open_database(postgres_url)
    db.run(db.open())

    async def many() -> list[int]:
        pipelines = [{"a": fast, "b": fast}, {"c": fast}, {"d": fast}]
        answers = await asyncio.gather(*(together(db, pipelines, 60) for _ in range(30)))
        return [len(found) + len(notes) for found, notes in answers]

    assert db.run(many()) == [4] * 30
    db.run(db.close())
    db.shutdown()
