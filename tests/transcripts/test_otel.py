"""OpenTelemetry spans."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from seasoned.core.messages import ToolResult
from seasoned.transcripts.reader import format_of, read

Write = Callable[..., Path]


def attributes(**given: Any) -> list[dict[str, Any]]:
    names = {key.replace("__", "."): value for key, value in given.items()}
    return [{"key": key, "value": {"stringValue": value}} for key, value in names.items()]


def span(number: int, status: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": f"eee19b7ec3c1b17{number}",
        "name": "execute_tool search",
        "startTimeUnixNano": str(1740823200_000000000 + number * 1_000_000_000),
        "endTimeUnixNano": str(1740823200_250000000 + number * 1_000_000_000),
        "attributes": attributes(
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="search",
            gen_ai__conversation__id="conv-1",
            gen_ai__tool__call__arguments='{"q": "x"}',
            **given,
        ),
        "status": status,
    }


FAILED = {
    **span(1, {"code": 2, "message": "boom"}, error__type="TimeoutError"),
    "events": [{"name": "exception", "attributes": attributes(
        exception__type="TimeoutError", exception__message="search took too long")}],
}  # fmt: skip
WORKED = span(2, {"code": "STATUS_CODE_OK"}, gen_ai__tool__call__result='{"hits": 3}')
CHAT = {**span(3, {}), "attributes": attributes(gen_ai__operation__name="chat")}
BATCH = {"resourceSpans": [{"scopeSpans": [{"spans": [CHAT, WORKED, FAILED]}]}]}


def calls(path: Path) -> list[ToolResult]:
    return [item for item in read(path) if isinstance(item, ToolResult)]


def test_tool_spans_of_an_otlp_file_come_in_the_order_in_which_they_ended(raw: Write):
    path = raw(json.dumps(BATCH, indent=2).encode(), "spans.json")
    failed, worked = calls(path)
    assert format_of(path) == "OpenTelemetry spans"
    assert failed.error == "TimeoutError: search took too long"
    assert (worked.error, worked.result) == (None, {"hits": 3})
    assert (failed.tool, failed.params, failed.session) == ("search", {"q": "x"}, "conv-1")
    assert failed.duration_ms == 250
    assert failed.at == 1740823201_250000


def test_a_batch_a_line_gives_the_same_calls(raw: Write, jsonl: Write):
    whole = calls(raw(json.dumps(BATCH, indent=2).encode(), "spans.json"))
    by_line = calls(jsonl([BATCH, BATCH]))
    assert by_line == whole * 2


def test_spans_as_a_console_exporter_prints_them_are_read(raw: Write):
    printed: dict[str, Any] = {
        "name": "execute_tool search",
        "context": {"trace_id": "0xaaaa", "span_id": "0xbb", "trace_state": "[]"},
        "parent_id": None,
        "start_time": "2025-03-01T10:00:00.000000Z",
        "end_time": "2025-03-01T10:00:01.500000Z",
        "status": {"status_code": "ERROR", "description": "KeyError: 'q'"},
        "attributes": {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search",
            "gen_ai.tool.call.arguments": {"q": 1},
        },
        "events": [],
    }
    text = json.dumps(printed, indent=4) + "\n" + json.dumps(printed, indent=4) + "\n"
    first, second = calls(raw(text.encode(), "console.json"))
    assert first == second
    assert (first.error, first.duration_ms, first.session) == ("KeyError: 'q'", 1500, "0xaaaa")


def test_a_failed_span_that_says_nothing_is_named_after_its_error_type(jsonl: Write):
    path = jsonl([span(1, {"code": 2}, error__type="ConnectError")])
    assert calls(path)[0].error == "ConnectError"


def test_the_names_that_other_conventions_use_are_known(jsonl: Write):
    other = {
        **span(1, {}),
        "attributes": {
            "openinference.span.kind": "TOOL",
            "tool.name": "lookup",
            "input.value": '{"id": 7}',
            "output.value": "Error: no such id",
        },
    }
    (call,) = calls(jsonl([other]))
    assert (call.tool, call.params, call.error) == ("lookup", {"id": 7}, "Error: no such id")
