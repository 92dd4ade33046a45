"""Two workers never run one job twice, nor deliver one result at the same time."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any

import pytest
from tests.jobs.engines import engine_on, start

from seasoned.core.clock import SECOND, FixedClock
from seasoned.core.errors import BadInput
from seasoned.db.connection import Connection, Params, Row
from seasoned.db.database import Database
from seasoned.db.opening import open_database
from seasoned.db.unit import Change, transact
from seasoned.jobs.job import Job, Work
from seasoned.jobs.jobs import Jobs
from seasoned.jobs.times import Rule

WORKERS, JOBS = 6, 20
Claim = Callable[[Connection, str], Awaitable[Sequence[Job]]]


class Together:
    """A connection whose first query ends only when all workers have made theirs.

    So all of them have read the same rows before one of them writes: the race that a test with
    workers at full speed hits by chance alone.
    """

    def __init__(self, tx: Connection, barrier: asyncio.Barrier, met: set[str], who: str) -> None:
        self.tx, self.barrier, self.met, self.who = tx, barrier, met, who

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tx, name)

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]:
        rows = await self.tx.fetch(sql, params)
        if self.who not in self.met:  # a transaction that is repeated waits for nobody
            self.met.add(self.who)
            async with asyncio.timeout(20):
                await self.barrier.wait()
        return rows


@pytest.fixture
def db(postgres_url: str) -> Generator[Database]:
    """Postgres alone has writers at the same time."""
    opened = open_database(postgres_url)
    opened.run(opened.open())
    yield opened
    opened.run(opened.close())
    opened.shutdown()


async def race(dbs: Sequence[Database], claim: Claim) -> list[str]:
    """Let each worker claim in a transaction of its own; return the ids of what they got."""
    barrier, met = asyncio.Barrier(len(dbs)), set[str]()

    async def worker(db: Database, who: str) -> list[str]:
        async def work(tx: Connection) -> Sequence[Job]:
            held: Any = Together(tx, barrier, met, who)
            return await claim(held, who)

        return [one.id for one in await transact(db, work)]

    got = await asyncio.gather(*(worker(db, f"w{n}") for n, db in enumerate(dbs)))
    return [name for names in got for name in names]


def test_many_workers_that_read_the_same_due_jobs_claim_each_once(db: Database) -> None:
    one, now = engine_on(db, FixedClock()), FixedClock().now()
    names = {start(one, Work(f"job-{n}", "count")) for n in range(JOBS)}

    async def claim(tx: Connection, who: str) -> Sequence[Job]:
        until = now + 60 * SECOND
        return await one.jobs.claim(tx, "background", who, ["count"], now, until, JOBS)

    got = db.run(race([db] * WORKERS, claim))
    assert Counter(got) == Counter(names)


def test_many_workers_that_read_the_same_results_deliver_each_once(db: Database) -> None:
    one = engine_on(db, FixedClock(), forget=forgotten)
    one.deliver.register("other", lambda address, text: lost())
    for number in range(JOBS):
        start(one, Work(f"job-{number}", "forget", deliver="other:x"))
    asyncio.run(one.idle())
    now = one.clock.now() + 3600 * SECOND

    async def claim(tx: Connection, who: str) -> Sequence[Job]:
        return await one.jobs.undelivered(tx, ["other"], now, now + 60 * SECOND, JOBS)

    got = db.run(race([db] * WORKERS, claim))
    assert len(got) == JOBS
    assert len(set(got)) == JOBS


def test_a_schedule_that_many_workers_find_due_runs_once(db: Database) -> None:
    clock = FixedClock()
    one = engine_on(db, clock)
    jobs = Jobs(one.unit, one.deliver)
    work, rule = Work("hourly", "count"), Rule("every", "1h", made_at=clock.now())

    async def plan(change: Change) -> object:
        return await jobs.schedules.add(change, work, rule, clock.now())

    db.run(one.unit.change(plan))
    now = clock.now() + 3601 * SECOND

    async def begin(tx: Connection, who: str) -> Sequence[Job]:
        await one.schedules.start_due(tx, now)
        return ()

    db.run(race([db] * WORKERS, begin))
    listed = db.run(one.unit.change(one.jobs.list))
    assert [found.work.name for found in listed] == ["hourly"]


def test_a_failed_job_that_many_restart_at_once_is_restarted_once(db: Database) -> None:
    one = engine_on(db, FixedClock())
    name = start(one, Work("broken", "absent"))
    db.run(one.write(lambda tx: one.jobs.cancel(tx, name, one.clock.now())))

    async def restart(tx: Connection, who: str) -> Sequence[Job]:
        try:
            return [await one.jobs.again(tx, name, one.clock.now())]
        except BadInput:  # it waits already
            return []

    assert db.run(race([db] * WORKERS, restart)) == [name]


async def forgotten(job: Job) -> str:
    return "a result"


async def lost() -> None:
    raise ConnectionError("nobody is there")
