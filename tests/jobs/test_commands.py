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
    assert "1 steps, no errors" in seasoned("workflow", "check", str(flow)).output


def test_a_target_that_nobody_delivers_to_is_refused(seasoned: Call) -> None:
    refused = seasoned("jobs", "start", "Say hello", "--deliver", "pigeon:home")
    assert (refused.exit_code, "nothing delivers to" in refused.output) == (2, True)
    assert seasoned("jobs", "start", "Say hello", "--deliver", "telegram:42").exit_code == 0
