"""Recorded hook inputs of every assistant, through the real client and the real service."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.assistants.hook_runner import Hooks

from seasoned import Seasoned
from seasoned.assistants.hosts import HOSTS

RECORDED = Path(__file__).parent / "recorded"
# What a host prints when there is nothing to say.
SILENT: dict[str, dict[str, Any]] = {"cline": {"cancel": False}}
FAILURES = {  # of the recorded calls, those that teach something about the tool
    "claude-code": ["make t", "ls x"],
    "codex": ["make t"],
    "gemini": ["make t"],
    "opencode": ["make t"],
    "cursor": ["make t", "sleep 900"],
    "copilot": ["make t"],
    "cline": ["make t"],
}


def recorded(host: str) -> list[dict[str, Any]]:
    lines = (RECORDED / f"{host}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("host", HOSTS)
def test_every_recorded_event_is_taken_in_silence(hooks: Hooks, host: str) -> None:
    for one in recorded(host):
        given = json.dumps(one["input"]).replace("/w/shop", f"/w/{host}")
        more = ("--event", one["event"]) if "event" in one else ()
        done = hooks.raw(host, given.encode(), *more)
        assert (done.returncode, done.stderr) == (0, b""), one
        assert (json.loads(done.stdout) if done.stdout else {}) == SILENT.get(host, {}), one
    with Seasoned(hooks.home / "seasoned.db", project=f"/w/{host}") as s:
        failed = {
            episode
            for error in s.errors()
            for episode in (one.params for one in s.inner.app.db.run(_samples(s, error.id)))
        }
    seen = {str(json.loads(params).get("command", "")) for params in failed}
    assert seen - {"", "grep -rn OldName src"} == set(FAILURES[host])


async def _samples(s: Seasoned, error: str) -> Any:
    async with s.inner.app.db.read() as tx:
        return await s.inner.app.errors.samples(tx, error, 20)


def test_an_unknown_event_a_missing_field_and_a_wrong_type_are_taken_too(hooks: Hooks) -> None:
    assert hooks.send("claude-code", hook_event_name="Telepathy", session_id="s", cwd="/w") == {}
    assert hooks.send("claude-code", hook_event_name="PostToolUse") == {}
    assert hooks.send("claude-code") == {}
    odd = {"session_id": 7, "cwd": ["/w"], "tool_name": None, "tool_input": "x", "error": {"a": 1}}
    for name in ("SessionStart", "UserPromptSubmit", "PostToolUseFailure", "Stop", "SessionEnd"):
        assert hooks.send("claude-code", hook_event_name=name, **odd) == {}
        odd["session_id"] = "s-odd"  # type: ignore[assignment]
    calls = {"tool_name": "Bash", "tool_input": ["ls"], "tool_use_id": "x1", "error": None}
    assert hooks.send("claude-code", hook_event_name="PostToolUseFailure", **odd | calls) == {}


@pytest.mark.parametrize(
    "payload",
    [b"", b"  \n", b"not json", b"[1, 2]", b'"text"', b"\xff\xfe\x00{", b'{"a": ' + b"[" * 5000],
)
def test_what_is_no_event_is_answered_with_nothing(hooks: Hooks, payload: bytes) -> None:
    done = hooks.raw("codex", payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_bytes_that_are_no_utf8_inside_an_event_do_no_harm(hooks: Hooks, project: str) -> None:
    event = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "bytes",
        "cwd": project,
        "tool_name": "Bash",
        "tool_input": {"command": "cat x"},
        "tool_use_id": "bytes-1",
        "error": "Exit code 1\ncat: MARK: No such file or directory",
    }
    done = hooks.raw("claude-code", json.dumps(event).encode().replace(b"MARK", b"\xff\xfe"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        assert [error.seen for error in s.errors()] == [1]


def test_a_huge_output_is_taken(hooks: Hooks, project: str) -> None:
    answer = hooks.send(
        "claude-code",
        hook_event_name="PostToolUse",
        session_id="huge",
        cwd=project,
        tool_name="Bash",
        tool_input={"command": "seq 1000000"},
        tool_use_id="huge-1",
        tool_response={"stdout": "0123456789" * 500_000, "stderr": "", "interrupted": False},
    )
    assert answer == {}
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        assert [(tool.name, tool.calls) for tool in s.tools()] == [("Bash", 1)]


def test_a_call_without_a_host_or_with_an_unknown_one_says_nothing(hooks: Hooks) -> None:
    event = b'{"hook_event_name": "SessionStart", "session_id": "s"}'
    done = hooks.raw("emacs", event)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = hooks.raw("../../etc", event)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "it needs --host NAME" in hooks.log()
