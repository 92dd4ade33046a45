"""Fixtures that call the command line, in this process or in one of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.terminal_driver import Terminal, script_of
from typer.testing import CliRunner, Result

from seasoned import Seasoned

Call = Callable[..., Result]
Process = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., Path]
Chat = Callable[..., Terminal]


@pytest.fixture
def seasoned(home: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Return a function that runs a command in this process, with the test's own home."""
    from seasoned.cli.main import app

    monkeypatch.setenv("COLUMNS", "100")

    def call(*args: str | Path, input: str | bytes | None = None) -> Result:  # noqa: A002 - typer's name
        return CliRunner().invoke(app, [str(arg) for arg in args], input=input)

    return call


@pytest.fixture
def answer(seasoned: Call) -> Callable[..., Any]:
    """Return a function that runs a command with `--json` and returns the parsed document."""

    def call(*args: str | Path, **kwargs: Any) -> Any:
        result = seasoned(*args, "--json", **kwargs)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return call


@pytest.fixture
def chat(tmp_path: Path) -> Chat:
    """Return a function that starts a chat with a scripted model in a terminal."""

    def start(answers: list[Any], *args: str, columns: int = 100, **variables: str) -> Terminal:
        model = script_of(answers, tmp_path / "script.json")
        root = tmp_path / "root"
        root.mkdir(exist_ok=True)
        named = () if "--session" in args else ("--session", "s")
        return Terminal(
            *("chat", "--model", model, *named, "--root", root, *args),
            home=tmp_path / "home",
            variables=variables,
            columns=columns,
        )

    return start


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[], Seasoned]:
    """Return a function that opens what the chats of a test stored."""
    return lambda: Seasoned(tmp_path / "home" / "seasoned.db")


@pytest.fixture
def process(home: Path) -> Process:
    """Return a function that runs the command as a real process, without a terminal."""

    def call(*args: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "seasoned", *(str(arg) for arg in args)],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return call


@pytest.fixture
def transcript(tmp_path: Path) -> Write:
    """Return a function that writes tool calls to a file, one per line."""

    def write(calls: Iterable[dict[str, Any]], name: str = "calls.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(call) + "\n" for call in calls), "utf-8")
        return path

    return write


def repaired(session: str, team: str) -> list[dict[str, Any]]:
    """Return a call that fails without a region, and the one that then works."""
    error = f"deploy: no region given for {team}"
    return [
        {"tool": "deploy", "params": {"team": team}, "error": error, "session": session},
        {
            "tool": "deploy",
            "params": {"team": team, "region": "eu-west"},
            "result": "deployed",
            "session": session,
        },
    ]


@pytest.fixture
def episodes() -> Callable[..., list[dict[str, Any]]]:
    """Return a function that makes `number` sessions with the same lesson in each."""

    def told(number: int, start: int = 0) -> list[dict[str, Any]]:
        places = range(start, start + number)
        return [call for n in places for call in repaired(f"session {n}", f"team{n}")]

    return told


@pytest.fixture
def three(transcript: Write, episodes: Callable[..., list[dict[str, Any]]]) -> Path:
    """A transcript with three episodes of one lesson."""
    return transcript(episodes(3))
