"""The sessions of the assistants on a machine are found in their places, by project."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.reading import document, lines

from seasoned.transcripts.installed import FoundProject, Machine, found_projects

CLAUDE = {"type": "user", "sessionId": "a1", "uuid": "u1", "gitBranch": "main"}
PI: dict[str, Any] = {"type": "session", "version": 3, "id": "p1", "cwd": "/gone/shop"}


def claude(folder: str) -> dict[str, Any]:
    return {**CLAUDE, "cwd": folder, "message": {"role": "user", "content": "hi"}}


def pi(text: str) -> list[dict[str, Any]]:
    return [PI, {"type": "message", "id": "1", "message": {"role": "user", "content": text}}]


def found(home: Path, platform: str = "linux", **variables: str) -> dict[str, FoundProject]:
    machine = Machine(home, home / "here", platform, variables)
    return {one.project: one for one in found_projects(machine)}


def test_sessions_of_several_assistants_are_grouped_by_project(tmp_path: Path):
    home = tmp_path / "home"
    one = lines(home, [claude("/gone/shop")], ".claude/projects/-gone-shop/a1.jsonl")
    two = lines(home, [claude("/gone/shop/api")], ".claude/projects/-gone-shop-api/a2.jsonl")
    three = lines(home, pi("hi"), ".pi/agent/sessions/--gone-shop--/p1.jsonl")
    other = lines(home, [claude("/gone/blog")], ".claude/projects/-gone-blog/a3.jsonl")
    document(home, [], ".continue/sessions/sessions.json")
    for path, at in ((one, 100), (two, 300), (three, 200), (other, 900)):
        os.utime(path, (at, at))
    projects = found(home)
    shop = projects["/gone/shop"]
    assert (shop.name, shop.assistants, shop.last) == ("shop", {"Claude Code": 2, "pi": 1}, 300)
    assert set(shop.files) == {one, two, three}
    assert list(projects) == ["/gone/blog", "/gone/shop"]  # the latest first


def test_an_empty_machine_has_none(tmp_path: Path):
    assert found(tmp_path) == {}


@pytest.mark.parametrize(
    ("variable", "below"),
    [("CLAUDE_CONFIG_DIR", "projects/x/a.jsonl"), ("XDG_DATA_HOME", "goose/sessions/a.jsonl")],
)
def test_the_variables_of_the_tools_are_honoured(tmp_path: Path, variable: str, below: str):
    head = claude("/gone/shop") if variable.startswith("CLAUDE") else {"working_dir": "/gone/shop"}
    said = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    moved = lines(tmp_path, [head, said], f"moved/{below}")
    assert found(tmp_path) == {}
    (one,) = found(tmp_path, **{variable: str(tmp_path / "moved")}).values()
    assert list(one.files) == [moved]
    assert one.project == "/gone/shop"


def test_codex_home_is_honoured(tmp_path: Path):
    meta = {"type": "session_meta", "payload": {"id": "c1", "cwd": "/gone/shop"}}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    records = [meta, {"type": "response_item", "payload": said}]
    lines(tmp_path, records, "moved/sessions/2026/01/02/rollout-x.jsonl")
    lines(tmp_path, records, "moved/archived_sessions/rollout-y.jsonl")
    (one,) = found(tmp_path, CODEX_HOME=str(tmp_path / "moved")).values()
    assert one.assistants == {"Codex": 2}


@pytest.mark.parametrize(
    ("platform", "user"),
    [
        ("linux", ".config/Code/User"),
        ("darwin", "Library/Application Support/Code/User"),
        ("win32", "AppData/Roaming/Code/User"),
    ],
)
def test_editors_keep_their_files_elsewhere_on_each_system(
    tmp_path: Path, platform: str, user: str
):
    request: dict[str, Any] = {"requestId": "1", "message": {"text": "hi"}, "response": []}
    chat: dict[str, Any] = {"requesterUsername": "ana", "sessionId": "v1", "requests": [request]}
    document(tmp_path, chat, f"{user}/workspaceStorage/abc/chatSessions/v1.json")
    document(
        tmp_path, {"folder": "file:///gone/shop"}, f"{user}/workspaceStorage/abc/workspace.json"
    )
    projects = found(tmp_path, platform)
    assert projects["/gone/shop"].assistants == {"Copilot in VS Code": 1}


def test_a_database_of_several_projects_is_told_on_its_own(tmp_path: Path):
    data = tmp_path / ".local" / "share" / "opencode"
    data.mkdir(parents=True)
    with closing(sqlite3.connect(data / "opencode.db")) as base, base:
        base.execute("CREATE TABLE session (id, parent_id, directory, time_created)")
        base.execute("CREATE TABLE message (id, session_id, time_created, data)")
        base.execute("CREATE TABLE part (id, message_id, session_id, time_created, data)")
        for number, name in enumerate(("shop", "blog")):
            base.execute("INSERT INTO session VALUES (?, NULL, ?, 1)", (name, f"/gone/{name}"))
            row = (name, name, number, json.dumps({"role": "user"}))
            base.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
            part = (name, name, name, 1, json.dumps({"type": "text", "text": "hi"}))
            base.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", part)
    # Its older store is not read beside it.
    document(data, {"id": "m", "role": "user"}, "storage/message/ses_old/m.json")
    ((project, one),) = found(tmp_path).items()
    assert "several projects" in project
    assert (one.assistants, one.files) == ({"OpenCode": 2}, [data / "opencode.db"])


def test_aider_and_specstory_are_found_in_the_current_folder(tmp_path: Path):
    here = tmp_path / "here"
    here.mkdir()
    (here / ".aider.chat.history.md").write_text("# aider chat started at 2024-08-09\n\n#### hi\n")
    (one,) = found(tmp_path).values()
    assert one.assistants == {"Aider": 1}
    assert one.project == str(here.resolve())
