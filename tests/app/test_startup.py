"""The twenty parts: in order, each off, failed or present, and none takes the others down."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seasoned import Seasoned
from seasoned.app.startup import NAMES, PartState
from seasoned.cli.main import app as cli

ORDER = (
    "supervisor, sessions, security, tools, graph, skills, knowledge, memory, embedding, "
    "callbacks, analysis, librarian, payment, jobs, auth, gateway, approval, agent, channels, "
    "turn callbacks"
)
BAD_PAYMENT = {"SEASONED_PAYMENT__ENABLED": "true", "SEASONED_PAYMENT__KEY": "no key"}

pytestmark = pytest.mark.sqlite_only


def rows_of(**variables: str) -> dict[str, PartState]:
    environment = {"SEASONED_EMBEDDING__PROVIDER": "none", **variables}
    with Seasoned(":memory:", environment=environment) as s:
        return s.inner.app.startup.rows()


def test_the_parts_stand_in_the_order_in_which_they_start() -> None:
    assert ", ".join(NAMES) == ORDER
    assert tuple(rows_of()) == NAMES


def test_what_runs_only_in_a_server_is_off_elsewhere() -> None:
    rows = rows_of()
    assert {rows[name].state for name in ("auth", "gateway", "approval", "jobs")} == {"off"}
    assert rows["gateway"].reason == "runs in `seasoned serve`"


def test_a_part_that_fails_leaves_the_others_present(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "seasoned.app"):
        before, after = rows_of(), rows_of(**BAD_PAYMENT)
    assert (before["payment"].state, after["payment"].state) == ("off", "failed")
    assert "payment.key" in after["payment"].reason
    assert after["payment"].remedy
    same = [name for name in NAMES if before[name].state == after[name].state]
    assert len(same) == len(NAMES) - 1
    said = [(one.levelname, one.getMessage()) for one in caplog.records]
    assert ("INFO", "payment is off: payment.enabled is false") in said
    assert any(level == "WARNING" and "payment failed" in text for level, text in said)


def test_a_dependent_part_says_what_it_lacks() -> None:
    librarian = rows_of(SEASONED_MEMORY__ENABLED="false")["librarian"]
    assert (librarian.state, librarian.reason) == ("off", "it needs memory, which is off")


def test_a_report_counts_more_than_what_was_built() -> None:
    with Seasoned(":memory:") as s:
        startup = s.inner.app.startup
        startup.report("gateway", "failed", "the port is taken", "choose another")
        assert startup.rows()["gateway"].reason == "the port is taken"
        with pytest.raises(ValueError, match="no part 'garage'"):
            startup.report("garage", "present")


def test_the_doctor_shows_each_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEASONED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEASONED_EMBEDDING__PROVIDER", "none")

    def asked() -> tuple[int, dict[str, Any]]:
        result = CliRunner().invoke(cli, ["doctor", "--json"])
        told = json.loads(result.stdout)
        assert [one["name"] for one in told["parts"]] == list(NAMES)
        return result.exit_code, {one["name"]: one for one in told["parts"]}

    code, parts = asked()
    assert (code, parts["payment"]["state"]) == (0, "off")
    for name, value in BAD_PAYMENT.items():
        monkeypatch.setenv(name, value)
    code, parts = asked()
    assert (code, parts["payment"]["state"], parts["graph"]["state"]) == (1, "failed", "off")
    shown = CliRunner().invoke(cli, ["doctor"]).stdout
    assert "✗ part payment: payment.key" in shown
    assert "· part gateway: off, runs in" in shown
    assert not (tmp_path / "home").exists()
