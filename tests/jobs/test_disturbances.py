"""What may happen to a worker does not make jobs run twice, pile up, or stop."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.jobs.engines import engine_on, job, start

from seasoned.core.clock import SECOND, FixedClock
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.jobs.engine import EngineConfig, JobEngine
from seasoned.jobs.job import Job, Work
from seasoned.jobs.job_store import LONGEST_RESULT
from seasoned.jobs.times import CatchUp, Rule

HOUR_SECONDS = 3600


async def quick(job: Job) -> str:
    return "done"


def plan(one: JobEngine, name: str, catch_up: CatchUp = "once", handler: str = "quick") -> None:
    now = one.clock.now()
    work, rule = Work(name, handler, deliver="none"), Rule("every", "1h", made_at=now)
    one.unit.drive(one.write(lambda tx: one.schedules.add(tx, work, rule, now, catch_up)))


def runs(one: JobEngine) -> Sequence[Job]:
    return one.unit.drive(one.write(one.jobs.list))


@pytest.mark.parametrize("seconds", [HOUR_SECONDS, -HOUR_SECONDS])
def test_a_clock_that_jumps_lets_no_worker_take_its_own_job_twice(
    db: Database, seconds: int
) -> None:
    clock, began, end = FixedClock(), list[str](), asyncio.Event()

    async def slow(job: Job) -> str:
        began.append(job.id)
        await end.wait()
        return "once"

    one = engine_on(db, clock, slow=slow)
    name = start(one, Work("slow", "slow", deliver="none"))

    async def run() -> None:
        await one.tick()
        await asyncio.sleep(0)
        clock.advance(seconds=seconds)  # a laptop wakes up; somebody sets the time
        await one.tick()
        await asyncio.sleep(0)
        end.set()
        await one.idle()

    asyncio.run(run())
    assert began == [name]
    assert (job(one, name).status, job(one, name).deaths) == ("done", 0)


def test_a_schedule_that_cannot_be_read_stops_no_other(
    db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FixedClock()
    one = engine_on(db, clock, quick=quick)
    for name in ("gone", "good"):
        plan(one, name)
    gone = "UPDATE job_schedules SET kind = 'cron', rule = '0 9 * * *', timezone = 'Mars/Olympus' "
    one.unit.drive(one.write(lambda tx: tx.execute(f"{gone} WHERE name = 'gone'")))
    for _ in range(3):
        clock.advance(seconds=HOUR_SECONDS)
        asyncio.run(one.idle())
    assert [(run.work.name, run.status) for run in runs(one)] == [("good", "done")] * 3
    said = [one.getMessage() for one in caplog.records]
    assert len([line for line in said if "schedule gone does not run" in line]) == 1, said


@pytest.mark.parametrize(("policy", "waiting"), [("skip", 1), ("once", 1), ("all", 4)])
def test_runs_do_not_pile_up_while_one_waits_for_a_worker(
    db: Database, policy: CatchUp, waiting: int
) -> None:
    clock = FixedClock()
    one = engine_on(db, clock, other=quick)
    plan(one, "behind", policy)  # nobody here runs it
    for _ in range(4):
        clock.advance(seconds=HOUR_SECONDS)
        asyncio.run(one.tick())
    assert [run.status for run in runs(one)] == ["waiting"] * waiting


def test_a_job_that_was_being_cancelled_when_its_worker_died_is_not_run_again(
    db: Database,
) -> None:
    clock, ran = FixedClock(), list[str]()

    async def note(job: Job) -> str:
        ran.append(job.id)
        return ""

    one = engine_on(db, clock, note=note)
    name = start(one, Work("gone", "note"))
    now = clock.now()
    claim = one.write(
        lambda tx: one.jobs.claim(tx, "background", "gone", ["note"], now, now + SECOND, 1)
    )
    assert one.unit.drive(claim)
    one.unit.drive(one.write(lambda tx: one.jobs.cancel(tx, name, now)))
    assert job(one, name).status == "running"
    clock.advance(seconds=2)
    asyncio.run(one.idle())
    assert (job(one, name).status, ran) == ("cancelled", [])


def test_a_job_whose_worker_is_gone_is_cancelled_at_once(db: Database) -> None:
    clock = FixedClock()
    one = engine_on(db, clock)
    name = start(one, Work("gone", "note"))
    now = clock.now()
    claim = one.write(
        lambda tx: one.jobs.claim(tx, "background", "gone", ["note"], now, now + SECOND, 1)
    )
    assert one.unit.drive(claim)
    clock.advance(seconds=2)
    one.unit.drive(one.write(lambda tx: one.jobs.cancel(tx, name, clock.now())))
    assert (job(one, name).status, job(one, name).ended_at) == ("cancelled", clock.now())


def test_a_job_that_cancels_itself_has_failed(db: Database) -> None:
    ran = list[str]()

    async def broken(job: Job) -> str:
        ran.append(job.id)
        raise asyncio.CancelledError

    one = engine_on(db, broken=broken)
    name = start(one, Work("broken", "broken", deliver="none"))
    asyncio.run(one.idle())
    assert (job(one, name).status, len(ran)) == ("failed", 1)
    assert "cancelled by something" in job(one, name).error


def test_what_is_delivered_is_what_is_stored(db: Database) -> None:
    told = list[str]()

    async def hear(address: str, text: str) -> None:
        told.append(text)

    async def long(job: Job) -> str:
        return f"begin password=hunter2hunter2 {'x ' * 50_000_000}end\x00"

    one = engine_on(db, long=long)
    one.deliver.register("chat", hear)
    name = start(one, Work("long", "long", deliver="chat:ana"))
    asyncio.run(one.idle())
    assert told == [job(one, name).result]
    assert told[0].startswith("begin")
    assert "hunter2" not in told[0]
    assert len(told[0]) < LONGEST_RESULT + 100


def test_jobs_follow_one_another_without_waiting_for_the_next_look(db: Database) -> None:
    one = engine_on(db, config=EngineConfig(background_at_once=1, poll_seconds=600), quick=quick)
    for number in range(5):
        start(one, Work(f"job-{number}", "quick", deliver="none"))

    async def found() -> Sequence[Job]:
        return await one.write(one.jobs.list)

    async def run() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(one.run(stop))
        async with asyncio.timeout(20):
            while any(one.status != "done" for one in await found()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        stop.set()
        await running

    asyncio.run(run())


def test_a_fault_that_nobody_thought_of_does_not_end_the_worker(db: Database) -> None:
    one, looks = engine_on(db, quick=quick), list[int]()

    async def run() -> None:
        stop, tick = asyncio.Event(), one.tick

        async def once() -> int:
            looks.append(1)
            if len(looks) == 1:
                raise KeyError("odd")
            stop.set()
            return await tick()

        one.tick = once  # a fault in the machine, not a double of it
        await one.run(stop)

    asyncio.run(run())
    assert len(looks) == 2


def test_a_process_without_handlers_delivers_and_starts_nothing(db: Database) -> None:
    told, clock = list[str](), FixedClock()

    async def hear(address: str, text: str) -> None:
        told.append(f"{address}: {text}")

    worker, gateway = engine_on(db, clock, quick=quick), engine_on(db, clock)
    gateway.deliver.register("telegram", hear)
    start(worker, Work("report", "quick", scope=Scope(user="ana"), deliver="telegram:42"))
    plan(worker, "hourly")
    asyncio.run(worker.idle())
    clock.advance(seconds=HOUR_SECONDS)
    asyncio.run(gateway.idle())
    assert told == ["42: done"]
    assert [run.work.name for run in runs(worker)] == ["report"]


def test_a_worker_that_can_do_nothing_about_what_waits_takes_no_lock(db: Database) -> None:
    one = engine_on(db, quick=quick)
    start(one, Work("elsewhere", "absent"))
    start(one, Work("report", "quick", deliver="telegram:42"))
    asyncio.run(one.idle())
    before = runs(one)

    async def locked(work: object) -> object:
        raise AssertionError("it took the lock")

    one.write = locked  # pyright: ignore[reportAttributeAccessIssue]
    assert asyncio.run(one.tick()) == 0
    assert [run.status for run in before] == ["done", "waiting"]
