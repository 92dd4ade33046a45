"""A SQLite database that has to be waited for: the event loop runs on, and nobody is stuck."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.errors import DatabaseBusy
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database

HELD_SECONDS = 0.6
GAP_SECONDS = 0.3  # a loop that was blocked for all of it would have stopped for longer
SOON = 30.0


@contextmanager
def opened(path: str, busy_seconds: float = 10) -> Generator[Database]:
    db = open_database(path, busy_seconds=busy_seconds)
    db.run(db.open())
    yield db
    db.run(db.close())


@contextmanager
def locked(path: str, how: str = "BEGIN IMMEDIATE") -> Generator[apsw.Connection]:
    """Hold the lock as another process would; another library's locks would not count here."""
    other: Any = apsw.Connection(path)
    other.execute(how)
    yield other
    other.close()


async def add_tool(tx: Connection, name: str) -> None:
    await tx.execute("INSERT INTO tools VALUES ('', '', ?, 1, 0, 0, 0, 0)", (name,))


async def write(db: Database, name: str) -> None:
    async with db.write() as tx:
        await add_tool(tx, name)


async def count(db: Database) -> int:
    async with db.read() as tx:
        row = await tx.fetch_one("SELECT count(*) FROM tools")
    return row[0] if row else 0


async def longest_gap(work: Awaitable[Any]) -> float:
    """Await work; return for how long the loop ran nothing else."""
    task = asyncio.ensure_future(work)
    last, longest = time.monotonic(), 0.0
    while not task.done():
        await asyncio.sleep(0.01)
        now = time.monotonic()
        last, longest = now, max(longest, now - last)
    await task
    return longest


def test_the_loop_runs_on_while_another_process_has_the_lock(sqlite_url: str) -> None:
    with opened(sqlite_url) as db, locked(sqlite_url) as other:

        async def main() -> float:
            asyncio.get_running_loop().call_later(HELD_SECONDS, other.close)
            return await longest_gap(asyncio.gather(*(write(db, f"t{n}") for n in range(20))))

        assert asyncio.run(main()) < GAP_SECONDS
        assert db.run(count(db)) == 20


def test_the_loop_runs_on_until_waiting_is_given_up(sqlite_url: str) -> None:
    with opened(sqlite_url, HELD_SECONDS) as db, locked(sqlite_url):

        async def refused() -> None:
            with pytest.raises(DatabaseBusy, match="nothing was changed"):
                await write(db, "a")

        assert asyncio.run(longest_gap(refused())) < GAP_SECONDS
        assert db.run(count(db)) == 0


@pytest.mark.parametrize("which", ["write", "read"])
def test_the_loop_runs_on_while_a_thread_has_its_turn(sqlite_url: str, which: str) -> None:
    with opened(sqlite_url) as db:
        held = threading.Event()

        async def hold() -> None:
            async with getattr(db, which)():
                held.set()
                time.sleep(HELD_SECONDS)  # noqa: ASYNC251 - its thread runs no loop

        thread = threading.Thread(target=lambda: db.run(hold()))
        thread.start()
        held.wait(SOON)
        work = write(db, "a") if which == "write" else count(db)
        assert asyncio.run(longest_gap(work)) < GAP_SECONDS
        thread.join()


