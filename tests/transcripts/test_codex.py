"""Codex CLI rollouts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seasoned.core.messages import Message, ToolResult
from seasoned.transcripts.reader import format_of, read

Write = Callable[..., Path]
META = {"type": "session_meta", "payload": {"id": "0199-aa", "cwd": "/src", "cli_version": "0.46"}}


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2025-10-01T08:00:00Z", "type": "response_item", "payload": payload}


def shell(call: str, *command: str) -> dict[str, Any]:
    arguments = json.dumps({"command": list(command), "workdir": "/src"})
    return item(type="function_call", name="shell", arguments=arguments, call_id=call)


def output(call: str, text: Any, kind: str = "function_call_output") -> dict[str, Any]:
    return item(type=kind, call_id=call, output=text)


def calls(path: Path) -> list[ToolResult]:
    return [found for found in read(path) if isinstance(found, ToolResult)]


@pytest.mark.parametrize(
    "told",
    [
        json.dumps({"output": "no tests", "metadata": {"exit_code": 5, "duration_seconds": 0.5}}),
        "Exit code: 5\nWall time: 0.5 seconds\nOutput:\nno tests",
        "Chunk ID: a1\nWall time: 0.5000 seconds\nProcess exited with code 5\nOutput:\nno tests",
    ],
)
def test_an_exit_code_other_than_zero_is_a_failure_however_it_is_written(jsonl: Write, told: str):
    path = jsonl([META, shell("call_1", "bash", "-lc", "pytest -q"), output("call_1", told)])
    (call,) = calls(path)
    assert format_of(path) == "Codex rollout"
    assert (call.error, call.duration_ms) == ("no tests", 500)
    assert call.params == {"command": "pytest -q", "workdir": "/src"}
    assert call.session == "0199-aa"


@pytest.mark.parametrize(
    "told",
    [
        json.dumps({"output": "ok", "metadata": {"exit_code": 0, "duration_seconds": 1}}),
        "Exit code: 0\nWall time: 1 seconds\nOutput:\nok",
    ],
)
def test_an_exit_code_of_zero_is_a_success(jsonl: Write, told: str):
    (call,) = calls(jsonl([META, shell("call_1", "ls"), output("call_1", told)]))
    assert call.error is None
    assert call.duration_ms == 1000


def test_a_failure_without_output_names_its_exit_code(jsonl: Write):
    told = "Exit code: 1\nWall time: 0 seconds\nOutput:\n"
    (call,) = calls(jsonl([META, shell("call_1", "false"), output("call_1", told)]))
    assert call.error == "exit code 1"


def test_a_custom_tool_and_the_local_shell_are_calls(jsonl: Write):
    path = jsonl(
        [
            META,
            item(type="custom_tool_call", call_id="c1", name="apply_patch", input="*** Begin"),
            output("c1", "Exit code: 0\nOutput:\nSuccess", "custom_tool_call_output"),
            item(
                type="local_shell_call",
                call_id="c2",
                action={"type": "exec", "command": ["ls", "my dir"]},
            ),
            output("c2", {"content": "ls: cannot open", "success": False}),
        ]
    )
    patch, shelled = calls(path)
    assert (patch.tool, patch.params) == ("apply_patch", {"input": "*** Begin"})
    assert (patch.result, patch.error) == ("Success", None)
    assert shelled.params == {"command": "ls 'my dir'"}
    assert shelled.error == "ls: cannot open"


def test_only_what_people_and_the_model_said_is_a_message(jsonl: Write):
    def spoken(role: str, kind: str, text: str) -> dict[str, Any]:
        return item(type="message", role=role, content=[{"type": kind, "text": text}])

    path = jsonl(
        [
            META,
            spoken("developer", "input_text", "You are a coding agent"),
            spoken("user", "input_text", "<environment_context>cwd</environment_context>"),
            spoken("user", "input_text", "no, use uv"),
            {"type": "event_msg", "payload": {"type": "user_message", "message": "no, use uv"}},
            spoken("assistant", "output_text", "Using uv."),
        ]
    )
    said = [(found.role, found.text) for found in read(path) if isinstance(found, Message)]
    assert said == [("user", "no, use uv"), ("assistant", "Using uv.")]


def test_the_older_bare_records_are_read(jsonl: Write):
    path = jsonl(
        [
            {"id": "old-1", "timestamp": "2025-06-01T08:00:00Z", "instructions": None},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": "aborted by user after 2s"},
        ]
    )
    (call,) = calls(path)
    assert (call.session, call.error) == ("old-1", "refused: aborted by user after 2s")


def test_the_stream_of_a_headless_run_is_read_too(jsonl: Write):
    ran = {"id": "item_1", "type": "command_execution", "command": "bash -lc false",
           "aggregated_output": "", "exit_code": 1, "status": "failed"}  # fmt: skip
    path = jsonl(
        [{"type": "thread.started", "thread_id": "t1"}, {"type": "item.completed", "item": ran}]
    )
    (call,) = calls(path)
    assert (call.tool, call.session, call.error) == ("shell", "t1", "exit code 1")


def test_a_forked_session_keeps_its_own_name(jsonl: Write):
    older = {"type": "session_meta", "payload": {"id": "0188-zz"}}
    path = jsonl([META, older, shell("call_1", "ls"), output("call_1", "x")])
    assert calls(path)[0].session == "0199-aa"


def test_the_prompts_of_a_sub_agents_rollout_are_not_the_users(jsonl: Write):
    said = item(type="message", role="user", content=[{"type": "input_text", "text": "look"}])
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "0199-aa"}}}
    sub = {"type": "session_meta", "payload": {"id": "0199-bb", "cwd": "/src", "source": spawned}}
    ran = [shell("call_1", "ls"), output("call_1", "Exit code: 0\nOutput:\na")]
    path = jsonl([sub, said, *ran])
    assert len(calls(path)) == 1
    assert [found for found in read(path) if isinstance(found, Message)] == []
    own = jsonl([META, said, *ran])
    assert [found.text for found in read(own) if isinstance(found, Message)] == ["look"]
