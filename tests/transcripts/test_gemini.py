"""Gemini CLI sessions, and those of Qwen Code."""

import hashlib
from pathlib import Path
from typing import Any

from tests.transcripts.reading import calls, document, folders, left_out, lines, outcomes, said

from seasoned.transcripts.reader import NO_RESULTS, format_of

HASH = hashlib.sha256(b"/home/ana/shop").hexdigest()
HEAD = {"sessionId": "g1", "projectHash": HASH, "startTime": "2026-04-29T21:39:22Z", "kind": "main"}


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"id": f"u-{text}", "type": "user", "content": [{"text": text}], **more}


def call(command: str, status: str, told: dict[str, Any], message: str = "m") -> dict[str, Any]:
    result = [{"functionResponse": {"id": command, "name": "shell", "response": told}}]
    one = {"id": command, "name": "shell", "args": {"command": command}, "status": status}
    return {
        "id": f"{message}-{command}",
        "timestamp": "2026-04-29T21:39:35Z",
        "type": "gemini",
        "content": "",
        "toolCalls": [{**one, "result": result}],
    }


def test_a_session_tells_how_each_call_ended(tmp_path: Path):
    denied = {"error": "[Operation Cancelled] Reason: User denied execution."}
    messages = [
        user("build it"),
        call("make", "success", {"output": "Output: ok\nProcess Group PGID: 7"}),
        call("make test", "success", {"output": "Output: no rule\nExit Code: 2"}),
        call("cat /home/ana/shop/x", "error", {"error": "no such file"}),
        call("rm x", "cancelled", denied),
        call("rm y", "cancelled", {"error": "Tool execution denied by policy."}),
        call("sleep 9", "cancelled", {"error": "[Operation Cancelled] Reason: by key"}),
    ]
    path = document(tmp_path, {**HEAD, "messages": messages})
    assert format_of(path) == "Gemini CLI session"
    assert outcomes(path) == {
        "make": "ok",
        "make test": "failed",
        "cat /home/ana/shop/x": "failed",
        "rm x": "refused",
        "rm y": "refused",
        "sleep 9": "cancelled",
    }
    assert calls(path)[0].at == 1777498775000000
    assert calls(path)[0].session == "g1"


def test_the_folder_is_found_by_its_digest(tmp_path: Path):
    message = call("cat /home/ana/shop/src/a.py", "success", {"output": ""})
    assert folders(document(tmp_path, {**HEAD, "messages": [message]})) == {"/home/ana/shop"}
    other = {**HEAD, "projectHash": "0" * 64, "messages": [message]}
    assert folders(document(tmp_path, other)) == {""}


def test_in_a_log_the_last_line_of_an_id_counts_and_a_rewind_takes_back(tmp_path: Path):
    first = call("ls", "executing", {})
    records = [
        HEAD,
        user("one"),
        first,
        {"$set": {"lastUpdated": "2026-04-29T21:40:00Z"}},
        {**call("ls", "success", {"output": "a"}), "id": first["id"]},
        user("two"),
        call("rm -r /", "error", {"error": "no"}),
        {"$rewindTo": "u-one"},
        user("three"),
        call("pwd", "success", {"output": "/"}),
    ]
    path = lines(tmp_path, records)
    assert outcomes(path) == {"pwd": "ok"}
    assert said(path) == ["one", "three"]
    assert outcomes(lines(tmp_path, records[:5])) == {"ls": "ok"}


def test_files_that_the_user_mentions_are_not_said(tmp_path: Path):
    parts = [{"text": "fix @a"}, {"text": "\n--- Content from referenced files ---"}, {"text": "x"}]
    path = lines(tmp_path, [HEAD, {"id": "1", "type": "user", "content": parts}])
    assert said(path) == ["fix @a"]


def test_the_prompt_of_a_sub_agent_is_not_the_users(tmp_path: Path):
    path = lines(tmp_path, [{**HEAD, "kind": "subagent"}, user("look"), call("ls", "success", {})])
    assert said(path) == []
    assert len(calls(path)) == 1


def qwen(
    kind: str, own: str, parent: str | None, *parts: dict[str, Any], **more: Any
) -> dict[str, Any]:
    role = "model" if kind == "assistant" else "user"
    return {
        "uuid": own,
        "parentUuid": parent,
        "sessionId": "q1",
        "type": kind,
        "cwd": "/src",
        "timestamp": "2026-08-17T12:00:00Z",
        "message": {"role": role, "parts": list(parts)},
        **more,
    }


def asked(name: str) -> dict[str, Any]:
    return {"functionCall": {"id": name, "name": "shell", "args": {"command": name}}}


def told(name: str, **response: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": name, "name": "shell", "response": response}}


def test_qwen_code_is_read_like_claude_code_with_the_parts_of_gemini(tmp_path: Path):
    hook = {"text": "<qwen:user-prompt-submit-context>not said</qwen:…>"}
    done = {"toolCallResult": {"status": "success"}}
    refused = {"toolCallResult": {"callId": "rm", "status": "cancelled"}}
    path = lines(
        tmp_path,
        [
            qwen("user", "1", None, {"text": "list"}, hook),
            qwen("assistant", "2", "1", {"text": "hm", "thought": True}, asked("ls"), asked("rm")),
            qwen("tool_result", "3", "2", told("ls", output="a"), **done),
            qwen("tool_result", "4", "3", told("rm", error="User denied it"), **refused),
            qwen("assistant", "5", "4", asked("cat")),
            qwen("tool_result", "6", "5", told("cat", error="no such file")),
            qwen("user", "7", "6", {"text": "ding"}, subtype="notification"),
        ],
    )
    assert format_of(path) == "Qwen Code chat"
    assert outcomes(path) == {"ls": "ok", "rm": "refused", "cat": "failed"}
    assert (said(path), said(path, "assistant"), folders(path)) == (["list"], [], {"/src"})


def test_a_branch_of_a_chat_is_a_session_of_its_own(tmp_path: Path):
    path = lines(
        tmp_path,
        [
            qwen("user", "1", None, {"text": "go"}),
            qwen("assistant", "2", "1", asked("ls")),
            qwen("tool_result", "3", "2", told("ls", output="a")),
            qwen("user", "4", "1", {"text": "go elsewhere"}),
            qwen("assistant", "5", "4", asked("pwd")),
            qwen("tool_result", "6", "5", told("pwd", output="/")),
        ],
    )
    assert [call.session for call in calls(path)] == ["q1", "q1/4"]


def test_calls_without_any_result_are_left_out_with_a_reason(tmp_path: Path):
    path = lines(tmp_path, [qwen("assistant", "2", "1", asked("ls"), asked("pwd"))])
    assert left_out(path) == {NO_RESULTS: 2}
