"""OpenAI and Anthropic messages."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seasoned.core.messages import Message, ToolResult
from seasoned.transcripts.item import TranscriptProblem
from seasoned.transcripts.reader import format_of, read

Write = Callable[..., Path]
UNIQUE = "call_abc123DEF456ghi789JKL012"


def asked(call: str | None, tool: str, **params: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(params)}
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": call, "type": "function", "function": function}]}  # fmt: skip


def told(call: str | None, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": content}


BOOKING = [
    {"role": "system", "content": "You book flights."},
    {"role": "user", "content": "Book me to Oslo"},
    asked("call_1", "book", date="03/04/2025"),
    told("call_1", '{"error": {"type": "invalid_date", "message": "date must be ISO 8601"}}'),
    asked("call_2", "book", date="2025-04-03"),
    told("call_2", '{"booking": "BK-1", "error": null}'),
    {"role": "assistant", "content": "Done: BK-1"},
]


def calls(path: Path) -> list[ToolResult]:
    return [item for item in read(path) if isinstance(item, ToolResult)]


def said(path: Path) -> list[str]:
    return [item.text for item in read(path) if isinstance(item, Message)]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(json.dumps(message) for message in BOOKING),
        json.dumps(BOOKING),
        json.dumps(BOOKING, indent=2),
        "[\n" + ",\n".join(json.dumps(message) for message in BOOKING) + "\n]",
        json.dumps({"messages": BOOKING}),
        json.dumps({"messages": BOOKING}, indent=1),
        json.dumps([{"messages": BOOKING}, {"messages": [{"role": "user", "content": "x"}]}]),
        json.dumps({"request": {"messages": BOOKING[:-1]},
                    "response": {"choices": [{"message": BOOKING[-1]}]}}),
    ],
    ids=["lines", "array", "pretty", "array by lines", "object", "pretty object", "many", "dump"],
)  # fmt: skip
def test_a_conversation_is_the_same_in_whatever_wrapping(raw: Write, text: str):
    path = raw(text.encode())
    failed, worked = calls(path)
    assert format_of(path) == "OpenAI messages"
    assert (failed.tool, failed.params) == ("book", {"date": "03/04/2025"})
    assert failed.error == "invalid_date: date must be ISO 8601"
    assert worked.error is None
    assert worked.result == {"booking": "BK-1", "error": None}
    assert failed.session == worked.session != ""
    assert said(path)[:2] == ["Book me to Oslo", "Done: BK-1"]
    assert not [item for item in read(path) if isinstance(item, TranscriptProblem)]


def test_conversations_of_one_file_are_sessions_of_their_own(jsonl: Write):
    path = jsonl([{"messages": BOOKING}, {"messages": BOOKING}])
    assert len({call.session for call in calls(path)}) == 2
    assert len({call.id for call in calls(path)}) == 4


def test_a_system_prompt_begins_the_next_conversation(jsonl: Write):
    path = jsonl([*BOOKING, *BOOKING])
    assert len({call.session for call in calls(path)}) == 2


def test_a_named_session_keeps_its_name(jsonl: Write):
    path = jsonl([{"session_id": "s-7", "messages": BOOKING}])
    assert {call.session for call in calls(path)} == {"s-7"}


def test_a_log_that_repeats_the_history_in_each_request_counts_a_call_once(jsonl: Write):
    history = [asked(UNIQUE, "ls"), told(UNIQUE, "Error: no"), asked("call_x", "ls", a=1)]
    path = jsonl([{"messages": history[:2]}, {"messages": history}])
    first, again = calls(path)
    assert first == again


def test_a_function_call_of_the_older_kind_is_paired_by_name(jsonl: Write):
    path = jsonl(
        [
            {"role": "user", "content": "weather?"},
            {"role": "assistant", "content": None,
             "function_call": {"name": "weather", "arguments": "Oslo"}},
            {"role": "function", "name": "weather", "content": "rain"},
        ]
    )  # fmt: skip
    (call,) = calls(path)
    assert (call.params, call.result) == ({"input": "Oslo"}, "rain")


def test_calls_without_ids_are_answered_in_order_and_only_in_their_turn(jsonl: Write):
    path = jsonl(
        [
            asked(None, "never_answered"),
            {"role": "assistant", "content": None, "tool_calls": [
                {"function": {"name": "a", "arguments": {"n": 1}}},
                {"function": {"name": "b", "arguments": {"n": 2}}}]},
            {"role": "tool", "content": "one"},
            {"role": "tool", "content": "two"},
        ]
    )  # fmt: skip
    assert [(call.tool, call.result) for call in calls(path)] == [("a", "one"), ("b", "two")]


def test_items_of_the_responses_api_are_read(raw: Write):
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "list users"}]},
        {"type": "function_call", "call_id": "c1", "name": "users", "arguments": '{"limit": 2}'},
        {"type": "function_call_output", "call_id": "c1", "output": "ValueError: limit too small"},
        {"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "Sorry."}]},
    ]  # fmt: skip
    path = raw(json.dumps({"input": items}).encode())
    (call,) = calls(path)
    assert (call.params, call.error) == ({"limit": 2}, "ValueError: limit too small")
    assert said(path) == ["list users", "Sorry."]


ANTHROPIC = [
    {"role": "user", "content": "charge 12.50"},
    {"role": "assistant", "content": [
        {"type": "text", "text": "Charging."},
        {"type": "tool_use", "id": "toolu_1", "name": "charge", "input": {"amount": 12.5}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": [
            {"type": "text", "text": "amount must be in cents"}]}]},
    {"role": "assistant", "content": [
        {"type": "tool_use", "id": "toolu_2", "name": "charge", "input": {"amount": 1250}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": '{"id": "ch_9"}'},
        {"type": "text", "text": "thanks"}]},
]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(json.dumps(message) for message in ANTHROPIC),
        json.dumps(ANTHROPIC, indent=4),
        json.dumps({"model": "m", "max_tokens": 9, "messages": ANTHROPIC}),
        json.dumps({"request": {"messages": ANTHROPIC}, "response": {
            "id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "Bye."}]}}),
    ],
    ids=["lines", "array", "request", "dump"],
)  # fmt: skip
def test_anthropic_messages_are_read_in_whatever_wrapping(raw: Write, text: str):
    path = raw(text.encode())
    failed, worked = calls(path)
    assert format_of(path) == "Anthropic messages"
    assert (failed.error, failed.params) == ("amount must be in cents", {"amount": 12.5})
    assert (worked.error, worked.result) == (None, {"id": "ch_9"})
    assert said(path)[:3] == ["charge 12.50", "Charging.", "thanks"]


def test_a_flag_that_says_success_is_believed(jsonl: Write):
    messages = json.loads(json.dumps(ANTHROPIC[:3]))
    block = messages[2]["content"][0]
    block.update(is_error=False, content="Error: is how this page begins")
    (call,) = calls(jsonl(messages))
    assert call.error is None


def test_a_line_that_is_no_message_is_a_problem_and_the_rest_is_read(jsonl: Write):
    path = jsonl([*BOOKING[:4], {"what": "ever"}, *BOOKING[4:]])
    problems = [item for item in read(path) if isinstance(item, TranscriptProblem)]
    assert [problem.line for problem in problems] == [5]
    assert len(calls(path)) == 2
