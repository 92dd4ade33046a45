"""What a killed worker leaves is taken over; two workers never run one job twice."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from seasoned.core.clock import SystemClock
from seasoned.db.database import Database
from seasoned.jobs.delivery import Delivery
from seasoned.jobs.engine import JobEngine
from seasoned.jobs.job import Work

WORKER = Path(__file__).with_name("job_worker.py")
FIVE = """
name: five
steps:
  one: {tool: t}
  two: {tool: t, with: {of: "{{one.result}}"}}
  three: {tool: t, with: {of: "{{two.result}}"}}
  four: {tool: t, with: {of: "{{three.result}}"}}
  five: {tool: t, with: {of: "{{four.result}}"}}
"""
JOBS = 60


def worker(url: str, log: Path, slow: str, seconds: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, WORKER, url, log, slow, str(seconds)])


def names(log: Path) -> list[str]:
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    return [line.split()[0] for line in lines]


def test_a_workflow_killed_in_its_third_step_resumes_there(
    url: str, db: Database, tmp_path: Path
) -> None:
    log, jobs = tmp_path / "log", JobEngine(db, SystemClock(), {}, Delivery())
    work = Work("five", "workflow", {"text": FIVE, "values": {}})
    name = db.run(jobs.write(lambda tx: jobs.jobs.add(tx, "workflow", work, jobs.clock.now())))
    with worker(url, log, "three", 30) as killed:
        while "three" not in names(log):
            time.sleep(0.02)
        killed.kill()
    with worker(url, log, "", 3) as second:
        assert second.wait(20) == 0
    found = db.run(jobs.write(lambda tx: jobs.jobs.get(tx, name)))
    assert found.status == "done", found.error
    assert found.result == "five(four(three(two(one()))))"
    assert names(log) == ["one", "two", "three", "three", "four", "five"]


def test_two_workers_never_run_one_job_twice(postgres_url: str, tmp_path: Path) -> None:
    from seasoned.db.opening import open_database

    db = open_database(postgres_url)
    db.run(db.open())
    log, jobs = tmp_path / "log", JobEngine(db, SystemClock(), {}, Delivery())

    async def add() -> None:
        for number in range(JOBS):
            work = Work(f"job-{number}", "count")
            await jobs.write(lambda tx, w=work: jobs.jobs.add(tx, "cron", w, jobs.clock.now()))

    asyncio.run(add())
    with worker(postgres_url, log, "", 3.5) as first, worker(postgres_url, log, "", 3.5) as second:
        assert (first.wait(20), second.wait(20)) == (0, 0)
    db.run(db.close())
    db.shutdown()
    ran = Counter(names(log))
    assert len(ran) == JOBS
    assert set(ran.values()) == {1}
    lines = log.read_text("utf-8").splitlines()
    assert len({line.split()[1] for line in lines}) == 2  # both took part
