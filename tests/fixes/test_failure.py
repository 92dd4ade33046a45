import subprocess
from typing import Any

import pytest

from seasoned.core.messages import ToolResult
from seasoned.fixes.failure import failure_of


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
