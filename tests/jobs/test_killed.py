"""What a killed worker leaves is taken over: workflows, and results that were not delivered."""

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.jobs.engines import engine_on, job, start

from seasoned.db.database import Database
from seasoned.db.opening import open_database
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
STEPS = ("one", "two", "three", "four", "five")
JOBS = 200


def worker(url: str, log: Path, slow: str, seconds: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, WORKER, url, log, slow, str(seconds)])


def names(log: Path) -> list[str]:
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    return [line.split()[0] for line in lines]


def test_a_workflow_killed_in_each_of_its_steps_runs_those_that_finished_once(
    url: str, db: Database, tmp_path: Path
) -> None:
    log, jobs = tmp_path / "log", engine_on(db)
    name = start(jobs, Work("five", "workflow", {"text": FIVE, "values": {}}), "workflow")
    for step in STEPS:
        with worker(url, log, step, 30) as killed:
            while names(log).count(step) == 0:
                time.sleep(0.02)
            killed.kill()
    assert list(steps_of(jobs, name)) == list(STEPS[:-1])
    with worker(url, log, "", 3) as last:
        assert last.wait(20) == 0
    found = job(jobs, name)
    assert (found.status, found.result) == ("done", "five(four(three(two(one()))))")
    assert names(log) == [step for step in STEPS for _ in range(2)]  # each of them killed once


def test_a_worker_paused_for_longer_than_its_claim_changes_nothing_when_it_goes_on(
    url: str, db: Database, tmp_path: Path
) -> None:
    log, jobs = tmp_path / "log", engine_on(db)
    work = Work("five", "workflow", {"text": FIVE, "values": {}}, deliver="test:ana")
    name = start(jobs, work, "workflow")
    with worker(url, log, "three:0.5", 7) as paused:
        while "three" not in names(log):
            time.sleep(0.02)
        paused.send_signal(signal.SIGSTOP)
        try:
            with worker(url, log, "", 3) as second:
                assert second.wait(20) == 0
            done = job(jobs, name)
            assert done.status == "done"
            steps = steps_of(jobs, name)
        finally:
            paused.send_signal(signal.SIGCONT)
        assert paused.wait(30) == 0
    assert names(log).count("three") == 2
    assert [names(log).count(step) for step in ("four", "five", "delivering")] == [1, 1, 1]
    assert (job(jobs, name), steps_of(jobs, name)) == (done, steps)


def steps_of(one: JobEngine, name: str) -> Mapping[str, str]:
    return one.unit.drive(one.unit.change(lambda tx: one.jobs.steps(tx, name)))


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


def test_three_processes_share_the_jobs(postgres_url: str, tmp_path: Path) -> None:
    db = open_database(postgres_url)
    db.run(db.open())
    log, jobs = tmp_path / "log", engine_on(db)
    for number in range(JOBS):
        start(jobs, Work(f"job-{number}", "count", deliver="none"), "cron")
    running = [worker(postgres_url, log, "", 30) for _ in range(3)]
    try:
        while len(names(log)) < JOBS:
            assert all(one.poll() is None for one in running), names(log)
            time.sleep(0.05)
        time.sleep(0.2)  # a job that runs twice would do so now
    finally:
        for one in running:
            one.terminate()
            one.wait(20)
    db.run(db.close())
    db.shutdown()
    ran = Counter(names(log))
    assert len(ran) == JOBS
    assert set(ran.values()) == {1}
    lines = log.read_text("utf-8").splitlines()
    assert len({line.split()[1] for line in lines}) == 3  # all took part
