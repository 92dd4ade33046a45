"""Exports of ChatGPT and claude.ai, traces of frameworks, and packed files."""

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.reading import (
    calls,
    document,
    learnable,
    left_out,
    lines,
    outcomes,
    problems,
    said,
)

from seasoned.transcripts.item import SessionOrigin
from seasoned.transcripts.reader import NO_CALLS, NO_RESULTS, format_of, read


def node(own: str, parent: str | None, role: str, **content: Any) -> dict[str, Any]:
    name, recipient = content.pop("name", None), content.pop("recipient", "all")
    message = {
        "id": own,
        "author": {"role": role, "name": name},
        "create_time": 1784164545.0,
        "content": {"content_type": "text", **content},
        "recipient": recipient,
    }
    return {own: {"id": own, "parent": parent, "children": [], "message": message}}


def test_of_a_chatgpt_conversation_the_current_branch_is_read(tmp_path: Path):
    nodes = {
        "root": {"id": "root", "message": None, "parent": None, "children": ["1"]},
        **node("1", "root", "user", parts=["find it", {"asset_pointer": "x"}]),
        **node("old", "1", "assistant", parts=["superseded"]),
        **node("2", "1", "assistant", content_type="thoughts", parts=["secret"]),
        **node("3", "2", "assistant", parts=['{"q": "x"}'], recipient="browser.search"),
        **node("4", "3", "tool", name="browser.search", content_type="system_error", text="no net"),
        **node("5", "4", "assistant", parts=["I could not."]),
    }
    talk = {"conversation_id": "k1", "title": "t", "current_node": "5", "mapping": nodes}
    path = document(tmp_path, [talk], "conversations.json")
    assert "ChatGPT" in (format_of(path) or "")
    assert [(call.tool, dict(call.params), call.error) for call in calls(path)] == [
        ("browser.search", {"q": "x"}, "no net")
    ]
    assert (said(path), said(path, "assistant")) == (["find it"], ["I could not."])
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as packed:
        packed.write(path, "conversations.json")
        packed.writestr("chat.html", "<html>")
    assert learnable(tmp_path / "export.zip") == learnable(path)


def test_whose_words_an_export_holds_is_not_known(tmp_path: Path):
    talk = {"title": "t", "current_node": "1", "mapping": node("1", None, "user", parts=["hi"])}
    path = document(tmp_path, [talk])
    (origin,) = [item for item in read(path) if isinstance(item, SessionOrigin)]
    assert not origin.personal
    assert left_out(path) == {NO_CALLS: 0}


def test_a_claude_ai_conversation_pairs_calls_without_ids_by_name(tmp_path: Path):
    used = {"type": "tool_use", "name": "repl", "input": {"code": "1/0"}}
    told = {"type": "tool_result", "name": "repl", "content": "division by zero", "is_error": True}
    messages: list[dict[str, Any]] = [
        {"uuid": "1", "sender": "human", "text": "try", "content": []},
        {"uuid": "2", "sender": "assistant", "text": "…", "content": [used, told]},
    ]
    path = document(tmp_path, [{"uuid": "k1", "name": "t", "chat_messages": messages}])
    assert outcomes(path) == {"1/0": "failed"}
    assert said(path) == ["try"]
    messages[1]["content"] = [used]
    assert left_out(document(tmp_path, [{"uuid": "k1", "chat_messages": messages}])) == {
        NO_RESULTS: 1
    }


def test_a_run_of_langsmith_is_told_in_two_pieces(tmp_path: Path):
    run = {"id": "r1", "trace_id": "t1", "run_type": "tool", "name": "search", "inputs": {"q": "x"}}
    times = {"start_time": "2024-10-11T20:58:23Z", "end_time": "2024-10-11T20:58:24Z"}
    done = {"id": "r1", "trace_id": "t1", "error": "ValueError: no", **times}
    model: dict[str, Any] = {
        "id": "r2",
        "trace_id": "t1",
        "run_type": "llm",
        "name": "gpt",
        "inputs": {},
    }
    path = lines(tmp_path, [{"post": [run, model], "patch": []}, {"post": [], "patch": [done]}])
    assert "LangSmith" in (format_of(path) or "")
    (call,) = calls(path)
    assert (call.tool, dict(call.params), call.error) == ("search", {"q": "x"}, "ValueError: no")
    assert (call.session, call.duration_ms) == ("t1", 1000)


def test_a_span_of_the_openai_agents_sdk_is_a_call_if_it_is_a_function(tmp_path: Path):
    def span(own: str, error: Any, **data: Any) -> dict[str, Any]:
        when = {"started_at": "2026-01-01T00:00:00Z", "ended_at": "2026-01-01T00:00:01Z"}
        return {
            "object": "trace.span",
            "id": own,
            "trace_id": "t1",
            "error": error,
            "span_data": data,
            **when,
        }

    asked = {"type": "function", "name": "book", "input": '{"date": "x"}'}
    path = lines(
        tmp_path,
        [
            {"object": "trace", "id": "t1", "workflow_name": "w"},
            span("s1", None, **asked, output="booked"),
            span("s2", {"message": "Error running tool", "data": {"error": "bad date"}}, **asked),
            span("s3", None, type="response"),
        ],
    )
    assert [call.error is None for call in calls(path)] == [True, False]
    assert "Error running tool" in (calls(path)[1].error or "")


def test_a_database_of_the_openai_agents_sdk_holds_conversations(tmp_path: Path):
    asked = {"type": "function_call", "call_id": "c1", "name": "book", "arguments": '{"date": "x"}'}
    told = {"type": "function_call_output", "call_id": "c1", "output": "Error: bad date"}
    with closing(sqlite3.connect(tmp_path / "a.db")) as base, base:
        base.execute("CREATE TABLE agent_sessions (session_id, created_at)")
        base.execute(
            "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id, message_data)"
        )
        base.execute("INSERT INTO agent_sessions VALUES ('s1', 1)")
        for item in ({"role": "user", "content": "book"}, asked, told):
            row = (json.dumps(item),)
            base.execute("INSERT INTO agent_messages VALUES (NULL, 's1', ?)", row)
    assert outcomes(tmp_path / "a.db") == {"x": "failed"}
    assert said(tmp_path / "a.db") == ["book"]


def test_an_archive_without_sessions_says_so(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("photo.jpg", "x")
    assert "zip archive without sessions" in problems(tmp_path / "a.zip")[0]


def test_a_file_packed_with_zstd_is_read(tmp_path: Path):
    zstandard = pytest.importorskip("zstandard")
    plain = lines(tmp_path, [{"tool": "ls", "params": {"path": "a"}, "result": "x"}] * 2)
    packed = tmp_path / "t.jsonl.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))
    assert learnable(packed) == learnable(plain)