def test_the_loop_runs_on_while_nobody_may_read(sqlite_url: str) -> None:
    with opened(sqlite_url) as db:
        db.run(db.close())  # the last connection; only without others a WAL can be locked up
        with locked(sqlite_url, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE") as other:

            async def main() -> float:
                asyncio.get_running_loop().call_later(HELD_SECONDS, other.close)
                return await longest_gap(db.open())

            assert asyncio.run(main()) < GAP_SECONDS
        assert db.run(count(db)) == 0


def test_the_loop_runs_on_while_a_reader_is_in_the_way_of_a_commit(tmp_path: Path) -> None:
    """Without a WAL, which not every file system can have."""
    path = str(tmp_path / "x.db")
    with opened(path) as db:
        _leave_wal(db)
        reader: Any = apsw.Connection(path)
        reader.execute("BEGIN; SELECT * FROM tools").fetchall()

        async def main() -> float:
            asyncio.get_running_loop().call_later(HELD_SECONDS, reader.close)
            return await longest_gap(write(db, "a"))

        assert asyncio.run(main()) < GAP_SECONDS


def _leave_wal(db: Any) -> None:
    """Make it as it were on a file system that refuses a WAL."""
    db._reader.raw.close()
    db._reader = None
    assert db._writer.raw.execute("PRAGMA journal_mode = DELETE").fetchall() == [("delete",)]


def test_the_loop_runs_on_while_a_new_database_is_locked(home: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "new.db")
    with locked(path, "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE") as other:

        async def main() -> float:
            asyncio.get_running_loop().call_later(HELD_SECONDS, other.close)
            s = AsyncSeasoned(path)
            first = asyncio.gather(*(s.observe("t", {"n": n}, "ok") for n in range(5)))
            gap = await longest_gap(first)
            assert (await s.tools())[0].calls == 5
            await s.close()
            return gap

        assert asyncio.run(main()) < GAP_SECONDS


def test_whoever_is_cancelled_while_waiting_leaves_nothing_locked(sqlite_url: str) -> None:
    with opened(sqlite_url) as db:

        async def main() -> None:
            with locked(sqlite_url):
                tasks = [asyncio.create_task(write(db, f"t{n}")) for n in range(5)]
                await asyncio.sleep(0.05)
                for task in tasks[:-1]:
                    task.cancel()
                await asyncio.wait(tasks[:-1])
                assert all(task.cancelled() for task in tasks[:-1])
            await asyncio.wait_for(tasks[-1], SOON)

        asyncio.run(main())
        assert db.run(count(db)) == 1
        db.run(write(db, "b"))


def test_a_synchronous_call_in_a_loop_does_not_wait_for_a_task_of_that_loop(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as db:

        async def main() -> None:
            other: Any = apsw.Connection(sqlite_url)
            other.execute("BEGIN IMMEDIATE")
            task = asyncio.create_task(write(db, "patient"))
            await asyncio.sleep(0.05)
            other.close()
            db.run(write(db, "now"))
            await asyncio.wait_for(task, SOON)
            async with db.read():
                with pytest.raises(DatabaseBusy, match="AsyncSeasoned"):
                    db.run(count(db))

        asyncio.run(main())
        assert db.run(count(db)) == 2


def test_the_synchronous_facade_waits_too(home: Path, sqlite_url: str) -> None:
    with Seasoned(sqlite_url) as s, locked(sqlite_url) as other:
        threading.Timer(0.2, other.close).start()
        s.observe("t", {"n": 1}, "ok")
        assert s.tools()[0].calls == 1


NEIGHBOUR = """
import random, sys, time
import apsw
other = apsw.Connection(sys.argv[1])
other.set_busy_timeout(20_000)
print("ready", flush=True)
until = time.monotonic() + 1.5
while time.monotonic() < until:
    other.execute("BEGIN IMMEDIATE")
    time.sleep(random.uniform(0, 0.01))
    other.execute("ROLLBACK")
    time.sleep(random.uniform(0, 0.005))
"""


def test_threads_tasks_and_another_process_all_get_their_turns(sqlite_url: str) -> None:
    with opened(sqlite_url, 20) as db:
        neighbour = subprocess.Popen(
            [sys.executable, "-c", NEIGHBOUR, sqlite_url], stdout=subprocess.PIPE
        )
        assert neighbour.stdout is not None
        neighbour.stdout.readline()
        failures: list[BaseException] = []

        def thread(name: str) -> None:
            try:
                for number in range(40):
                    db.run(write(db, f"{name} {number}"))
                    db.run(count(db))
            except BaseException as error:  # noqa: BLE001 - the test wants to see it
                failures.append(error)

        async def task(name: str) -> None:
            for number in range(40):
                await write(db, f"{name} {number}")
                await count(db)
                if number % 10 == 0:
                    db.run(write(db, f"{name} {number} synchronous"))

        async def main() -> None:
            await asyncio.gather(*(task(f"task {n}") for n in range(4)))

        threads = [threading.Thread(target=thread, args=(f"thread {n}",)) for n in range(3)]
        for one in threads:
            one.start()
        asyncio.run(asyncio.wait_for(main(), SOON))
        for one in threads:
            one.join(SOON)
        assert failures == []
        assert neighbour.wait(SOON) == 0
        neighbour.stdout.close()
        assert db.run(count(db)) == 3 * 40 + 4 * 44
