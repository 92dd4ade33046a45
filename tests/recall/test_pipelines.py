"""Concurrent parts of a recall: a slow part is left out, the others are not."""

import asyncio
import time
from collections.abc import Sequence

from seasoned.core.errors import DatabaseError
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database
from seasoned.recall.context import ContextEntry
from seasoned.recall.layers import read_pipelines

LINE = ContextEntry("skills", "• x", 1.0, "", "")


async def fast(tx: Connection) -> Sequence[ContextEntry]:
    await tx.fetch("SELECT 1")
    return [LINE]


async def slow(tx: Connection) -> Sequence[ContextEntry]:
    """A slow part of a recall, in either dialect."""
    if tx.writes:  # Postgres
        await tx.fetch("SELECT pg_sleep(60)")
    time.sleep(0.6)  # noqa: ASYNC251 - SQLite answers inline
    return [LINE]


def test_parts_in_time_are_returned(db: Database) -> None:
    found, notes = db.run(read_pipelines(db, [{"a": fast}, {"b": fast}], 30))
    assert (found, notes) == ({"a": [LINE], "b": [LINE]}, [])


def test_a_slow_part_is_named_and_costs_no_other(db: Database) -> None:
    began = time.monotonic()
    found, notes = db.run(read_pipelines(db, [{"a": fast}, {"b": slow}, {"c": fast}], 0.5))
    assert time.monotonic() - began < 30
    assert found["a"] == [LINE]
    if db.overlaps:
        assert (found["b"], found["c"]) == ((), [LINE])
        assert notes == ["b: cut off after 0.5 s"]
    else:  # SQLite cannot be interrupted; the next part is left out
        assert (found["b"], found["c"]) == ([LINE], ())
        assert notes == ["c: cut off after 0.5 s"]


def test_a_slow_part_delays_those_behind_it(postgres_url: str) -> None:
    db = open_database(postgres_url)
    db.run(db.open())
    parts = [{"a": fast, "b": slow, "c": fast}, {"d": fast}]
    found, notes = db.run(read_pipelines(db, parts, 0.3))
    assert found == {"a": [LINE], "b": (), "c": (), "d": [LINE]}
    assert notes == ["b: cut off after 0.3 s", "c: cut off after 0.3 s"]
    db.run(db.close())
    db.shutdown()


def test_the_database_keeps_working_after_a_cut_off(db: Database) -> None:
    for _ in range(12):  # more times than there are connections
        db.run(read_pipelines(db, [{"a": slow}, {"b": slow}], 0.02))
    assert db.run(read_pipelines(db, [{"a": fast}], 30)) == ({"a": [LINE]}, [])


def test_an_error_reaches_the_caller(db: Database) -> None:
    async def broken(tx: Connection) -> Sequence[ContextEntry]:
        await tx.fetch("SELECT * FROM nowhere")
        return []

    async def both() -> str:
        try:
            await read_pipelines(db, [{"a": fast}, {"b": broken}], 30)
        except DatabaseError as error:
            return str(error)
        return ""

    assert "nowhere" in db.run(both())
    assert db.run(read_pipelines(db, [{"a": fast}], 30)) == ({"a": [LINE]}, [])


def test_concurrent_reads_wait_for_a_connection(postgres_url: str) -> None:
    db = open_database(postgres_url)
    db.run(db.open())

    async def many() -> list[int]:
        pipelines = [{"a": fast, "b": fast}, {"c": fast}, {"d": fast}]
        answers = await asyncio.gather(*(read_pipelines(db, pipelines, 60) for _ in range(30)))
        return [len(found) + len(notes) for found, notes in answers]

    assert db.run(many()) == [4] * 30
    db.run(db.close())
    db.shutdown()
