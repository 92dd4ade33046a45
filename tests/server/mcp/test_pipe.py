"""`seasoned mcp` as a real process: only protocol on stdout, the folder's project, a clean end."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.server.mcp.clients import SECONDS, Assistant, on_pipe

from seasoned import Seasoned
from seasoned.config import system_user

COMMAND = [sys.executable, "-m", "seasoned", "mcp"]
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
READY: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def started(home: Path, folder: Path, *more: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*COMMAND, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "SEASONED_HOME": str(home)},
    )


def learned(home: Path, project: Path) -> Seasoned:
    return Seasoned(home / "seasoned.db", project=str(project), user=system_user())


def lines(*messages: object) -> bytes:
    sent = [one if isinstance(one, str) else json.dumps(one) for one in messages]
    return "".join(f"{one}\n" for one in sent).encode()


def test_every_line_is_answered_before_the_end_and_stdout_has_only_protocol(
    tmp_path: Path,
) -> None:
    deep = "[" * 100_000
    odd = ["", "nonsense", "[]", "{}", '{"jsonrpc": "2.0"}', "\x00\x01", deep, '"a"']
    process = started(tmp_path / "home", tmp_path)
    fact = call(2, "teach", kind="fact", text="Staging is called heron.")
    unknown: dict[str, Any] = {"jsonrpc": "2.0", "id": 3, "method": "no/such"}
    said, log = process.communicate(lines(HELLO, READY, *odd, fact, unknown), timeout=SECONDS)
    assert process.returncode == 0, log
    answers = [json.loads(line) for line in said.splitlines()]
    assert all(one["jsonrpc"] == "2.0" for one in answers)
    by_id = {one["id"]: one for one in answers if one["id"] is not None}
    assert by_id[1]["result"]["serverInfo"]["name"] == "seasoned"
    assert by_id[2]["result"]["isError"] is False
    assert by_id[3]["error"]["code"] == -32601
    refused = [one for one in answers if one["id"] is None]
    assert len(refused) == len(odd) - 1, "an empty line is nothing"
    assert all("not a JSON-RPC message" in one["error"]["message"] for one in refused)


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    process = started(tmp_path / "home", tmp_path)
    huge = "x" * (17 * 2**20)
    said, log = process.communicate(lines(HELLO, READY, huge, call(2, "recall", task="a")))
    answers = [json.loads(line) for line in said.splitlines()]
    assert process.returncode == 0, log
    (refused,) = [one for one in answers if one["id"] is None]
    assert "16777216 bytes" in refused["error"]["message"]
    assert {one["id"] for one in answers} == {None, 1, 2}


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_waits_and_nothing_is_lost(
    tmp_path: Path, how: signal.Signals
) -> None:
    process = started(tmp_path / "home", tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    correction = call(2, "correct", message="No. Always answer in German.", reply="Hi")
    process.stdin.write(lines(HELLO, READY, correction))
    process.stdin.flush()
    assert [json.loads(process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
    process.send_signal(how)
    assert process.wait(SECONDS) == 0
    process.communicate()
    with learned(tmp_path / "home", tmp_path) as s:
        s.corrections.learn()
        assert [one.content for one in s.rules.list()] == ["Always answer in German."]


def test_lessons_belong_to_the_folders_repository_and_the_systems_user(tmp_path: Path) -> None:
    shop, blog = tmp_path / "shop", tmp_path / "blog"
    for place in (shop / ".git", shop / "api", blog / ".git"):
        place.mkdir(parents=True)

    async def teach(assistant: Assistant) -> None:
        await assistant.ask("teach", kind="rule", text="Always use tabs.")

    async def look(assistant: Assistant) -> str:
        return await assistant.read("seasoned://rules")

    home = tmp_path / "home"
    on_pipe(home, teach, folder=shop / "api")
    with learned(home, shop) as s:
        (rule,) = s.rules.list()
        assert rule.scope.fields() == ("", str(shop), system_user(), "")
    assert "tabs" in on_pipe(home, look, folder=shop)
    assert on_pipe(home, look, folder=blog) == ""
    assert "tabs" in on_pipe(home, look, "--project", "shop", folder=blog)
    assert on_pipe(home, look, "--user", "ana", folder=shop) == ""


def test_each_connection_is_a_session_named_after_its_client(tmp_path: Path) -> None:
    async def report(assistant: Assistant) -> None:
        await assistant.ask("correct", message="No. Always answer in German.", reply="Hi")

    for _ in range(2):
        on_pipe(tmp_path / "home", report, folder=tmp_path)
    with learned(tmp_path / "home", tmp_path) as s:
        (rule,) = s.rules.list()
        sessions = {one.session for one in s.rules.story(rule.id).evidence if one.session}
    assert len(sessions) == 2
    assert all(one.startswith("mcp-Test-Assistant-") for one in sessions)


def test_a_wrong_path_ends_it_with_a_reason(tmp_path: Path) -> None:
    process = started(tmp_path / "home", tmp_path, "--db", str(tmp_path / "no" / "such.db"))
    said, log = process.communicate(timeout=SECONDS)
    assert (process.returncode, said) == (3, b"")
    assert b"no folder" in log


def test_the_pipe_needs_no_web_framework() -> None:
    code = (
        "import sys, seasoned.server.mcp.pipe, seasoned.server.mcp.server;"
        "print('fastapi' in sys.modules, 'numpy' in sys.modules, 'pydantic_ai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False False\n"
