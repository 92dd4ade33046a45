"""The contract of both dialects, on a real SQLite file and a real Postgres."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import apsw
import pytest

from seasoned.core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseError,
    DatabaseUnavailable,
)
from seasoned.db.database import Connection, Database, Row
from seasoned.db.migrations import LATEST, migrations
from seasoned.db.opening import open_database
from seasoned.db.unit import transact


def fetch(db: Database, sql: str, *params: object) -> list[Row]:
    async def fetched() -> list[Row]:
        async with db.read() as tx:
            return await tx.fetch(sql, params)

    return db.run(fetched())


async def add_tool(tx: Connection, name: str) -> None:
    await tx.execute("INSERT INTO tools VALUES ('', '', ?, 1, 0, 0, 0, 0)", (name,))


def test_a_transaction_happens_whole(db: Database) -> None:
    async def both() -> None:
        async with db.write() as tx:
            await add_tool(tx, "a")
            await add_tool(tx, "b")

    db.run(both())
    assert fetch(db, "SELECT count(*) FROM tools") == [(2,)]


def test_a_transaction_that_raises_leaves_nothing(db: Database) -> None:
    async def half() -> None:
        async with db.write() as tx:
            await add_tool(tx, "a")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        db.run(half())
    assert fetch(db, "SELECT count(*) FROM tools") == [(0,)]


def test_a_broken_constraint_is_our_error_and_leaves_nothing(db: Database) -> None:
    async def twice() -> None:
        async with db.write() as tx:
            await add_tool(tx, "a")
            await add_tool(tx, "a")

    with pytest.raises(DatabaseError):
        db.run(twice())
    assert fetch(db, "SELECT count(*) FROM tools") == [(0,)]


def test_sent_statements_run_in_order(db: Database) -> None:
    async def mixed() -> list[Row]:
        async with db.write() as tx:
            await tx.send("INSERT INTO tools VALUES ('', '', 'a', 1, 0, 0, 0, 0)")
            await tx.send("UPDATE tools SET calls = calls + ? WHERE name = ?", (4, "a"))
            seen = await tx.fetch("SELECT name, calls FROM tools")
            await tx.send("UPDATE tools SET calls = calls * 2")
            assert await tx.execute("UPDATE tools SET calls = calls + 1") == 1
            await tx.send("INSERT INTO tools VALUES ('', '', 'b', 1, 0, 0, 0, 0)")
            await tx.script("UPDATE tools SET calls = calls + 100")
            await tx.send("UPDATE tools SET calls = calls * 2")
            await tx.execute_many("UPDATE tools SET calls = calls + ?", [(1,), (2,)])
            await tx.send("INSERT INTO tools VALUES ('', '', 'c', 1, 0, 0, 0, 0)")
            return seen

    assert db.run(mixed()) == [("a", 5)]
    rows = fetch(db, "SELECT name, calls FROM tools ORDER BY name")
    assert rows == [("a", 225), ("b", 205), ("c", 1)]


@pytest.mark.parametrize("more", [0, 1])
def test_what_is_sent_and_fails_is_our_error_and_leaves_nothing(db: Database, more: int) -> None:
    async def twice() -> None:
        async with db.write() as tx:
            for name in ("a", "a", "b"):
                await tx.send("INSERT INTO tools VALUES ('', '', ?, 1, 0, 0, 0, 0)", (name,))
            if more:
                await tx.fetch("SELECT 1")

    with pytest.raises(DatabaseError, match=r"(?i)unique"):
        db.run(twice())
    assert fetch(db, "SELECT count(*) FROM tools") == [(0,)]


def test_a_percent_sign_and_unicode_come_back_as_they_went(db: Database) -> None:
    rows = fetch(db, "SELECT cast(? AS TEXT) WHERE 'a%b' LIKE 'a%'", "100 % – 東京 – 🙂")
    assert rows == [("100 % – 東京 – 🙂",)]


def test_opening_again_migrates_nothing(database_url: str) -> None:
    rows: list[Row] = []
    for _ in range(2):
        db = open_database(database_url)
        db.run(db.open())
        rows = fetch(db, "SELECT version FROM schema_migrations")
        db.run(db.close())
    assert rows == [(version,) for version in range(1, LATEST + 1)]


def test_many_processes_may_open_a_new_database_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def opening() -> None:
        try:
            db = open_database(str(tmp_path / "new.db"))
            db.run(db.open())
            db.run(db.close())
        except BaseException as error:  # noqa: BLE001 - the test wants to see it
            failures.append(error)

    threads = [threading.Thread(target=opening) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_the_latest_migration_is_the_last_file() -> None:
    for dialect in ("sqlite", "postgres"):
        assert [m.version for m in migrations(dialect)] == list(range(1, LATEST + 1))


def test_a_database_of_a_newer_seasoned_is_refused_untouched(database_url: str) -> None:
    db = open_database(database_url)
    db.run(db.open())

    async def from_the_future() -> None:
        async with db.write() as tx:
            await tx.execute("INSERT INTO schema_migrations VALUES (999, 'future', 0)")

    db.run(from_the_future())
    db.run(db.close())
    again = open_database(database_url)
    with pytest.raises(DatabaseDamaged, match="newer Seasoned"):
        again.run(again.open())
    again.run(again.close())


def test_threads_share_one_database_without_mixing_transactions(db: Database) -> None:
    def write(worker: int) -> None:
        async def one(number: int) -> None:
            async with db.write() as tx:
                await add_tool(tx, f"{worker}-{number}")
                await add_tool(tx, f"{worker}-{number}-twin")
                if number % 3 == 0:
                    raise ValueError("rolled back")

        for number in range(30):
            try:
                db.run(one(number))
            except ValueError:
                continue

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fetch(db, "SELECT count(*) FROM tools") == [(4 * 20 * 2,)]


def test_two_writers_in_each_others_way_both_get_through(postgres_url: str) -> None:
    db = open_database(postgres_url)
    db.run(db.open())
    tries: list[str] = []
    meet = threading.Barrier(2, timeout=20)

    async def set_up(tx: Connection) -> None:
        await add_tool(tx, "a")
        await add_tool(tx, "b")

    db.run(transact(db, set_up))

    def write(first: str, second: str) -> None:
        async def both(tx: Connection) -> None:
            tries.append(first)
            await tx.execute("UPDATE tools SET calls = calls + 1 WHERE name = ?", (first,))
            if tries.count(first) == 1:
                await asyncio.to_thread(meet.wait)
            await tx.execute("UPDATE tools SET calls = calls + 1 WHERE name = ?", (second,))

        db.run(transact(db, both))

    threads = [threading.Thread(target=write, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fetch(db, "SELECT name, calls FROM tools ORDER BY name") == [("a", 3), ("b", 3)]
    assert len(tries) > 2  # one of them retried
    db.run(db.close())


def test_the_operators_views_are_there(db: Database) -> None:
    for view in ("learnings", "behavioral_rules", "learning_examples"):
        assert fetch(db, f"SELECT * FROM {view}") == []


def test_text_search_finds_other_forms_of_a_word(db: Database) -> None:
    async def told() -> None:
        async with db.write() as tx:
            for key, text in ((1, "deploying to staging"), (2, "reading a file")):
                await tx.execute(
                    "INSERT INTO errors_text (rowid, template) VALUES (?, ?)", (key, text)
                )

    db.run(told())
    query = db.text_query(["deploy", "it's", 'a"b', "\\"])
    assert [row[0] for row in fetch(db, db.text_search("errors_text"), query)] == [1]


def test_a_locked_database_says_so_and_changes_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "x.db")
    db = open_database(path, busy_seconds=0.05)
    db.run(db.open())
    holder = apsw.Connection(path)
    holder.execute("BEGIN EXCLUSIVE")  # pyright: ignore[reportUnknownMemberType]

    async def write() -> None:
        async with db.write() as tx:
            await add_tool(tx, "a")

    with pytest.raises(DatabaseBusy, match="locked by another process"):
        db.run(write())
    holder.close()
    db.run(write())
    assert fetch(db, "SELECT count(*) FROM tools") == [(1,)]
    db.run(db.close())


@pytest.mark.parametrize("content", [b"this is no database, only text" * 100, b"\0" * 5000])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    db = open_database(str(path))
    with pytest.raises(DatabaseDamaged, match=r"x\.db"):
        db.run(db.open())
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    db = open_database(str(tmp_path / "file" / "below" / "x.db"))
    with pytest.raises(DatabaseUnavailable, match="SEASONED_HOME"):
        db.run(db.open())


def test_a_postgres_that_is_down_is_named_without_its_password() -> None:
    db = open_database("postgresql://ana:hunter2@127.0.0.1:1/agents")
    with pytest.raises(DatabaseUnavailable, match="cannot reach") as caught:
        db.run(db.open())
    assert "hunter2" not in str(caught.value)


def test_a_closed_database_says_that_it_is_closed(database_url: str) -> None:
    db = open_database(database_url)
    db.run(db.open())
    db.run(db.close())
    with pytest.raises(DatabaseUnavailable, match="closed"):
        fetch(db, "SELECT 1")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_may_not_use_its_parents_connection(tmp_path: Path) -> None:
    db = open_database(str(tmp_path / "x.db"))
    db.run(db.open())
    child = os.fork()
    if child == 0:
        try:
            fetch(db, "SELECT 1")
        except DatabaseUnavailable:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    db.run(db.close())


def test_work_that_suspends_is_refused_on_sqlite(tmp_path: Path) -> None:
    db = open_database(str(tmp_path / "x.db"))
    work: Coroutine[Any, Any, None] = asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="inline"):
        db.run(work)
