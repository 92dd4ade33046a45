"""Cursor: the stream of its agent, the agent's transcripts, and the databases."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.transcripts.reading import calls, document, folders, left_out, lines, outcomes, said

from seasoned.transcripts.assistants.cursor_store import BINARY
from seasoned.transcripts.reader import NO_RESULTS, format_of

INIT = {"type": "system", "subtype": "init", "cwd": "/src/shop", "session_id": "s1"}


def spoke(role: str, text: str, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": role, "message": message, "session_id": "s1", **more}


def ran(command: str, **result: Any) -> list[dict[str, Any]]:
    args = {"command": command, "toolCallId": "x", "simpleCommands": ["x"]}
    call = {"type": "tool_call", "call_id": f"call\n{command}", "session_id": "s1"}
    begun = {"shellToolCall": {"args": args}}
    ended = {"shellToolCall": {"args": args, "result": result}}
    return [
        {**call, "subtype": "started", "tool_call": begun},
        {**call, "subtype": "completed", "tool_call": ended, "timestamp_ms": 1770823850766},
    ]


def test_a_stream_tells_how_each_call_ended(tmp_path: Path):
    path = lines(
        tmp_path,
        [
            INIT,
            spoke("user", "build it"),
            spoke("assistant", "I ", timestamp_ms=1),
            spoke("assistant", "I try.", timestamp_ms=2, model_call_id="m"),
            *ran("ls", success={"exitCode": 0, "stdout": "a", "stderr": "", "executionTime": 12}),
            *ran("make", success={"exitCode": 2, "stdout": "", "stderr": "no rule"}),
            *ran("false", failure={"exitCode": 1, "stdout": "", "stderr": ""}),
            *ran("rm x", rejected={"command": "rm x", "reason": "not now"}),
            *ran("cat x", error={"errorMessage": "no such file"}),
            {"type": "result", "subtype": "success", "is_error": False, "session_id": "s1"},
        ],
    )
    assert format_of(path) == "Cursor agent session"
    assert outcomes(path) == {
        "ls": "ok",
        "make": "failed",
        "false": "failed",
        "rm x": "refused",
        "cat x": "failed",
    }
    first, second, third, *_ = calls(path)
    assert (first.tool, dict(first.params)) == ("shell", {"command": "ls"})
    assert (first.duration_ms, first.at) == (12, 1770823850766000)
    assert (second.error, third.error) == ("no rule", "exit code 1")
    assert (said(path), said(path, "assistant")) == (["build it"], ["I try."])
    assert folders(path) == {"/src/shop"}


def test_a_transcript_without_results_says_so(tmp_path: Path):
    used = {"type": "tool_use", "name": "Read", "input": {"path": "a"}}
    query = "<user_query>\nread it\n</user_query>"
    path = lines(
        tmp_path,
        [
            {"role": "user", "message": {"content": [{"type": "text", "text": query}]}},
            {
                "role": "assistant",
                "message": {"content": [{"type": "text", "text": "[REDACTED]"}, used]},
            },
            {"role": "assistant", "message": {"content": [used]}},
        ],
    )
    assert format_of(path) == "Cursor agent session"
    assert (said(path), said(path, "assistant"), calls(path)) == (["read it"], [], [])
    assert left_out(path) == {NO_RESULTS: 2}


def bubble(name: str, **call: Any) -> dict[str, Any]:
    given = {
        "toolCallId": name,
        "name": "run_terminal_cmd",
        "rawArgs": json.dumps({"command": name}),
    }
    return {"bubbleId": f"b-{name}", "type": 2, "text": "", "toolFormerData": {**given, **call}}


BUBBLES = [
    {"bubbleId": "b0", "type": 1, "text": "build it", "createdAt": "2026-01-02T03:04:05Z"},
    bubble("ls", status="completed", result='{"output": "a", "exitCodeV2": 0}'),
    bubble("make", status="completed", result='{"output": "no rule", "exitCode": 2}'),
    bubble("cat x", status="error", error='{"clientVisibleErrorMessage": "no such file"}'),
    bubble("rm x", status="cancelled", userDecision="rejected"),
    bubble("sleep", status="cancelled", result="{}"),
    bubble("top", status="loading"),
]
ENDS = {"ls": "ok", "make": "failed", "cat x": "failed", "rm x": "refused", "sleep": "cancelled"}


def editor(path: Path, rows: dict[str, Any], table: str = "cursorDiskKV") -> Path:
    with closing(sqlite3.connect(path)) as base, base:
        for name in {"ItemTable", table}:
            base.execute(f"CREATE TABLE {name} (key TEXT UNIQUE, value BLOB)")
        for key, value in rows.items():
            row = (key, json.dumps(value).encode())
            base.execute(f"INSERT INTO {table} VALUES (?, ?)", row)
    return path


def test_the_editors_database_is_read_in_the_order_of_the_conversation(tmp_path: Path):
    heads = [{"bubbleId": one["bubbleId"], "type": one["type"]} for one in BUBBLES]
    composer = {
        "composerId": "k1",
        "createdAt": 1767323045000,
        "fullConversationHeadersOnly": heads,
        "workspaceIdentifier": {"uri": {"fsPath": "/src/shop"}},
    }
    bubbles = {f"bubbleId:k1:{one['bubbleId']}": one for one in reversed(BUBBLES)}
    other = {"bubbleId:k10:x": {"type": 1, "text": "another conversation"}}
    path = editor(tmp_path / "state.vscdb", {"composerData:k1": composer, **bubbles, **other})
    assert format_of(path) == "Cursor or VS Code database"
    assert outcomes(path) == ENDS
    assert list(outcomes(path)) == list(ENDS)
    assert (said(path), folders(path)) == (["build it"], {"/src/shop"})
    assert {call.session for call in calls(path)} == {"k1"}
    assert calls(path)[2].error == "no such file"


def test_an_older_workspace_database_has_the_conversation_inline(tmp_path: Path):
    document(tmp_path, {"folder": "file:///src/shop"}, "workspace.json")
    kept = {"allComposers": [{"composerId": "k1", "conversation": BUBBLES}, {"composerId": "k2"}]}
    path = editor(tmp_path / "state.vscdb", {"composer.composerData": kept}, "ItemTable")
    assert outcomes(path) == ENDS
    assert folders(path) == {"/src/shop"}


def test_the_agents_database_is_read_as_far_as_it_is_json(tmp_path: Path):
    info = "<user_info>\nWorkspace Path: /src/shop\n</user_info>"
    messages: dict[str, Any] = {
        "02" * 32: {"role": "user", "content": [{"type": "text", "text": info}]},
        "01" * 32: {"role": "user", "content": "<user_query>list</user_query>"},
        "04" * 32: {
            "role": "assistant",
            "content": [
                {
                    "type": "tool-call",
                    "toolCallId": "t",
                    "toolName": "Shell",
                    "args": {"command": "ls"},
                }
            ],
        },
        "03" * 32: {
            "role": "tool",
            "content": [
                {"type": "tool-result", "toolCallId": "t", "result": "Error: no such shell"}
            ],
        },
    }
    root = b"".join(b"\x0a\x20" + bytes.fromhex(name) for name in messages)
    head = {"agentId": "a1", "latestRootBlobId": "ff" * 32, "createdAt": 1775522590321}
    with closing(sqlite3.connect(tmp_path / "store.db")) as base, base:
        base.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        base.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
        base.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(head).encode().hex(),))
        base.execute("INSERT INTO blobs VALUES (?, ?)", ("ff" * 32, root))
        base.execute("INSERT INTO blobs VALUES (?, ?)", ("ee" * 32, b"\x08\x01"))
        for name, message in messages.items():
            row = (name, json.dumps(message).encode())
            base.execute("INSERT INTO blobs VALUES (?, ?)", row)
    path = tmp_path / "store.db"
    assert outcomes(path) == {"ls": "failed"}
    assert (said(path), folders(path)) == (["list"], {"/src/shop"})
    assert left_out(path) == {BINARY[1]: 1}
