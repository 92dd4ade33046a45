"""The commands of jobs: whose jobs they show, and what they say about wrong workflows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from seasoned.cli.main import app

Call = Callable[..., Result]


@pytest.fixture
def seasoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("SEASONED_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Result:
        return CliRunner().invoke(app, [*words])

    return call


def shown(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_tenant_sees_and_changes_its_own_jobs_alone(seasoned: Call) -> None:
    plan = ("cron", "add", "digest", "Sum up", "--every", "1h")
    for tenant in ("acme", "evil"):  # the same name: each has its own
        assert seasoned(*plan, "--tenant", tenant).exit_code == 0
    again = seasoned(*plan, "--tenant", "acme")
    assert (again.exit_code, "there already" in again.output) == (2, True)
    (own,) = shown(seasoned("cron", "list", "--tenant", "acme", "--json"))
    job = shown(seasoned("cron", "run", "digest", "--tenant", "acme", "--json"))["job"]
    for words in (("jobs", "show", job), ("jobs", "cancel", job), ("cron", "remove", own["id"])):
        refused = seasoned(*words, "--tenant", "evil")
        assert refused.exit_code == 3, refused.output
    assert shown(seasoned("jobs", "list", "--tenant", "evil", "--json")) == []
    assert [one["id"] for one in shown(seasoned("cron", "history", "--json"))] == [job]
    assert len(shown(seasoned("cron", "list", "--json"))) == 2  # the operator sees all
    both = seasoned("cron", "pause", "digest")
    assert (both.exit_code, "give the whole id" in both.output) == (2, True)


def test_history_without_runs_says_so(seasoned: Call) -> None:
    assert "no schedule has run yet" in seasoned("cron", "history").output
    assert shown(seasoned("cron", "history", "--json")) == []
    seasoned("cron", "add", "digest", "Sum up", "--every", "1h")
    assert "digest has not run yet" in seasoned("cron", "history", "digest").output
    assert seasoned("cron", "history", "other").exit_code == 3


def test_check_knows_the_tools_and_names_the_line(
    seasoned: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_AGENT__TOOLS", "files")
    flow = tmp_path / "flow.yaml"
    flow.write_text("steps:\n  a: {tool: read_file, with: {path: x}}\n  b: {tool: read_fil}\n")
    wrong = seasoned("workflow", "check", str(flow))
    assert wrong.exit_code == 2
    assert "flow.yaml:3: step 'b' calls tool 'read_fil', which is unknown" in wrong.output
    flow.write_text("steps:\n  a: {tool: read_file, with: {path: x}}\n")
    assert "1 step, no errors" in seasoned("workflow", "check", str(flow)).output


def test_a_target_that_nobody_delivers_to_is_refused(seasoned: Call) -> None:
    refused = seasoned("jobs", "start", "Say hello", "--deliver", "pigeon:home")
    assert (refused.exit_code, "nothing delivers to" in refused.output) == (2, True)
    assert seasoned("jobs", "start", "Say hello", "--deliver", "telegram:42").exit_code == 0


def test_times_are_those_of_the_schedules_zone_and_targets_show_no_secret_path(
    seasoned: Call,
) -> None:
    target = "webhook:https://hooks.example.com/secret"
    at, zone = ("--at", "2030-07-31T09:00"), ("--timezone", "Europe/Berlin")
    made = seasoned("cron", "add", "launch", "Say it", *at, *zone, "--deliver", target)
    assert "next run 2030-07-31 09:00 Europe/Berlin" in made.output
    listed = seasoned("cron", "list").output
    assert "2030-07-31 09:00" in listed
    assert "hooks.example.com" in listed
    assert "secret" not in listed
    shown = seasoned("cron", "show", "launch").output
    assert "2030-07-31 09:00 Europe/Berlin" in shown
    assert "Say it" in shown
    assert "{" not in shown  # no Python in what people read


def test_a_workflow_is_shown_step_by_step(seasoned: Call, tmp_path: Path) -> None:
    flow = tmp_path / "flow.yaml"
    flow.write_text("name: greet\nsteps:\n  a: {agent: Say hi}\n")
    made = seasoned("workflow", "run", str(flow))
    assert "`seasoned worker` must run" in made.output
    job = shown(seasoned("workflow", "list", "--json"))[0]["id"]
    text = seasoned("workflow", "show", job).output
    assert f"greet ({job})" in text
    assert "waiting" in text
    assert "None" not in text
    seasoned("jobs", "cancel", job)
    assert f"job {job} waits" in seasoned("workflow", "resume", job).output


def test_a_file_that_cannot_be_read_is_named_with_the_reason(
    seasoned: Call, tmp_path: Path
) -> None:
    odd = tmp_path / "odd.yaml"
    odd.write_bytes(b"steps: {a: {agent: \xff}}")
    assert "is not UTF-8 text" in seasoned("workflow", "check", str(odd)).output
    assert "is a directory" in seasoned("workflow", "check", str(tmp_path)).output
    assert "no such file" in seasoned("workflow", "run", str(tmp_path / "x.yaml")).output
