"""Amp, Goose, Continue, Windsurf, Factory Droid, pi and Kimi: how calls end, who speaks, where."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.transcripts.reading import (
    calls,
    document,
    folders,
    learnable,
    left_out,
    lines,
    outcomes,
    said,
)

from seasoned.transcripts.reader import NO_RESULTS, format_of

FIVE = {"ls": "ok", "make": "failed", "cat x": "failed", "rm x": "refused", "sleep": "cancelled"}


def amp(**runs: dict[str, Any]) -> dict[str, Any]:
    names = [name.replace("_", " ") for name in runs]
    used = [
        {"type": "tool_use", "id": f"toolu_{name}", "name": "Bash", "input": {"cmd": name}}
        for name in names
    ]
    told = [
        {"type": "tool_result", "toolUseID": f"toolu_{name}", "run": run}
        for name, run in zip(names, runs.values(), strict=True)
        if run
    ]
    tree = {"uri": "file:///src/shop", "repository": {"type": "git"}}
    return {
        "v": 1,
        "id": "T-1",
        "env": {"initial": {"trees": [tree]}},
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "build"}],
                "meta": {"sentAt": 1772241201792},
            },
            {"role": "assistant", "content": used},
            {"role": "user", "content": told},
        ],
    }


def test_amp(tmp_path: Path):
    path = document(
        tmp_path,
        amp(
            ls={"status": "done", "result": {"output": "a", "exitCode": 0}},
            make={"status": "done", "result": {"output": "no rule", "exitCode": 2}},
            cat_x={"status": "error", "error": {"message": "no such file"}},
            rm_x={"status": "rejected-by-user"},
            sleep={"status": "cancelled"},
            top={"status": "in-progress"},
        ),
    )
    assert format_of(path) == "Amp thread"
    assert outcomes(path) == FIVE
    assert [call.error for call in calls(path)][1:3] == ["no rule", "no such file"]
    assert (said(path), folders(path)) == (["build"], {"/src/shop"})
    assert left_out(document(tmp_path, amp(ls={}, make={}))) == {NO_RESULTS: 2}


GOOSE_HEAD = {"id": "g1", "working_dir": "/src/shop", "session_type": "user"}


def goose(name: str, **result: Any) -> list[dict[str, Any]]:
    call = {"status": "success", "value": {"name": "shell", "arguments": {"command": name}}}
    return [
        {
            "role": "assistant",
            "created": 1740823200,
            "content": [{"type": "toolRequest", "id": name, "toolCall": call}],
        },
        {
            "role": "user",
            "created": 1740823201,
            "content": [{"type": "toolResponse", "id": name, "toolResult": result}],
        },
    ]


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


GOOSE = [
    {"role": "user", "created": 1740823200, "content": words("build")},
    {
        "role": "user",
        "created": 1740823200,
        "content": words("summary"),
        "metadata": {"userVisible": False},
    },
    *goose("ls", status="success", value={"content": words("a"), "isError": False}),
    *goose("old", status="success", value=words("b")),
    *goose("make", status="success", value={"content": words("no rule"), "isError": True}),
    *goose("cat x", status="error", error="no such file"),
    *goose("rm x", status="success", value=words("The user has declined to run this tool. STOP")),
]


def test_goose(tmp_path: Path):
    path = lines(tmp_path, [GOOSE_HEAD, *GOOSE])
    assert format_of(path) == "Goose session"
    assert outcomes(path) == {
        "ls": "ok",
        "old": "ok",
        "make": "failed",
        "cat x": "failed",
        "rm x": "refused",
    }
    assert (said(path), folders(path)) == (["build"], {"/src/shop"})
    assert said(lines(tmp_path, [{**GOOSE_HEAD, "session_type": "sub_agent"}, *GOOSE])) == []


def test_gooses_database_gives_the_same(tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as base, base:
        base.execute("CREATE TABLE sessions (id, working_dir, session_type)")
        base.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content_json, "
            "created_timestamp, metadata_json)"
        )
        base.execute("INSERT INTO sessions VALUES (?, ?, ?)", tuple(GOOSE_HEAD.values()))
        for one in GOOSE:
            kept = (
                one["role"],
                json.dumps(one["content"]),
                one["created"],
                json.dumps(one.get("metadata")),
            )
            base.execute("INSERT INTO messages VALUES (NULL, 'g1', ?, ?, ?, ?)", kept)
    assert learnable(tmp_path / "sessions.db") == learnable(lines(tmp_path, [GOOSE_HEAD, *GOOSE]))


def test_continue(tmp_path: Path):
    def turn(name: str, status: str, output: str) -> dict[str, Any]:
        call = {
            "id": f"toolu_{name}",
            "function": {"name": "run", "arguments": json.dumps({"command": name})},
        }
        state = {"toolCallId": call["id"], "status": status, "output": [{"content": output}]}
        return {
            "message": {"role": "assistant", "content": "", "toolCalls": [call]},
            "toolCallStates": [state],
        }

    path = document(
        tmp_path,
        {
            "sessionId": "c1",
            "workspaceDirectory": "file:///src/shop",
            "history": [
                {"message": {"role": "user", "content": words("build")}},
                turn("ls", "done", "a"),
                turn("make", "done", "no rule\nCommand exited with code 2"),
                turn("cat x", "errored", "no such file"),
                turn("sleep", "canceled", ""),
                turn("top", "generated", ""),
            ],
        },
    )
    assert format_of(path) == "Continue session"
    assert outcomes(path) == {one: end for one, end in FIVE.items() if one != "rm x"}
    assert (said(path), folders(path)) == (["build"], {"/src/shop"})


def test_windsurf(tmp_path: Path):
    def ran(command: str, **more: Any) -> dict[str, Any]:
        step = {"command": command, "cwd": "/src/shop", "exit_code": 0, **more}
        return {"type": "run_command", "status": "done", "run_command": step}

    path = lines(
        tmp_path,
        [
            {"type": "user_input", "status": "done", "user_input": {"user_response": "build"}},
            {
                "type": "view_file",
                "status": "done",
                "view_file": {"path": "file:///src/a", "content": "x"},
            },
            {"type": "list_resources", "status": "error", "list_resources": {"server": "memory"}},
            ran("ls", output="a"),
            ran("make", output="no rule", exit_code=2),
            ran("rm x", user_rejected=True),
            {
                "type": "planner_response",
                "status": "done",
                "planner_response": {"response": "Done."},
            },
        ],
    )
    assert format_of(path) == "Windsurf transcript"
    assert outcomes(path) == {
        "/src/a": "ok",
        "memory": "failed",
        "ls": "ok",
        "make": "failed",
        "rm x": "refused",
    }
    # The folder is known only at the first command, and yet it holds for all.
    assert folders(path) == {"/src/shop"}
    assert (said(path), said(path, "assistant")) == (["build"], ["Done."])


def test_droid(tmp_path: Path):
    used = {"type": "tool_use", "id": "toolu_1", "name": "Execute", "input": {"command": "make"}}
    answer = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "no rule",
        "is_error": True,
    }
    attached = {"type": "text", "text": "Contents of /src/a (lines 1-2 of 2):\nx"}
    path = lines(
        tmp_path,
        [
            {"type": "session_start", "id": "d1", "cwd": "/src/shop"},
            {
                "type": "message",
                "id": "1",
                "message": {"role": "user", "content": [*words("build"), attached]},
            },
            {"type": "message", "id": "2", "message": {"role": "assistant", "content": [used]}},
            {"type": "todo_state", "id": "3"},
            {"type": "message", "id": "4", "message": {"role": "user", "content": [answer]}},
        ],
    )
    assert format_of(path) == "Factory Droid session"
    assert outcomes(path) == {"make": "failed"}
    assert (said(path), folders(path)) == (["build"], {"/src/shop"})


def test_the_stream_of_droid_is_not_taken_for_claude_code(tmp_path: Path):
    call = {"type": "tool_call", "sessionId": "d1", "id": "c1", "toolId": "Execute"}
    path = lines(
        tmp_path,
        [
            {"type": "system", "subtype": "init", "sessionId": "d1", "cwd": "/src/shop"},
            {
                "type": "message",
                "role": "user",
                "text": "<system-reminder>x</system-reminder>\nlist",
            },
            {**call, "toolName": "Execute", "parameters": {"command": "ls"}},
            {**call, "type": "tool_result", "isError": True, "value": "no such file"},
        ],
    )
    assert format_of(path) == "Factory Droid session"
    assert (outcomes(path), said(path), folders(path)) == (
        {"ls": "failed"},
        ["list"],
        {"/src/shop"},
    )


def pi(own: str, parent: str | None, **message: Any) -> dict[str, Any]:
    when = {"id": own, "parentId": parent, "timestamp": "2026-05-20T10:25:42Z"}
    return {"type": "message", **when, "message": message}


def test_pi(tmp_path: Path):
    used = [
        {"type": "toolCall", "id": f"{name}|fc", "name": "bash", "arguments": {"command": name}}
        for name in ("ls", "make", "sleep")
    ]
    told = {"role": "toolResult", "isError": True}
    path = lines(
        tmp_path,
        [
            {"type": "session", "version": 3, "id": "p1", "cwd": "/src/shop"},
            pi("1", None, role="user", content="build"),
            pi("2", "1", role="assistant", content=used),
            pi("3", "2", role="toolResult", toolCallId="ls|fc", content=words("a"), isError=False),
            pi(
                "4",
                "3",
                **told,
                toolCallId="make|fc",
                content=words("no rule\n\nCommand exited with code 2"),
            ),
            pi("5", "4", **told, toolCallId="sleep|fc", content=words("Command aborted")),
            {"type": "compaction", "id": "6", "parentId": "5", "summary": "…"},
            pi("7", "1", role="user", content=words("no, another way")),
            pi("8", "7", role="assistant", content=used[:1]),
            pi("9", "8", role="toolResult", toolCallId="ls|fc", content=words("b"), isError=False),
        ],
    )
    assert format_of(path) == "pi session"
    assert [(call.session, call.error) for call in calls(path)] == [
        *(("p1", None), ("p1", "no rule"), ("p1", "Command aborted")),
        ("p1/7", None),
    ]
    assert calls(path)[2].cancelled
    assert (said(path), folders(path)) == (["build", "no, another way"], {"/src/shop"})


def test_kimi_code(tmp_path: Path):
    def event(**fields: Any) -> dict[str, Any]:
        return {"type": "context.append_loop_event", "event": fields, "time": 1785613809972}

    def ran(name: str, **result: Any) -> list[dict[str, Any]]:
        call = {"toolCallId": name, "name": "Bash", "args": {"command": name}}
        return [
            event(type="tool.call", **call),
            event(type="tool.result", toolCallId=name, result=result),
        ]

    asked = {"type": "turn.prompt", "input": words("build"), "origin": {"kind": "user"}}
    denied = {
        "type": "permission.record_approval_result",
        "toolCallId": "rm x",
        "result": {"decision": "rejected"},
    }
    path = lines(
        tmp_path,
        [
            {"type": "metadata", "protocol_version": "1.4"},
            {"type": "config.update", "cwd": "/src/shop"},
            asked,
            {**asked, "origin": {"kind": "system_trigger", "name": "subagent"}},
            *ran("ls", output="a"),
            *ran("make", output="no rule\nCommand failed with exit code: 2.", isError=True),
            denied,
            *ran("rm x", output="not allowed", isError=True),
        ],
        "wire.jsonl",
    )
    assert format_of(path) == "Kimi session"
    assert outcomes(path) == {"ls": "ok", "make": "failed", "rm x": "refused"}
    assert (said(path), folders(path)) == (["build"], {"/src/shop"})


def test_kimi_cli_streams_the_arguments_of_a_call(tmp_path: Path):
    def wired(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": 1785613809.5, "message": {"type": kind, "payload": payload}}

    inner = {"type": "TurnBegin", "payload": {"user_input": "look"}}
    path = lines(
        tmp_path,
        [
            {"type": "metadata", "protocol_version": "1"},
            wired("TurnBegin", user_input="build"),
            wired("ToolCall", id="c1", function={"name": "Bash", "arguments": '{"com'}),
            wired("ToolCallPart", arguments_part='mand": "make"}'),
            wired(
                "ToolResult",
                tool_call_id="c1",
                return_value={"is_error": True, "output": "", "message": "no rule"},
            ),
            wired("SubagentEvent", task_tool_call_id="c2", event=inner),
        ],
    )
    assert outcomes(path) == {"make": "failed"}
    assert (calls(path)[0].error, said(path)) == ("no rule", ["build"])
