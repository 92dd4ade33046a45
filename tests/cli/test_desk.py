"""`seasoned demo --serve` and `seasoned desk`: the way to the desk, and a desk that is alive."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.server.serving import Gateway
from typer.testing import Result

from seasoned.cli.desk.address import has_display

Answer = Callable[..., Any]
Call = Callable[..., Result]


@contextmanager
def demonstration(*more: str) -> Generator[dict[str, str]]:
    """Yield what a served demonstration told; it is ended afterwards."""
    command = [sys.executable, "-m", "seasoned", "demo", "--serve", "--json", *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        while lines[-1] not in ("}\n", ""):
            lines.append(process.stdout.readline())
        try:
            yield json.loads("".join(lines))
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0


def test_the_demonstration_fills_every_page_and_leaves_nothing(home: Path) -> None:
    with demonstration() as told:
        url, _, token = told["address"].partition("/#key=")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=30) as client:

            def items(path: str) -> list[dict[str, Any]]:
                answer = client.get(path)
                assert answer.status_code == 200, (path, answer.text)
                return answer.json()["items"]

            days = client.get("/v1/progress?days=30").json()["days"]
            assert all(day["calls"] for day in days)
            early, late = days[:7], days[-7:]
            assert sum(day["repeated"] for day in late) < sum(day["repeated"] for day in early)
            waiting = items("/v1/review")
            assert {"fix", "conflict"} <= {one["kind"] for one in waiting}
            assert any("sudo" in one["lesson"]["content"] for one in waiting)
            assert items("/v1/inquiries?status=pending")
            lessons = items("/v1/lessons?limit=200")
            kinds = {"fix", "rule", "fact", "preference", "example"}
            assert kinds <= {one["kind"] for one in lessons}
            states = {"active", "candidate", "suspended", "superseded", "retired"}
            assert states == {one["status"] for one in lessons}
            assert items("/v1/sessions/front%20desk%201/given")
            assert any(one["observations"] for one in items("/v1/memory"))
            for path in ("rules", "sessions", "tools", "skills", "audit", "feedback"):
                assert items(f"/v1/{path}"), path
            assert client.get("/v1/keys").json()["keys"]
            assert client.get("/v1/graph/stats").json()["triples"] > 100
            assert client.get("/v1/audit/verify").json()["intact"]
            assert client.post("/v1/tool-notes", json={"given": False}).json()["notes"]
        folder = Path(told["database"]).parent
        assert home not in folder.parents
    assert not folder.exists()
    assert not (home / "seasoned.db").exists()


def test_the_demonstration_never_takes_a_persons_store_or_another_machine(
    seasoned: Call, tmp_path: Path
) -> None:
    for options, said in (
        (("--db", tmp_path / "mine.db"), "never yours"),
        (("--http", "0.0.0.0:0"), "for this machine only"),
    ):
        result = seasoned("demo", "--serve", *options)
        assert result.exit_code == 2
        assert said in result.stderr
    assert not (tmp_path / "mine.db").exists()
    assert "--http is for --serve" in seasoned("demo", "--http", "127.0.0.1:0").stderr


@pytest.fixture
def gateway(home: Path) -> Generator[Gateway]:
    running = Gateway(home)
    yield running
    running.end()


def test_the_desk_is_found_with_its_login(answer: Answer, gateway: Gateway) -> None:
    told = answer("desk", "--http", f"127.0.0.1:{gateway.port}")
    assert told["address"] == f"{gateway.url}/#key={gateway.token}"


def test_a_gateway_tells_where_its_desk_is(home: Path) -> None:
    running = Gateway(home)
    assert running.process.stderr is not None
    said = running.process.stderr.readline()
    running.end()
    assert said == f"desk on {running.url}/ (`seasoned desk` opens it)\n"


def test_without_a_gateway_it_says_what_to_start(seasoned: Call) -> None:
    with socket.socket() as bound:  # nobody listens on it
        bound.bind(("127.0.0.1", 0))
        result = seasoned("desk", "--http", f"127.0.0.1:{bound.getsockname()[1]}")
    assert result.exit_code == 3
    assert "start one with `seasoned serve`" in result.stderr


def test_a_gateway_with_another_token_is_told_apart(
    seasoned: Call, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_SERVER__TOKEN", "x" * 40)
    result = seasoned("desk", "--http", f"127.0.0.1:{gateway.port}")
    assert result.exit_code == 77
    assert "does not take the token in SEASONED_SERVER__TOKEN" in result.stderr


def test_the_token_of_this_machine_is_not_sent_to_another(seasoned: Call) -> None:
    result = seasoned("desk", "--http", "192.0.2.7:8420")
    assert result.exit_code == 2
    assert "192.0.2.7 is another machine" in result.stderr


def test_a_browser_is_given_a_private_file_and_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    code = (
        "import sys; from pathlib import Path; from seasoned.cli.desk.address import open_browser;"
        "assert open_browser('http://127.0.0.1:8420/#key=secret', Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert "secret" not in (tmp_path / "asked").read_text()
    page = tmp_path / "desk.html"
    assert "#key=secret" in page.read_text()
    assert page.stat().st_mode & 0o077 == 0


def test_no_browser_is_opened_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    assert not has_display()  # stdout is no terminal
