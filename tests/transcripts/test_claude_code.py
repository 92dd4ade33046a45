"""Claude Code session files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from seasoned.core.messages import Message, ToolResult
from seasoned.transcripts.item import Item, LeftOut, SessionOrigin, TranscriptProblem
from seasoned.transcripts.reader import format_of, read

Write = Callable[..., Path]
SESSION = "8d1f5c1e-51ce-4c62-9df6-4c5b8a1b7a10"


def record(kind: str, content: Any, uuid: str, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "sessionId": SESSION,
        "uuid": uuid,
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/dev/shop",
        "version": "2.0.1",
        "timestamp": "2025-03-01T10:00:00.250Z",
        "message": {"role": kind, "content": content},
        **more,
    }


def use(call: str, command: str, tool: str = "Bash") -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": call, "name": tool, "input": {"command": command}}]


def answer(call: str, content: Any, failed: bool | None = None) -> list[dict[str, Any]]:
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return [block if failed is None else {**block, "is_error": failed}]


def calls(items: list[Item]) -> list[ToolResult]:
    return [item for item in items if isinstance(item, ToolResult)]


def said(items: list[Item]) -> list[tuple[str, str]]:
    return [(item.role, item.text) for item in items if isinstance(item, Message)]


def test_a_failed_command_and_the_one_that_worked_are_two_calls_of_one_session(jsonl: Write):
    path = jsonl(
        [
            {"type": "summary", "summary": "Run the tests", "leafUuid": "u1"},
            record("user", "run the tests", "u1"),
            record("assistant", use("toolu_01", "pytest -q"), "u2"),
            record(
                "user", answer("toolu_01", "Exit code 127\nbash: pytest: not found", True), "u3"
            ),
            record("assistant", use("toolu_02", "python -m pytest -q"), "u4"),
            record("user", answer("toolu_02", "3 passed"), "u5", toolUseResult={"durationMs": 71}),
        ]
    )
    items = list(read(path))
    failed, worked = calls(items)
    assert format_of(path) == "Claude Code session"
    assert (failed.tool, failed.params) == ("Bash", {"command": "pytest -q"})
    assert failed.error == "bash: pytest: not found"
    assert (worked.error, worked.result, worked.duration_ms) == (None, "3 passed", 71)
    assert failed.session == worked.session == SESSION
    assert failed.at == 1740823200250000
    assert failed.id != worked.id
    assert said(items) == [("user", "run the tests")]


def test_what_merely_looks_like_an_error_is_none_without_the_flag(jsonl: Write):
    path = jsonl(
        [
            record("assistant", use("toolu_01", "head -1 app.log"), "u1"),
            record("user", answer("toolu_01", "Error: disk full"), "u2"),
        ]
    )
    (call,) = calls(list(read(path)))
    assert call.error is None
    assert call.result == "Error: disk full"


def test_the_tags_around_an_error_are_taken_off(jsonl: Write):
    told = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    path = jsonl(
        [
            record("assistant", use("toolu_01", "x", "Edit"), "u1"),
            record("user", answer("toolu_01", [{"type": "text", "text": told}], True), "u2"),
        ]
    )
    (call,) = calls(list(read(path)))
    assert call.error == "String to replace not found in file."


def test_a_rejected_call_is_a_refusal_with_the_users_words(jsonl: Write):
    told = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nuse the staging database"
    )
    path = jsonl(
        [
            record("assistant", use("toolu_01", "psql prod"), "u1"),
            record("user", answer("toolu_01", told, True), "u2"),
            record("user", [{"type": "text", "text": "[Request interrupted by user]"}], "u3"),
        ]
    )
    items = list(read(path))
    assert calls(items)[0].error == "refused: use the staging database"
    assert said(items) == []


def test_what_the_program_says_in_the_users_name_is_not_a_message(jsonl: Write):
    reminder = "fix the build<system-reminder>be brief</system-reminder>"
    path = jsonl(
        [
            record("user", "<command-name>/clear</command-name>", "u1"),
            record("user", "Caveat: the following", "u2", isMeta=True),
            record("user", reminder, "u3"),
            record("assistant", [{"type": "thinking", "thinking": "hm"}], "u4"),
        ]
    )
    assert said(list(read(path))) == [("user", "fix the build")]


def test_sub_agents_are_sessions_of_their_own(jsonl: Write):
    side = {"isSidechain": True}
    path = jsonl(
        [
            record("assistant", use("toolu_m", "main"), "m1"),
            record("user", "look for a", "a1", **side),
            record("user", "look for b", "b1", **side),
            record("assistant", use("toolu_a", "grep a"), "a2", parentUuid="a1", **side),
            record("assistant", use("toolu_b", "grep b"), "b2", parentUuid="b1", **side),
            record("user", answer("toolu_a", "x"), "a3", parentUuid="a2", **side),
            record("user", answer("toolu_b", "x"), "b3", parentUuid="b2", **side),
            record("user", answer("toolu_m", "x"), "m2"),
            record("assistant", use("toolu_c", "grep c"), "c1", agentId="f00d", **side),
            record("user", answer("toolu_c", "x"), "c2", agentId="f00d", **side),
        ]
    )
    sessions = {call.params["command"]: call.session for call in calls(list(read(path)))}
    assert sessions["main"] == SESSION
    assert sessions["grep c"] == f"{SESSION}/f00d"
    assert len(set(sessions.values())) == 4


def test_a_call_that_was_never_answered_is_left_out(jsonl: Write):
    path = jsonl([record("assistant", use("toolu_01", "sleep 9"), "u1")])
    (left,) = [item for item in read(path) if not isinstance(item, SessionOrigin)]
    assert isinstance(left, LeftOut)
    assert (left.count, left.thing) == (1, "call")


def test_a_resumed_session_repeats_calls_under_the_same_identity(jsonl: Write):
    call = "toolu_01NRLabsLyVHZPKxbKvkfSMn"
    records = [
        record("assistant", use(call, "make"), "u1"),
        record("user", answer(call, "done"), "u2"),
    ]
    resumed = [{**each, "sessionId": "another"} for each in records]
    (one,) = calls(list(read(jsonl(records))))
    (two,) = calls(list(read(jsonl(resumed, "resumed.jsonl"))))
    assert one.id == two.id
    assert one.session != two.session


def test_the_stream_of_a_headless_run_is_read_too(jsonl: Write):
    path = jsonl(
        [
            {"type": "system", "subtype": "init", "session_id": "s1", "tools": ["Bash"]},
            {"type": "assistant", "session_id": "s1", "message": {
                "role": "assistant", "content": use("toolu_01", "ls")}},
            {"type": "user", "session_id": "s1", "message": {
                "role": "user", "content": answer("toolu_01", "a.txt", False)}},
            {"type": "result", "subtype": "success", "session_id": "s1", "result": "ok"},
        ]
    )  # fmt: skip
    (call,) = calls(list(read(path)))
    assert (call.session, call.result) == ("s1", "a.txt")


def test_a_record_without_a_type_is_a_problem(jsonl: Write):
    path = jsonl([record("user", "hello", "u1"), {"hello": 1}])
    problems = [item for item in read(path) if isinstance(item, TranscriptProblem)]
    assert [problem.line for problem in problems] == [2]
