"""GitHub Copilot: events of its command line, and chat sessions of VS Code."""

import json
from pathlib import Path
from typing import Any

from tests.transcripts.reading import (
    calls,
    document,
    folders,
    left_out,
    lines,
    outcomes,
    problems,
    said,
)

from seasoned.transcripts.assistants.copilot import NO_TEXT
from seasoned.transcripts.reader import format_of, read

CONTEXT = {"cwd": "C:\\src\\shop", "gitRoot": "C:\\src\\shop"}
START: dict[str, Any] = {"sessionId": "c1", "producer": "copilot-agent", "context": CONTEXT}


def event(kind: str, number: int = 0, agent: str = "", **data: Any) -> dict[str, Any]:
    when = {"id": f"e{number}", "timestamp": "2026-06-25T01:50:34Z", "parentId": None}
    return {"type": kind, "data": data, **when, **({"agentId": agent} if agent else {})}


def run(command: str, **ended: Any) -> list[dict[str, Any]]:
    request = {"toolCallId": command, "name": "bash", "arguments": {"command": command}}
    return [
        event("assistant.message", content="", toolRequests=[request]),
        event(
            "tool.execution_start",
            toolCallId=command,
            toolName="bash",
            arguments=request["arguments"],
        ),
        event("tool.execution_complete", toolCallId=command, **ended),
    ]


def test_only_the_text_says_that_a_command_failed(tmp_path: Path):
    bad = {"content": "no rule\n<shellId: 8 completed with exit code 2>"}
    good = {"content": "a\n<shellId: 7 completed with exit code 0>"}
    denied = {"message": "Denied by preToolUse hook", "code": "denied"}
    path = lines(
        tmp_path,
        [
            event("session.start", **START),
            event("user.message", content="build it"),
            event("user.message", content="<system_notification>done</system_notification>"),
            *run("ls", success=True, result=good),
            *run("make", success=True, result=bad),
            *run("cat x", success=False, error={"message": "no such file", "code": "failure"}),
            *run("rm x", success=False, error=denied),
            event("hook.start", hookType="postToolUse"),
        ],
    )
    assert format_of(path) == "Copilot session"
    assert outcomes(path) == {"ls": "ok", "make": "failed", "cat x": "failed", "rm x": "refused"}
    assert [call.error for call in calls(path)][1:3] == ["no rule", "no such file"]
    assert (said(path), folders(path), left_out(path)) == (["build it"], {"C:\\src\\shop"}, {})


def test_a_sub_agent_is_a_session_of_its_own_without_words_of_the_user(tmp_path: Path):
    inner = [{**one, "agentId": "a7"} for one in run("ls", success=True, result={"content": "a"})]
    path = lines(
        tmp_path,
        [event("session.start", **START), event("user.message", 1, "a7", content="look"), *inner],
    )
    assert [call.session for call in calls(path)] == ["c1/a7"]
    assert said(path) == []


def test_a_transcript_of_vs_code_says_that_it_keeps_no_text(tmp_path: Path):
    path = lines(tmp_path, [event("session.start", **START), *run("ls", success=True)])
    assert outcomes(path) == {"ls": "ok"}
    assert left_out(path) == {NO_TEXT[1]: 1}


def request(**metadata: Any) -> dict[str, Any]:
    base = {"path": "/src/shop/", "scheme": "file"}
    return {
        "requestId": "r1",
        "timestamp": 1759845101282,
        "message": {"text": "rename it"},
        "response": [{"value": "Done.", "baseUri": base}],
        "result": {"metadata": metadata},
    }


def shown(tool: str, **more: Any) -> dict[str, Any]:
    kind = {"kind": "toolInvocationSerialized", "toolId": tool, "toolCallId": f"shown-{tool}"}
    return {**kind, "isConfirmed": {"type": 1}, "isComplete": True, **more}


def chat(*requests: dict[str, Any]) -> dict[str, Any]:
    return {"requesterUsername": "ana", "sessionId": "v1", "requests": list(requests)}


def tree(*texts: str) -> dict[str, Any]:
    children = [{"type": 2, "text": text} for text in texts]
    return {"content": [{"value": {"node": {"type": 1, "children": children}}}]}


def test_a_chat_of_vs_code_is_read_as_the_model_saw_it(tmp_path: Path):
    rounds = [
        {"toolCalls": [{"id": name, "name": name, "arguments": json.dumps({"path": name})}]}
        for name in ("edit", "grep", "rm")
    ]
    results = {"edit": tree("ed", "ited"), "grep": tree("Error: bad pattern"), "rm": tree("no")}
    one = request(toolCallRounds=rounds, toolCallResults=results)
    denied = shown("rm", isConfirmed={"type": 0})
    one["response"] += [shown("edit"), shown("grep"), denied]
    path = document(tmp_path, chat(one))
    assert format_of(path) == "VS Code chat session"
    assert outcomes(path) == {"edit": "ok", "grep": "failed", "rm": "refused"}
    assert calls(path)[0].result == "edited"
    assert (said(path), said(path, "assistant")) == (["rename it"], ["Done."])
    assert folders(path) == {"/src/shop/"}


def test_without_the_models_view_what_the_window_showed_is_read(tmp_path: Path):
    one = request()
    details = {"input": '{"q": "x"}', "output": [{"value": "gone"}], "isError": True}
    one["response"] += [shown("mcp_find", resultDetails=details), shown("open")]
    path = document(tmp_path, chat(one))
    assert [(call.tool, call.error) for call in calls(path)] == [("mcp_find", "gone")]


def test_a_log_of_changes_gives_the_same_as_the_document(tmp_path: Path):
    calls_ = [{"id": "c1", "name": "ls", "arguments": "{}"}]
    one = request(toolCallRounds=[{"toolCalls": calls_}], toolCallResults={"c1": tree("a")})
    empty: dict[str, Any] = {"creationDate": 1, "requesterUsername": "ana", "requests": []}
    changes: list[dict[str, Any]] = [
        {"kind": 0, "v": empty},
        {"kind": 2, "k": ["requests"], "v": [{"requestId": "wrong"}]},
        {"kind": 2, "k": ["requests"], "v": [{**one, "response": []}], "i": 0},
        {"kind": 2, "k": ["requests", 0, "response"], "v": one["response"]},
        {"kind": 1, "k": ["sessionId"], "v": "v1"},
    ]
    path = lines(tmp_path, changes)
    assert list(read(path)) == list(read(document(tmp_path, chat(one))))
    assert problems(lines(tmp_path, [*changes, {"kind": 1, "k": ["requests", 9, "x"], "v": 1}]))


def test_the_workspace_beside_the_sessions_names_the_folder(tmp_path: Path):
    document(tmp_path, {"folder": "file:///home/ana/my%20shop"}, "workspace.json")
    path = document(tmp_path, chat(request()), "chatSessions/v1.json")
    assert folders(path) == {"/home/ana/my shop"}
