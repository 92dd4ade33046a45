"""OpenCode: what it exports, its database, and its older folder of files."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.transcripts.reading import calls, document, folders, learnable, outcomes, problems, said

from seasoned.transcripts.files import transcript_files
from seasoned.transcripts.reader import format_of

START = 1777398783548


def tool(command: str, status: str, **state: Any) -> dict[str, Any]:
    times = {"start": START, "end": START + 30}
    held = {"status": status, "input": {"command": command}, "time": times, **state}
    return {"id": f"p-{command}", "type": "tool", "tool": "bash", "callID": command, "state": held}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"id": f"p-{words}", "type": "text", "text": words, **more}


PARTS = [
    text("I try."),
    tool("ls", "completed", output="a", metadata={"exit": 0}),
    tool("make", "completed", output="no rule", metadata={"exit": 2}),
    tool("false", "completed", output="(no output)", metadata={"exit": 1}),
    tool("cat x", "error", error="File not found: x"),
    tool("rm x", "error", error="The user rejected permission to use this tool."),
    tool("sleep 9", "error", error="Tool execution aborted"),
    tool("tail -f x", "running"),
]
ENDS = {"ls": "ok", "make": "failed", "false": "failed", "cat x": "failed", "rm x": "refused"}
ENDS["sleep 9"] = "cancelled"


def session(**info: Any) -> dict[str, Any]:
    asked = [text("build it"), text("a file that was attached", synthetic=True)]
    return {
        "info": {"id": "ses_1", "directory": "/src/shop", **info},
        "messages": [
            {"info": {"id": "m1", "role": "user", "time": {"created": START}}, "parts": asked},
            {
                "info": {"id": "m2", "role": "assistant", "time": {"created": START + 1}},
                "parts": PARTS,
            },
        ],
    }


def test_an_export_tells_how_each_call_ended(tmp_path: Path):
    path = document(tmp_path, session())
    assert format_of(path) == "OpenCode session"
    assert outcomes(path) == ENDS
    assert (said(path), said(path, "assistant"), folders(path)) == (
        ["build it"],
        ["I try."],
        {"/src/shop"},
    )
    ended = {str(call.params["command"]): call for call in calls(path)}
    assert (ended["false"].error, ended["ls"].duration_ms) == ("exit code 1", 30)
    assert ended["ls"].at == (START + 30) * 1000


def test_a_session_that_another_agent_began_has_no_words_of_the_user(tmp_path: Path):
    assert said(document(tmp_path, session(parentID="ses_0"))) == []


def stored(path: Path) -> Path:
    """Write the session as OpenCode's database has it."""
    made = session()
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE session (id, parent_id, directory, time_created)")
        base.execute("CREATE TABLE message (id, session_id, time_created, data)")
        base.execute("CREATE TABLE part (id, message_id, session_id, time_created, data)")
        base.execute("INSERT INTO session VALUES ('ses_1', NULL, '/src/shop', 1)")
        for at, message in enumerate(made["messages"]):
            info = message["info"]
            row = (info["id"], "ses_1", at, json.dumps({**info, "id": None}))
            base.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
            for place, part in enumerate(message["parts"]):
                whose = (part["id"], info["id"], "ses_1", place, json.dumps(part))
                base.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", whose)
    return path


def test_the_database_gives_the_same_items_as_the_export(tmp_path: Path):
    database = stored(tmp_path / "opencode.db")
    assert learnable(database) == learnable(document(tmp_path, session()))


def test_reading_a_database_leaves_no_trace(tmp_path: Path):
    database = stored(tmp_path / "opencode.db")
    before = (database.read_bytes(), database.stat().st_mtime_ns)
    assert len(calls(database)) == 6
    assert [path.name for path in tmp_path.iterdir()] == ["opencode.db"]
    assert (database.read_bytes(), database.stat().st_mtime_ns) == before


def test_what_is_still_in_the_log_of_an_open_database_is_read(tmp_path: Path):
    database = tmp_path / "opencode.db"
    with closing(sqlite3.connect(database)) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA wal_autocheckpoint = 0")
        base.execute("CREATE TABLE settings (name)")
        stored(database)
        names = {path.name for path in tmp_path.iterdir()}
        assert (tmp_path / "opencode.db-wal").stat().st_size > 0
        assert len(calls(database)) == 6
        assert {path.name for path in tmp_path.iterdir()} == names


def test_a_damaged_database_is_a_problem(tmp_path: Path):
    database = stored(tmp_path / "opencode.db")
    database.write_bytes(database.read_bytes()[:2000] + b"\xff" * 3000)
    assert "cannot" in problems(database)[0]


def test_another_programs_database_is_a_problem(tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "x.db")) as base, base:
        base.execute("CREATE TABLE songs (title)")
    (problem,) = problems(tmp_path / "x.db")
    assert "SQLite database in which we know no sessions" in problem


def test_the_older_folders_give_the_same_items(tmp_path: Path):
    made = session()
    storage = tmp_path / "storage"
    document(storage, made["info"], "session/project/ses_1.json")
    for message in made["messages"]:
        info = message["info"]
        document(storage, info, f"message/ses_1/{info['id']}.json")
        for place, part in enumerate(message["parts"]):
            document(storage, part, f"part/{info['id']}/{place}.json")
    (folder,) = transcript_files([tmp_path])
    assert folder == storage / "message" / "ses_1"
    assert learnable(folder) == learnable(document(tmp_path / "whole", made))
