"""Seasoned's own format of plain tool calls."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seasoned.core.messages import Message, ToolResult
from seasoned.transcripts.item import TranscriptProblem
from seasoned.transcripts.reader import format_of, read

Write = Callable[..., Path]


def calls(path: Path) -> list[ToolResult]:
    return [item for item in read(path) if isinstance(item, ToolResult)]


def test_a_full_record_becomes_a_call_with_everything_it_says(jsonl: Write):
    path = jsonl(
        [
            {"tool": "sql", "params": {"q": "select 1"}, "result": [[1]], "session": "s1",
             "id": "c1", "duration_ms": 12, "at": "2025-03-01T10:00:00Z", "agent": "nightly"},
            {"role": "user", "text": "use the replica", "session": "s1"},
        ]
    )  # fmt: skip
    call, message = read(path)
    assert format_of(path) == "plain tool calls"
    assert isinstance(call, ToolResult)
    assert (call.tool, call.params, call.result) == ("sql", {"q": "select 1"}, [[1]])
    assert (call.session, call.duration_ms, call.at) == ("s1", 12, 1740823200000000)
    assert isinstance(message, Message)
    assert (message.role, message.text, message.session) == ("user", "use the replica", "s1")


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({"error": "no such table"}, "no such table"),
        ({"error": {"code": "E42", "message": "no such table"}}, "E42: no such table"),
        ({"error": True, "result": "no such table"}, "no such table"),
        ({"error": None, "result": "Error: as the title of a page"}, None),
        ({"error": False, "result": "fine"}, None),
        ({"result": "Error: no such table"}, "Error: no such table"),
        ({"result": {"exit_code": 2, "stderr": "no such table"}}, "no such table"),
        ({"result": {"exit_code": 0, "stderr": "warning"}}, None),
        ({"result": "0 errors, 3 warnings"}, None),
        ({"params": {}}, None),
    ],
)
def test_what_counts_as_a_failure(jsonl: Write, record: dict[str, Any], error: str | None):
    (call,) = calls(jsonl([{"tool": "sql", **record}]))
    assert call.error == error


@pytest.mark.parametrize(
    "at", [1740823200, 1740823200.0, 1740823200000, 1740823200000000, "2025-03-01T11:00:00+01:00"]
)
def test_a_time_may_be_written_in_any_unit(jsonl: Write, at: object):
    (call,) = calls(jsonl([{"tool": "sql", "params": {}, "at": at}]))
    assert call.at == 1740823200000000


def test_an_id_names_the_call_wherever_it_stands(jsonl: Write):
    call: dict[str, Any] = {"tool": "sql", "params": {}, "session": "s", "id": "c1"}
    other = {"tool": "sql", "params": {"q": 2}, "session": "s"}
    (alone,) = calls(jsonl([call]))
    assert alone in calls(jsonl([other, call], "later.jsonl"))


def test_calls_without_id_are_told_apart_by_their_place(jsonl: Write):
    same: dict[str, Any] = {"tool": "sql", "params": {}}
    one, two = calls(jsonl([same, same]))
    assert one.id != two.id
    assert one.session == two.session


def test_an_unusable_record_is_a_problem_with_its_line(jsonl: Write):
    path = jsonl([{"tool": "sql", "params": {}}, {"tool": 7, "params": {}}, [1], 3])
    assert [item.line for item in read(path) if isinstance(item, TranscriptProblem)] == [2, 3, 4]
