"""`seasoned connect` and `disconnect`: settings files with other people's things in them."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from tests.assistants.hook_runner import Hooks
from typer.testing import CliRunner, Result

Call = Callable[..., Result]

OTHERS = b"""\
{
    "model": "opus",
    "permissions": { "allow": [ "Bash(ls:*)" ],   "deny": [] },
    "hooks": {
        "PostToolUse": [
            { "matcher": "Edit", "hooks": [ { "type": "command", "command": "prettier" } ] }
        ],
        "Notification": [],
        "SessionStart": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "echo hi"
                    }
                ]
            }
        ]
    },
    "unknownKey": {"keep": "\xc3\xa4"}
}"""
FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/plugins/seasoned.js",
    "cursor": ".cursor/hooks.json",
    "copilot": ".copilot/hooks/seasoned.json",
    "cline": "Documents/Cline/Hooks/PostToolUse",
}
SETTINGS = ("claude-code", "codex", "gemini", "cursor")


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of somebody who has no assistant yet."""
    folder = tmp_path / "ana"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("SEASONED_HOME", str(folder / ".seasoned"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    return folder


@pytest.fixture
def call(person: Path) -> Call:
    from seasoned.cli.main import app

    def run(*args: str, answer: str | None = None) -> Result:
        return CliRunner().invoke(app, list(args), input=answer)

    return run


def written(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, except our own."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".seasoned" not in path.parts
    }


@pytest.mark.parametrize("name", FILES)
def test_connecting_and_disconnecting_leaves_nothing_behind(
    call: Call, person: Path, name: str
) -> None:
    assert call("connect", name, "--mcp", "--yes").exit_code == 0
    assert (
        "seasoned-hook" in (person / FILES[name]).read_text()
        or "client.py" in (person / FILES[name]).read_text()
    )
    assert call("disconnect", name, "--yes").exit_code == 0
    assert snapshot(person) == {}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(
    "before", [OTHERS, OTHERS.replace(b"\n", b"\r\n"), b"{}", b"", b'{"a": 1}\n', b"{\n}\n"]
)
def test_a_settings_file_becomes_what_it_was(
    call: Call, person: Path, name: str, before: bytes
) -> None:
    path = written(person / FILES[name], before)
    assert call("connect", name, "--yes").exit_code == 0
    after = path.read_bytes()
    assert after != before
    known = json.loads(before or b"{}")
    for key, value in known.items():
        if key != "hooks":
            assert json.loads(after)[key] == value
    for event, groups in known.get("hooks", {}).items():
        assert json.loads(after)["hooks"][event][: len(groups)] == groups
    assert call("disconnect", name, "--yes").exit_code == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", FILES)
def test_connecting_twice_changes_nothing(call: Call, person: Path, name: str) -> None:
    call("connect", name, "--mcp", "--yes")
    before = snapshot(person)
    again = call("connect", name, "--mcp", "--yes")
    assert "is connected already" in again.stdout
    assert snapshot(person) == before


def test_hooks_that_came_later_stay_and_ours_go(call: Call, person: Path) -> None:
    path = written(person / FILES["claude-code"], OTHERS)
    call("connect", "claude-code", "--yes")
    text = path.read_text("utf-8").replace('"echo hi"', '"echo hello"')
    end = text.rindex("}")
    text = text[:end].rstrip() + ',\n    "later": true\n}'
    path.write_text(text, "utf-8")
    assert call("connect", "claude-code", "--yes").stdout.strip().endswith("connected already")
    assert call("disconnect", "claude-code", "--yes").exit_code == 0
    expected = json.loads(OTHERS) | {"later": True}
    expected["hooks"]["SessionStart"][0]["hooks"][0]["command"] = "echo hello"
    assert json.loads(path.read_bytes()) == expected
    assert path.read_text("utf-8").startswith(OTHERS.decode()[:200])


def test_an_older_command_of_ours_is_replaced(call: Call, person: Path) -> None:
    old = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "seasoned-hook --old"}]}]}}
    path = written(person / FILES["claude-code"], json.dumps(old, indent=2).encode())
    assert call("connect", "claude-code", "--yes").exit_code == 0
    assert "--old" not in path.read_text()
    assert len(json.loads(path.read_bytes())["hooks"]["Stop"]) == 1


def test_a_group_that_others_share_keeps_their_hooks(call: Call, person: Path) -> None:
    both = [{"type": "command", "command": "seasoned-hook --host claude-code"}, {"command": "x"}]
    path = written(
        person / FILES["claude-code"], json.dumps({"hooks": {"Stop": [{"hooks": both}]}}).encode()
    )
    assert call("disconnect", "claude-code", "--yes").exit_code == 0
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}


