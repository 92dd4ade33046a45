"""What a killed worker leaves is taken over: workflows, and results that were not delivered."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.jobs.engines import engine_on, job, start

from seasoned.db.database import Database
from seasoned.db.opening import open_database
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
    log, jobs = tmp_path / "log", engine_on(db)
    work = Work("five", "workflow", {"text": FIVE, "values": {}})
    name = start(jobs, work, "workflow")
    with worker(url, log, "three", 30) as killed:
        while "three" not in names(log):
            time.sleep(0.02)
        killed.kill()
    with worker(url, log, "", 3) as second:
        assert second.wait(20) == 0
    found = job(jobs, name)
    assert found.status == "done", found.error
    assert found.result == "five(four(three(two(one()))))"
    assert names(log) == ["one", "two", "three", "three", "four", "five"]


def test_a_result_whose_worker_died_before_it_was_delivered_arrives(
    url: str, db: Database, tmp_path: Path
) -> None:
    log, jobs = tmp_path / "log", engine_on(db)
    name = start(jobs, Work("report", "count", deliver="test:ana"))
    with worker(url, log, "delivery", 30) as killed:
        while "delivering" not in names(log):
            time.sleep(0.02)
        killed.kill()
    left = job(jobs, name)
    assert (left.status, left.result, left.delivered_at) == ("done", "counted", 0)
    with worker(url, log, "", 4) as second:
        assert second.wait(20) == 0
    assert names(log) == ["report", "delivering", "delivering", "arrived:ana:counted"]
    assert job(jobs, name).delivered_at


def test_two_processes_share_the_jobs(postgres_url: str, tmp_path: Path) -> None:
    db = open_database(postgres_url)
    db.run(db.open())
    log, jobs = tmp_path / "log", engine_on(db)
    for number in range(JOBS):
        start(jobs, Work(f"job-{number}", "count", deliver="none"), "cron")
    with worker(postgres_url, log, "", 3.5) as first, worker(postgres_url, log, "", 3.5) as second:
        assert (first.wait(20), second.wait(20)) == (0, 0)
    db.run(db.close())
    db.shutdown()
    ran = Counter(names(log))
    assert len(ran) == JOBS
    assert set(ran.values()) == {1}
    lines = log.read_text("utf-8").splitlines()
    assert len({line.split()[1] for line in lines}) == 2  # both took part
