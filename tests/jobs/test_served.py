"""`seasoned serve` runs jobs beside the gateway, and its canary flies once for both."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.channels.platforms import HookPlatform, running
from tests.server.serving import Gateway

from seasoned.core.clock import SystemClock
from seasoned.core.scope import Scope
from seasoned.db.opening import open_database
from seasoned.db.unit import transact
from seasoned.tools.builtin.schedule_store import ScheduleStore


def until(found: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 30
    while not (there := found()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)
    return there


def test_serve_fires_reminders_and_flies_one_canary(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    db, now = open_database(str(home / "seasoned.db")), SystemClock().now()
    db.run(db.open())
    store = ScheduleStore()
    db.run(transact(db, lambda tx: store.add(tx, Scope(user="ana"), "water the plants", now, now)))
    db.run(db.close())
    db.shutdown()

    def seasoned(*words: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "seasoned", *words, "--json"],
            env={**os.environ, "SEASONED_HOME": str(home)},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    gateway = Gateway(home)
    try:
        fired = until(lambda: [one for one in seasoned("jobs", "list") if one["delivered_at"]])
        assert [(one["name"], one["user"], one["status"]) for one in fired] == [
            ("water the plants", "ana", "done")
        ]
        flown = until(lambda: gateway.get("/health").json()["canary"].get("at"))
        name = seasoned("cron", "run", "system-canary")["job"]
        job = until(lambda: (one := seasoned("jobs", "show", name))["ended_at"] and one)
        canary = gateway.get("/health").json()["canary"]
        assert canary["at"] == flown  # no other flight
        assert job["result"] == f"present in {canary['seconds']} s"
    finally:
        code, said = gateway.end()
    assert code == 0, said


def test_a_gateway_whose_jobs_are_off_delivers_what_workers_leave_for_its_channels(
    tmp_path: Path,
) -> None:
    home, platform = tmp_path / "home", HookPlatform()
    home.mkdir(mode=0o700)
    with running(platform):
        gateway = Gateway(home, SEASONED_JOBS__ENABLED="false", **platform.settings)
        guest = Scope(user="hook-42", session="hook:room-42")
        db, now = open_database(str(home / "seasoned.db")), SystemClock().now()
        db.run(db.open())
        db.run(
            transact(db, lambda tx: ScheduleStore().add(tx, guest, "water the plants", now, now))
        )
        db.run(db.close())
        db.shutdown()
        worker = subprocess.Popen(
            [sys.executable, "-m", "seasoned", "worker"],
            env={**os.environ, "SEASONED_HOME": str(home)},
            stderr=subprocess.PIPE,
        )
        try:
            told = until(lambda: platform.messages("42"))
            assert [one.text for one in told] == ["water the plants"]
        finally:
            worker.terminate()
            worker.communicate(timeout=30)
            code, said = gateway.end()
    assert (worker.returncode, code) == (0, 0), said
