"""`seasoned worker` fires reminders and runs tool steps by itself, and stops when told."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from seasoned.core.clock import SystemClock
from seasoned.core.scope import Scope
from seasoned.db.opening import open_database
from seasoned.db.unit import transact
from seasoned.tools.builtin.schedule_store import ScheduleStore


def test_a_worker_reminds_and_runs_workflows_until_it_is_told_to_stop(
    sqlite_url: str, tmp_path: Path
) -> None:
    db, now = open_database(sqlite_url), SystemClock().now()
    db.run(db.open())
    store = ScheduleStore()
    db.run(transact(db, lambda tx: store.add(tx, Scope(user="ana"), "water the plants", now, now)))
    db.run(db.close())
    db.shutdown()
    (tmp_path / "note.txt").write_text("hello from a file", "utf-8")
    flow = tmp_path / "flow.yaml"
    flow.write_text(
        'steps: {read: {tool: read_file, with: {path: "{{input.path}}"}}}\ninputs: [path]\n'
        "deliver: none\n",
        "utf-8",
    )
    settings = {"SEASONED_HOME": str(tmp_path / "home"), "SEASONED_AGENT__ROOT": str(tmp_path)}
    settings["SEASONED_AGENT__TOOLS"] = "files"
    environment = {**os.environ, **settings}

    def seasoned(*words: str) -> str:
        command = [sys.executable, "-m", "seasoned", *words, "--db", sqlite_url]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    job = json.loads(seasoned("workflow", "run", str(flow), "--input", "path=note.txt", "--json"))
    log = tmp_path / "log"
    with log.open("w") as said:
        command = [sys.executable, "-m", "seasoned", "worker", "--db", sqlite_url]
        running = subprocess.Popen(command, env=environment, stderr=said)
        deadline = time.monotonic() + 20
        found: dict[str, str] = {"status": ""}
        while found["status"] not in ("done", "failed") or "plants" not in log.read_text():
            assert time.monotonic() < deadline, (found, log.read_text())
            time.sleep(0.2)
            found = json.loads(seasoned("jobs", "show", job["job"], "--json"))
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0, log.read_text()
    assert found["status"] == "done", found.get("error")
    assert "hello from a file" in found["result"]
    assert log.read_text().count("water the plants") == 1
    assert "system-canary" in seasoned("cron", "list")