@pytest.mark.parametrize("command", ["connect", "disconnect"])
def test_a_broken_file_is_named_and_not_written(call: Call, person: Path, command: str) -> None:
    path = written(person / FILES["gemini"], b'{"hooks": {\n  "a" 1}}')
    done = call(command, "gemini", "--yes")
    assert done.exit_code == 2
    assert f"{path} is no valid JSON (line 2, column 7: a colon is missing)" in done.stderr
    assert path.read_bytes() == b'{"hooks": {\n  "a" 1}}'


def test_a_value_in_the_way_is_named(call: Call, person: Path) -> None:
    path = written(person / FILES["cursor"], b'{"version": 1, "hooks": "none"}')
    done = call("connect", "cursor", "--yes")
    assert done.exit_code == 2
    assert f"{path}: hooks is no object; correct the file" in done.stderr


def test_a_read_only_file_is_left_alone(call: Call, person: Path) -> None:
    path = written(person / FILES["claude-code"], OTHERS)
    path.chmod(0o444)
    done = call("connect", "claude-code", "--yes")
    assert done.exit_code == 2
    assert f"{path} is read-only; nothing was written" in done.stderr
    assert path.read_bytes() == OTHERS


def test_of_several_files_none_is_written_if_one_cannot_be(call: Call, person: Path) -> None:
    written(person / FILES["cursor"], b"{}")
    path = written(person / ".cursor" / "mcp.json", b"{}")
    path.chmod(0o444)
    assert call("connect", "cursor", "--mcp", "--yes").exit_code == 2
    assert snapshot(person) == {".cursor/hooks.json": b"{}", ".cursor/mcp.json": b"{}"}


def test_a_link_stays_a_link_and_permissions_stay(call: Call, person: Path) -> None:
    real = written(person / "dotfiles" / "claude.json", OTHERS)
    real.chmod(0o640)
    link = person / FILES["claude-code"]
    link.parent.mkdir()
    link.symlink_to(real)
    call("connect", "claude-code", "--yes")
    assert link.is_symlink()
    assert b"--host claude-code" in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o640
    call("disconnect", "claude-code", "--yes")
    assert link.is_symlink()
    assert real.read_bytes() == OTHERS


def test_it_shows_the_difference_and_asks(call: Call, person: Path) -> None:
    path = written(person / FILES["claude-code"], OTHERS)
    refused = call("connect", "claude-code", answer="n\n")
    assert '+            "command": "' in refused.stdout.replace("        ", "    ")
    assert f"--- {path}" in refused.stdout
    assert "Connect Claude Code?" in refused.stderr
    assert path.read_bytes() == OTHERS
    assert call("connect", "claude-code", answer="").exit_code == 2  # nobody is there
    assert call("connect", "claude-code", "--dry-run").exit_code == 0
    assert path.read_bytes() == OTHERS
    assert call("connect", "claude-code", answer="y\n").exit_code == 0
    assert path.read_bytes() != OTHERS


def test_the_original_is_kept_where_only_its_owner_reads_it(call: Call, person: Path) -> None:
    written(person / FILES["claude-code"], OTHERS)
    call("connect", "claude-code", "--yes")
    (kept,) = (person / ".seasoned" / "connect").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_project_is_connected_in_its_own_folder(call: Call, person: Path) -> None:
    here = Path.cwd()
    assert call("connect", "claude-code", "--scope", "project", "--mcp", "--yes").exit_code == 0
    assert set(snapshot(here)) == {".claude/settings.local.json", ".mcp.json"}
    assert (
        json.loads((here / ".mcp.json").read_bytes())["mcpServers"]["seasoned"]["args"][-1] == "mcp"
    )
    assert snapshot(person) == {}
    assert call("disconnect", "claude-code", "--scope", "project", "--yes").exit_code == 0
    assert snapshot(here) == {}
    assert call("connect", "codex", "--scope", "world").exit_code == 2


