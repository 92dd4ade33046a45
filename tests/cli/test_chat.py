"""`seasoned chat` and `seasoned sessions`, as a person and as a script use them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.terminal_driver import Terminal
from typer.testing import CliRunner

Chat = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def script(tmp_path: Path) -> Callable[[list[Any]], str]:
    def write(answers: list[Any]) -> str:
        path = tmp_path / "script.json"
        path.write_text(json.dumps(answers))
        return f"scripted:{path}"

    return write


@pytest.fixture
def seasoned(home: Path, monkeypatch: pytest.MonkeyPatch) -> Chat:
    """Run a command in this process; importing the agent anew takes two seconds each time."""
    from seasoned.cli.main import app

    monkeypatch.setenv("COLUMNS", "120")

    def run(*args: str, given: str = "") -> "subprocess.CompletedProcess[str]":
        done = CliRunner().invoke(app, args, input=given)
        return subprocess.CompletedProcess(args, done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def real_seasoned(home: Path) -> Chat:
    """Run a command in a process of its own."""

    def run(*args: str, given: str = "") -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "seasoned", *args]
        return subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            timeout=100,
            env=os.environ | {"COLUMNS": "120"},
            check=False,
        )

    return run


def test_a_message_is_answered_and_the_session_kept(
    seasoned: Chat, script: Callable[..., str]
) -> None:
    model = script(["Good morning."])
    done = seasoned("chat", "Hello", "--model", model, "--session", "morning")
    assert (done.returncode, done.stdout) == (0, "Good morning.\n")
    shown = seasoned("sessions", "show", "morning").stdout
    assert "user: Hello" in shown
    assert "assistant: Good morning." in shown
    listed = json.loads(seasoned("sessions", "list", "--json").stdout)
    assert [(one["session"], one["turns"], one["end_reason"]) for one in listed] == [
        ("morning", 1, "left")
    ]


def test_lines_from_a_pipe_are_a_conversation(
    real_seasoned: Chat, script: Callable[..., str]
) -> None:
    model = script(["Of course.", "In one word: yes."])
    said = "Can you hear me?\nNo, that is wrong. Always answer in one word.\n/why\n/nonsense\n"
    done = real_seasoned("chat", "--model", model, given=said)
    noted = re.search(r"✎ noted from now on: Always answer in one word. \[(\w+)\]", done.stderr)
    assert noted
    assert done.stdout.startswith("Of course.\nIn one word: yes.\n")
    assert f"{noted[1]}  rule" in done.stdout
    assert "unknown command /nonsense" in done.stderr


def test_commands_teach_show_and_forget(seasoned: Chat, script: Callable[..., str]) -> None:
    done = seasoned("chat", "--model", script([]), given="/teach Use metric units.\n/lessons\n")
    taught = done.stdout.partition("[")[2].partition("]")[0]
    assert done.stdout.startswith(f"taught: Use metric units. [{taught}]")
    again = seasoned("chat", "--model", script([]), given=f"/why {taught}\n/forget {taught}\n")
    assert f"forgot: Use metric units. [{taught}]" in again.stdout
    assert again.returncode == 0


def test_the_last_answer_is_rated_as_by_a_thumb(seasoned: Chat, script: Callable[..., str]) -> None:
    said = "/good\nHello\n/bad It is evening.\n"
    model = script(["Good morning."])
    done = seasoned("chat", "--model", model, "--session", "morning", given=said)
    assert "there is no answer to rate yet" in done.stderr
    assert "noted 👎" in done.stdout
    (given,) = json.loads(seasoned("feedback", "list", "--json").stdout)
    assert (given["polarity"], given["comment"]) == ("negative", "It is evening.")
    assert given["session"] == "morning"


def test_events_are_lines_of_json(seasoned: Chat, script: Callable[..., str]) -> None:
    done = seasoned("chat", "Hello", "--model", script(["Hi."]), "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["kind"] for event in events] == ["chunk", "done"]


def test_a_failure_is_reported_with_an_exit_code(
    seasoned: Chat, script: Callable[..., str]
) -> None:
    failed = seasoned("chat", "Hello", "--model", script([{"fail": 401, "message": "no such key"}]))
    assert failed.returncode == 1
    assert "no such key" in failed.stderr
    for args, told in (
        (("chat", "Hello"), "no model is set"),
        (("chat", "Hello", "--model", "banana"), "names no model"),
        (("chat", "", "--model", "scripted:x"), "empty"),
        (("chat", "--resume", "--model", "scripted:x"), "needs --session"),
        (("sessions", "show", "nothing"), "no session 'nothing'"),
    ):
        refused = seasoned(*args)
        assert refused.returncode == 2 or "sessions" in args
        assert told in refused.stderr


def test_a_session_can_be_deleted(seasoned: Chat, script: Callable[..., str]) -> None:
    seasoned("chat", "Hello", "--model", script(["Hi."]), "--session", "short")
    assert seasoned("sessions", "delete", "short", "--yes").stdout == "deleted short\n"
    assert "no sessions yet" in seasoned("sessions", "list").stderr


@pytest.mark.parametrize("typed", ["y", "not today"])
def test_at_a_terminal_a_dangerous_tool_is_asked_for(
    tmp_path: Path, script: Callable[..., str], typed: str
) -> None:
    call = {"tool": "write_file", "args": {"path": "note.txt", "text": "hello"}}
    model = script([{"calls": [call]}, "So be it."])
    args = ("chat", "Write a note.", "--model", model, "--tools", "files", "--root", tmp_path)
    with Terminal(*args, home=tmp_path / "home") as screen:
        assert "write_file asks for your approval" in screen.wait("Allow it?")
        screen.wait("): ")
        screen.say(typed)
        screen.wait("So be it.")
        assert screen.ends() == 0
    assert (tmp_path / "note.txt").exists() is (typed == "y")
