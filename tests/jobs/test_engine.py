"""Jobs run once, are cancelled and limited, and their results arrive."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise

from tests.jobs.engines import engine_on, job, start

from seasoned.core.authority import Caller
from seasoned.core.clock import SECOND, FixedClock, SystemClock
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.jobs.engine import JobEngine
from seasoned.jobs.job import Job, Work
from seasoned.jobs.jobs import Jobs
from seasoned.jobs.times import Rule
from seasoned.security.audit import AuditEvent, AuditStore


async def forever(job: Job) -> str:
    await asyncio.sleep(600)
    return ""


async def answer(job: Job) -> str:
    return f"done: {job.work.input['what']}"


async def until(one: JobEngine, name: str, status: str) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(one.run(stop))
    async with asyncio.timeout(10):
        while (await one.write(lambda tx: one.jobs.get(tx, name))).status != status:  # noqa: ASYNC110 - it asks the database
            await asyncio.sleep(0.02)
    stop.set()
    await running


def test_a_running_job_is_cancelled(db: Database) -> None:
    one = engine_on(db, SystemClock(), forever=forever)
    name = start(one, Work("long", "forever"))

    async def cancel() -> None:
        await until_started()
        await one.write(lambda tx: one.jobs.cancel(tx, name, one.clock.now()))

    async def until_started() -> None:
        while (await one.write(lambda tx: one.jobs.get(tx, name))).status != "running":  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    async def both() -> None:
        await asyncio.gather(until(one, name, "cancelled"), cancel())

    asyncio.run(both())
    assert job(one, name).ended_at


def test_a_job_that_takes_too_long_fails_and_is_not_repeated(db: Database) -> None:
    one = engine_on(db, SystemClock(), forever=forever)
    name = start(one, Work("long", "forever", limit_seconds=1, retries=3))
    asyncio.run(until(one, name, "failed"))
    assert "limit of 1 s" in job(one, name).error


def test_a_failed_job_is_tried_again_after_a_pause(db: Database) -> None:
    clock, tried = FixedClock(), list[int]()

    async def flaky(job: Job) -> str:
        tried.append(job.tries)
        if len(tried) < 3:
            raise BadInput("not yet")
        return "at last"

    one = engine_on(db, clock, flaky=flaky)
    name = start(one, Work("flaky", "flaky", retries=2))
    for _ in range(3):
        asyncio.run(one.idle())
        clock.advance(seconds=60)
    assert tried == [0, 1, 2]
    assert (job(one, name).status, job(one, name).result) == ("done", "at last")


def test_a_worker_that_stops_gives_its_job_back(db: Database) -> None:
    one = engine_on(db, SystemClock(), forever=forever)
    name = start(one, Work("long", "forever"))
    asyncio.run(until(one, name, "running"))
    assert job(one, name).status == "waiting"


def test_a_cron_job_missed_while_nothing_ran_follows_its_policy(db: Database) -> None:
    clock = FixedClock(1_767_261_600_000_000)
    one = engine_on(db, clock, answer=answer)
    for policy in ("skip", "once", "all"):
        work = Work(policy, "answer", {"what": policy})
        db.run(
            one.write(
                lambda tx, work=work, policy=policy: one.schedules.add(
                    tx, work, Rule("every", "1h", made_at=clock.now()), clock.now(), policy
                )
            )
        )
    clock.advance(seconds=3 * 3600 + 1800)
    asyncio.run(one.idle())
    ran = db.run(one.write(one.jobs.list))
    counts = {name: sum(run.work.name == name for run in ran) for name in ("skip", "once", "all")}
    assert counts == {"skip": 0, "once": 1, "all": 3}
    assert {run.status for run in ran} == {"done"}


def test_a_paused_schedule_makes_up_for_nothing(db: Database) -> None:
    clock = FixedClock(1_767_261_600_000_000)
    one = engine_on(db, clock, answer=answer)
    rule = Rule("every", "1h", made_at=clock.now())
    work = Work("hourly", "answer", {"what": "x"})
    db.run(one.write(lambda tx: one.schedules.add(tx, work, rule, clock.now(), "all")))
    jobs, owner = Jobs(one.unit, one.deliver), Caller(Scope())
    db.run(jobs.pause("hourly", owner, paused=True))
    clock.advance(days=1)
    asyncio.run(one.idle())
    db.run(jobs.pause("hourly", owner, paused=False))
    asyncio.run(one.idle())
    assert not db.run(one.write(one.jobs.list))
    db.run(jobs.run_now("hourly", owner))
    asyncio.run(one.idle())
    assert [run.status for run in db.run(one.write(one.jobs.list))] == ["done"]


def test_results_reach_a_webhook(db: Database) -> None:
    got = list[dict[str, str]]()

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        one = engine_on(db, SystemClock(), answer=answer)
        target = f"webhook:http://127.0.0.1:{server.server_port}/hook"
        start(one, Work("report", "answer", {"what": "all is well"}, deliver=target))
        asyncio.run(one.idle())
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert [one["text"] for one in got] == ["done: all is well"]


def test_a_delivery_that_fails_is_tried_again_with_growing_pauses_and_then_shown(
    db: Database,
) -> None:
    clock, tried = FixedClock(), list[int]()

    async def gone(address: str, text: str) -> None:
        tried.append(clock.now())
        raise ConnectionError(f"{address} is gone")

    one = engine_on(db, clock, answer=answer)
    one.deliver.register("chat", gone)
    name = start(one, Work("report", "answer", {"what": "x"}, deliver="chat:ana"))
    for _ in range(400):
        asyncio.run(one.idle())
        clock.advance(seconds=15)
    pauses = [(later - sooner) // SECOND for sooner, later in pairwise(tried)]
    assert pauses == [30, 60, 120, 240, 480, 960, 1920]
    found = job(one, name)
    assert (found.status, found.delivered_at) == ("done", 0)
    assert found.delivery_error == "ana is gone"


def test_a_worker_leaves_results_to_those_who_reach_their_target(db: Database) -> None:
    got = list[str]()

    async def chat(address: str, text: str) -> None:
        got.append(f"{address}: {text}")

    here, there = engine_on(db, answer=answer), engine_on(db)
    there.deliver.register("telegram", chat)
    name = start(here, Work("report", "answer", {"what": "x"}, deliver="telegram:42"))
    asyncio.run(here.idle())
    assert (job(here, name).status, job(here, name).delivered_at) == ("done", 0)
    asyncio.run(there.idle())
    assert got == ["42: done: x"]
    assert job(here, name).delivered_at


def test_what_happens_to_jobs_is_audited(db: Database) -> None:
    clock = FixedClock()

    async def broken(job: Job) -> str:
        raise BadInput("no such thing")

    one = engine_on(db, clock, answer=answer, broken=broken)
    jobs, ana = Jobs(one.unit, one.deliver), Caller(Scope("acme", "web", "ana"))
    plan = jobs.work("digest", "sum up", ana.scope, "webhook:https://x.example/secret-path")
    db.run(jobs.schedule(plan, jobs.rule(every="1h"), caller=ana))
    db.run(jobs.pause("digest", ana, paused=True))
    db.run(jobs.pause("digest", ana, paused=True))  # changes nothing
    db.run(jobs.pause("digest", ana, paused=False))
    db.run(jobs.cancel(db.run(jobs.run_now("digest", ana)).id, ana))
    db.run(jobs.unschedule("digest", ana))
    start(one, Work("good", "answer", {"what": "x"}, ana.scope, "none"))
    start(one, Work("bad", "broken", {}, ana.scope, "none"))
    asyncio.run(one.idle())
    audit = AuditStore(db)

    async def read() -> list[AuditEvent]:
        async with db.read() as tx:
            return [*await audit.latest(tx, limit=50)]

    events = [*reversed(db.run(read()))]
    assert [one.kind for one in events[:6]] == [
        *("schedule.added", "schedule.paused", "schedule.resumed", "job.added", "job.cancelled"),
        "schedule.removed",
    ]
    assert sorted(one.kind for one in events[6:]) == ["job.done", "job.failed"]
    assert all(json.loads(one.detail)["scope"] == ["acme", "web", "ana", ""] for one in events)
    assert "secret-path" not in str(events)
    assert "no such thing" in str(events)
    assert db.run(audit.verify()).intact


def test_a_job_whose_workers_keep_dying_fails(db: Database) -> None:
    clock, ran = FixedClock(), list[int]()

    async def deadly(job: Job) -> str:
        ran.append(job.deaths)
        return ""

    one = engine_on(db, clock, deadly=deadly)
    name = start(one, Work("deadly", "deadly", deliver="none"))
    for _ in range(5):  # claimed, and never heard of again
        now = clock.now()
        claimed = db.run(
            one.unit.change(
                lambda tx, now=now: one.jobs.claim(
                    tx, "background", "gone", ["deadly"], now, now + SECOND, 1
                )
            )
        )
        assert claimed
        clock.advance(seconds=2)
    asyncio.run(one.idle())
    assert (job(one, name).status, ran) == ("failed", [])
    assert "died 5 times" in job(one, name).error
    db.run(Jobs(one.unit, one.deliver).restart(name, Caller(Scope())))
    asyncio.run(one.idle())
    assert (job(one, name).status, ran) == ("done", [0])
