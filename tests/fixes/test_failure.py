import subprocess
from typing import Any

import pytest

from seasoned.core.messages import ToolResult
from seasoned.errors.nature import nature_of
from seasoned.fixes.failure import failure_of, stop_of
from seasoned.transcripts.formats.outcome import outcome_of

FAILURES: list[tuple[Any, str]] = [
    (
        {"data": None, "errors": [{"message": "no shop 7", "path": ["shop"]}, {"message": "late"}]},
        "no shop 7\nlate",
    ),
    ({"data": {"shop": None}, "errors": [{"message": "no shop 7"}]}, "no shop 7"),
    ({"errors": ["the basket is empty"]}, "the basket is empty"),
    (
        {"message": "", "errors": {"email": ["is not an address"]}},
        '{"email":["is not an address"]}',
    ),
    ({"status": 404}, "status 404"),
    ({"status": 503, "message": "down for the night"}, "down for the night"),
    ({"status": "404", "message": "no such branch"}, "no such branch"),
    ({"statusCode": 401, "body": "", "error": "log in first"}, "log in first"),
    ({"output": "no such file", "metadata": {"exit_code": 2}}, "no such file"),
    ({"status": "failed", "reason": "out of paper"}, "out of paper"),
    ({"status": "cancelled"}, "status cancelled"),
    ("<returncode>1</returncode>\n<output>\nls: no such file\n</output>", "ls: no such file"),
    ("<returncode>2</returncode>\n<output>\n</output>", "exit code 2"),
    ("rg: bad flag\n<shellId: 12 completed with exit code 2>", "rg: bad flag"),
    (
        "Chunk ID: 0a\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno match",
        "no match",
    ),
    ("Exit code 127\nsh: tidy: not found", "sh: tidy: not found"),
]
HARMLESS: list[Any] = [
    {"status": 200},
    {"status": 302, "location": "/"},
    {"status": 404, "ok": True},
    {"status": "200", "message": "done"},
    {"errors": []},
    {"errors": None, "data": {"shop": 1}},
    {"errors": 0, "warnings": 2},
    {"errors": {"count": 3}},
    {"data": {"shop": {"id": 7}, "owner": None}, "errors": [{"message": "no owner"}]},
    {"file": "cart.py", "errors": [{"message": "unused name", "line": 3}], "warnings": []},
    {"title": "Errors and how to read them", "errors": "a chapter about errors"},
    {"order": "W71", "status": "cancelled"},
    {"job": 7, "status": "failed", "started": "today"},
    {"order": "W71", "cancelled": True},
    {"claim": 3, "denied": True},
    {"code": 404, "rooms": ["404"]},
    {"metadata": {"exit_code": 0}, "output": "Error: is what the file says"},
    "<returncode>0</returncode>\n<output>\nerror.log\n</output>",
    "done\n<shellId: 12 completed with exit code 0>",
    "Wall time: 2 seconds\nProcess running with session ID 4\nOutput:\nstarting",
    "How to read `<returncode>1</returncode>` in a log",
    "Exit code 1 means that nothing was found.",
    "The manual says: process exited with code 1",
]


@pytest.mark.parametrize(("result", "error"), FAILURES)
def test_a_failure_is_seen_in_the_answers_of_services_and_harnesses(
    result: Any, error: str
) -> None:
    assert failure_of(ToolResult("t", {"command": "x"}, result)) == error
    assert outcome_of(result).error is not None


@pytest.mark.parametrize("result", HARMLESS)
def test_what_only_looks_like_a_failure_is_none(result: Any) -> None:
    assert failure_of(ToolResult("t", {"command": "x"}, result)) is None
    assert outcome_of(result).error is None


def test_the_end_of_a_page_that_was_read_is_no_exit_code() -> None:
    page = "The last line of a session:\n\nCommand exited with code 1"
    assert failure_of(ToolResult("read", {"path": "a.md"}, page)) is None
    assert failure_of(ToolResult("bash", {"command": "make"}, page)) is not None


@pytest.mark.parametrize(
    ("call", "stop"),
    [
        (ToolResult("t", refused=True), "refused"),
        (ToolResult("t", cancelled=True), "cancelled"),
        (ToolResult("t", error="no", refused=True), "refused"),
        (ToolResult("t", result={"refused": True, "reason": "not now"}), "refused"),
        (ToolResult("t", result='{"status": "denied"}'), "refused"),
        (ToolResult("t", result={"canceled": True}), "cancelled"),
    ],
)
def test_a_call_that_was_refused_or_cancelled_failed_and_says_so(
    call: ToolResult, stop: str
) -> None:
    error = failure_of(call)
    assert error is not None
    assert stop_of(call) == stop
    nature = nature_of(error, {}, refused=stop == "refused", cancelled=stop == "cancelled")
    assert nature == stop


def test_a_cancelled_order_is_no_cancelled_call() -> None:
    assert stop_of(ToolResult("t", result={"order": "W71", "status": "cancelled"})) is None


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (
            {"is_error": True, "content": [{"type": "text", "text": "no such table"}]},
            "no such table",
        ),
        ({"isError": True, "content": "denied"}, "denied"),
        ({"exit_code": 127, "stderr": "", "stdout": "sh: foo: not found"}, "sh: foo: not found"),
        ({"returncode": 1}, "exit code 1"),
        ({"ok": False, "error": {"message": "rate limited", "code": 429}}, "rate limited"),
        ({"status": "timeout"}, "status timeout"),
        ({"interrupted": True}, "interrupted"),
        ({"success": False, "error": {"code": 7}}, '{"code":7}'),
        ({"error": "boom"}, "boom"),
        ({"status_code": 404, "text": "no such page"}, "no such page"),
        ('{"is_error": true, "content": "denied"}', "denied"),
        (subprocess.CompletedProcess(["x"], 3, b"", b"no such file"), "no such file"),
    ],
)
def test_a_result_that_says_it_failed_is_a_failure(result: Any, error: str) -> None:
    assert failure_of(ToolResult("t", result=result)) == error


@pytest.mark.parametrize(
    "result",
    [
        None,
        "",
        "Error: is only what the file says",
        {"exit_code": 0, "stderr": "warning: deprecated"},
        {"error": None, "rows": []},
        {"error": "0 warnings", "ok": True},
        {"status_code": 204},
        "{not json}",
        subprocess.CompletedProcess(["x"], 0, "out", "a warning"),
        {"status": "ok"},
        {"success": True},
        {"returncode": False},
        [{"is_error": True}],
    ],
)
def test_everything_else_is_a_success(result: Any) -> None:
    assert failure_of(ToolResult("t", result=result)) is None


def test_an_error_without_words_is_still_a_failure() -> None:
    assert failure_of(ToolResult("t", error=" ")) == "failed without a message"
    assert failure_of(ToolResult("t", error="", result="what it printed")) == "what it printed"
