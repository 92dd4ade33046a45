"""`seasoned learn` without a path: the sessions of this machine, and which of them to take."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.terminal_driver import Terminal
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]


def session(name: str, folder: str) -> str:
    """Write a session of Claude Code in which a call fails and its repair works."""
    common = {"sessionId": name, "cwd": folder, "timestamp": "2026-01-02T03:04:05Z"}
    lines: list[dict[str, Any]] = []
    for number, (region, error) in enumerate((("", "no region for app 'x'"), ("eu", None))):
        params = {"app": "x", **({"region": region} if region else {})}
        call = {
            "type": "tool_use",
            "id": f"toolu_{name}_{number}",
            "name": "deploy",
            "input": params,
        }
        answer = {"type": "tool_result", "tool_use_id": call["id"], "content": error or "deployed"}
        for kind, block in (
            ("assistant", call),
            ("user", {**answer, "is_error": error is not None}),
        ):
            message = {"role": kind, "content": [block]}
            lines.append(
                {"type": kind, "uuid": f"{name}{number}{kind}", "message": message, **common}
            )
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a home folder with sessions of two projects."""
    folder = tmp_path / "person"
    for name, project in (("s1", "shop"), ("s2", "shop"), ("s3", "blog")):
        file = folder / ".claude" / "projects" / f"-gone-{project}" / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(session(name, f"/gone/{project}"))
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder)
    return folder


def test_without_a_terminal_it_lists_them_and_says_what_to_type(
    seasoned: Call, answer: Answer, machine: Path
) -> None:
    result = seasoned("learn")
    assert result.exit_code == 0
    assert "3 sessions of coding assistants" in result.stdout
    assert "shop" in result.stdout
    assert "Claude Code 2" in result.stdout
    assert "seasoned learn --yes" in result.stderr
    assert answer("learn", "--yes")["calls"] == 6  # so nothing was learned before


def test_yes_learns_from_all_of_them(answer: Answer, machine: Path) -> None:
    told = answer("learn", "--yes")
    assert (told["files"], told["calls"], told["failures"]) == (3, 6, 3)
    assert [one["name"] for one in told["projects"]] == ["blog", "shop"]


def test_a_program_gets_the_list(answer: Answer, machine: Path) -> None:
    found = {one["name"]: one for one in answer("learn")["found"]}
    assert found["shop"]["sessions"] == 2
    assert found["shop"]["assistants"] == {"Claude Code": 2}
    assert len(found["blog"]["files"]) == 1


def test_a_machine_without_sessions_says_what_to_do(
    seasoned: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    result = seasoned("learn")
    assert result.exit_code == 2
    assert "seasoned learn PATH" in result.stderr


def test_at_a_terminal_a_person_chooses(machine: Path, tmp_path: Path) -> None:
    with Terminal("learn", home=tmp_path / "home", folder=machine) as terminal:
        shown = terminal.wait("Learn from which?")
        first = "shop" if shown.index("shop") < shown.index("blog") else "blog"
        terminal.say("seven")
        terminal.wait("please answer all, none, or numbers from 1 to 2")
        terminal.say("1")
        learned = terminal.wait("active")
        assert terminal.ends() == 0
    assert f"/gone/{first}" in learned
    assert ("4 calls in 2 sessions" if first == "shop" else "2 calls in 1 session") in learned


def test_none_is_an_answer(machine: Path, tmp_path: Path) -> None:
    with Terminal("learn", home=tmp_path / "home", folder=machine) as terminal:
        terminal.wait("Learn from which?")
        terminal.say("none")
        assert terminal.ends() == 0
        assert "calls in" not in terminal.text
