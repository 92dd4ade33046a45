"""The curl walk of docs/serve.md does what it says."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.server.serving import Gateway

PAGE = Path(__file__).parents[3] / "docs" / "serve.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_walk_with_curl_works(shared_gateway: Gateway) -> None:
    found = re.search(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    script = found[1].replace("http://127.0.0.1:8420", shared_gateway.url)
    script = script.replace("~/.seasoned/token", str(shared_gateway.home / "token"))
    done = subprocess.run(
        ["bash", "-eu", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines() if line]
    failed, repaired, notes, again, turn, correction, recalled, ended, fixes, edited = said
    assert failed["hint"] is None
    assert repaired["hint"] is None
    assert "Pass `day` as a date" in notes["descriptions"]["book"]
    assert again["hint"]["params"] == {"day": "2027-06-01"}
    assert not turn["corrects"]
    assert correction["corrects"]
    assert "Always answer in German." in recalled["text"]
    assert ended["ended"]
    assert [one["id"] for one in fixes["items"]] == [again["hint"]["lesson"]]
    assert edited["content"] == "Sign releases."


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_walk_through_jobs_works(shared_gateway: Gateway) -> None:
    page = PAGE.with_name("jobs.md").read_text("utf-8")
    found = re.search(r"```bash\n(.*?)```", page, re.DOTALL)
    assert found
    script = found[1].replace("http://127.0.0.1:8420", shared_gateway.url)
    script = script.replace("~/.seasoned/token", str(shared_gateway.home / "token"))
    done = subprocess.run(
        ["bash", "-eu", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines() if line]
    planned, paused, job, flow, listed, removed = said
    assert planned["next_at"]
    assert paused["paused"]
    assert {job["id"], flow["id"]} <= {one["id"] for one in listed["items"]}
    assert removed["id"] == planned["id"]