def test_codex_keeps_its_toml_and_the_user_is_told_to_approve(call: Call, person: Path) -> None:
    toml = b'model = "gpt"\n\n[mcp_servers.other]\ncommand = "x" # mine\n'
    path = written(person / ".codex" / "config.toml", toml)
    done = call("connect", "codex", "--mcp", "--yes")
    assert "enter /hooks" in done.stderr
    servers = tomllib.loads(path.read_text())["mcp_servers"]
    assert servers["other"] == {"command": "x"}
    assert servers["seasoned"]["args"][-1] == "mcp"
    hooks = json.loads((person / FILES["codex"]).read_bytes())
    assert set(hooks) == {"hooks"}  # a key that Codex does not know would turn all hooks off
    assert {one["type"] for event in hooks["hooks"].values() for one in event[0]["hooks"]} == {
        "command"
    }
    assert hooks["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] <= 3
    path.write_bytes(path.read_bytes() + b"\n[later]\na = [\n  1,\n]\n")
    call("disconnect", "codex", "--yes")
    assert path.read_bytes() == toml + b"\n[later]\na = [\n  1,\n]\n"


def test_gemini_waits_in_milliseconds_and_hooks_that_are_off_are_noticed(
    call: Call, person: Path
) -> None:
    path = written(person / FILES["gemini"], b'{"hooksConfig": {"enabled": false}}')
    done = call("connect", "gemini", "--yes")
    assert "turn hooks off (hooksConfig.enabled)" in done.stderr
    hook = json.loads(path.read_bytes())["hooks"]["AfterTool"][0]["hooks"][0]
    assert hook["timeout"] >= 5_000


def test_over_http_claude_code_runs_a_process_only_when_a_session_starts(
    call: Call, person: Path
) -> None:
    done = call("connect", "claude-code", "--http", "--yes")
    assert "start `seasoned serve`" in done.stderr
    hooks = json.loads((person / FILES["claude-code"]).read_bytes())["hooks"]
    kinds = {event: groups[0]["hooks"][0]["type"] for event, groups in hooks.items()}
    assert {event for event, kind in kinds.items() if kind == "command"} == {"SessionStart"}
    assert hooks["Stop"][0]["hooks"][0]["url"] == "http://127.0.0.1:8420/hooks/claude-code"
    assert "Bearer $SEASONED_SERVER__TOKEN" in json.dumps(hooks)
    assert call("connect", "codex", "--http", "--yes").exit_code == 2
    assert call("disconnect", "claude-code", "--yes").exit_code == 0
    assert snapshot(person) == {}


def test_a_hook_of_somebody_else_with_clines_name_is_not_overwritten(
    call: Call, person: Path
) -> None:
    path = written(person / FILES["cline"], b"#!/bin/sh\necho mine\n")
    done = call("connect", "cline", "--yes")
    assert done.exit_code == 2
    assert f"{path} is there already, and not ours" in done.stderr
    assert snapshot(person) == {FILES["cline"]: b"#!/bin/sh\necho mine\n"}


def test_the_list_says_what_is_here_and_connected(call: Call, person: Path) -> None:
    (person / ".codex").mkdir()
    call("connect", "gemini", "--yes")
    rows = {row["assistant"]: row for row in json.loads(call("connect", "--json").stdout)}
    assert rows["codex"]["found"]
    assert rows["codex"]["connected"] == []
    assert rows["gemini"]["connected"] == ["user"]
    assert "gemini" in call("connect").stdout
    assert call("connect", "emacs").exit_code == 3
    assert call("disconnect").exit_code == 2
    assert "is not connected" in call("disconnect", "codex", "--yes").stdout


def test_the_doctor_tells_whether_hooks_arrive(call: Call, person: Path) -> None:
    call("connect", "cursor", "--yes")

    def checks() -> dict[str, Any]:
        found = json.loads(call("doctor", "--json").stdout)["checks"]
        return {one["name"]: one for one in found}

    assert "no hook arrived yet" in checks()["Cursor"]["detail"]
    hooks = Hooks(person / ".seasoned", HOME=str(person))
    hooks.start()
    hooks.send("cursor", hook_event_name="stop", conversation_id="c", cursor_version="2")
    hooks.raw("../x", b"{}")
    hooks.end()
    found = checks()
    assert "last hook in the last hour (stop)" in found["Cursor"]["detail"]
    assert "it needs --host NAME" in found["hooks"]["detail"]


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_the_command_that_is_installed_runs(call: Call, person: Path, name: str) -> None:
    """The line in the settings, run by a shell as the assistant does, reaches the service."""
    call("connect", name, "--yes")
    found = (person / FILES[name]).read_text()
    line = next(value for value in _strings(json.loads(found)) if f"--host {name}" in value)
    hooks = Hooks(person / ".seasoned", HOME=str(person))
    hooks.start()
    event = {"session_id": "s", "hook_event_name": "stop"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        line,
        shell=True,
        input=json.dumps(event).encode(),
        env={**hooks.environment, "PATH": path},
        capture_output=True,
        check=False,
    )
    hooks.end()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    activity = json.loads((hooks.run / "activity.json").read_text())
    assert name in activity, shlex.split(line)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    inner = cast("list[Any]", value) if isinstance(value, list) else []
    return [text for one in inner for text in _strings(one)]
