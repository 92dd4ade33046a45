"""Decide whether a tool call failed, and extract its error text, for results of any form."""

import json
from collections.abc import Mapping
from typing import Any, cast

from seasoned.core.ids import canonical
from seasoned.core.messages import ToolResult

FLAGS = ("is_error", "isError", "interrupted", "timed_out", "timeout_expired", "denied", "refused")
EXIT_CODES = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
OUTPUTS = ("stderr", "stdout", "content")
LONGEST_JSON = 100_000
SUCCESS_FLAGS = ("ok", "success", "succeeded")
STATUSES = frozenset({"error", "failed", "failure", "timeout", "timed_out", "denied", "refused"})
# The fields that hold the text of a failure, the most telling first.
WORDS = ("error", "stderr", "message", "detail", "reason", "content", "output", "stdout", "text")


def failure_of(call: ToolResult) -> str | None:
    """Return the error text of a failed call, None for a success.

    >>> failure_of(ToolResult("shell", result={"exit_code": 2, "stderr": "no such file"}))
    'no such file'
    >>> failure_of(ToolResult("shell", result={"exit_code": 0, "stderr": "a warning"})) is None
    True
    >>> failure_of(ToolResult("http", error=""))
    'failed without a message'
    """
    if call.error is not None:
        return _said(call.error) or _words_of(call.result) or "failed without a message"
    result: Any = _as_mapping(call.result)
    sign = _sign_of_failure(result) if result is not None else None
    return None if sign is None else _words_of(result) or sign


def _as_mapping(result: Any) -> Mapping[str, Any] | None:
    """View a result as a mapping: an object, its JSON, or an object with such attributes."""
    if _is_mapping(result):
        return cast("Mapping[str, Any]", result)
    if isinstance(result, str):
        text = result.strip()
        if not (text.startswith("{") and text.endswith("}") and len(text) < LONGEST_JSON):
            return None
        try:
            return cast("Mapping[str, Any]", json.loads(text))
        except ValueError:
            return None
    named = {name: getattr(result, name, None) for name in (*FLAGS, *EXIT_CODES, *OUTPUTS)}
    return named if any(value is not None for value in named.values()) else None


def _sign_of_failure(result: Mapping[str, Any]) -> str | None:
    return _flag(result) or _code(result) or _status(result)


def _flag(result: Mapping[str, Any]) -> str | None:
    for flag in FLAGS:
        if result.get(flag) is True:
            return flag.replace("_", " ")
    for flag in SUCCESS_FLAGS:
        if result.get(flag) is False:
            return f"{flag} is false"
    fine = any(result.get(flag) is True for flag in SUCCESS_FLAGS)
    return "error" if result.get("error") and not fine else None


def _code(result: Mapping[str, Any]) -> str | None:
    for name in EXIT_CODES:
        code = result.get(name)
        if isinstance(code, int) and not isinstance(code, bool) and code != 0:
            return f"exit code {code}"
    status = result.get("status_code")
    return f"status {status}" if isinstance(status, int) and 400 <= status <= 599 else None


def _status(result: Mapping[str, Any]) -> str | None:
    status = result.get("status")
    failed = isinstance(status, str) and status.lower() in STATUSES
    return f"status {str(status).lower()}" if failed else None


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _words_of(result: Any) -> str:
    if isinstance(result, str):
        return result.strip()
    if _is_mapping(result):
        found = cast("Mapping[str, Any]", result)
        for name in WORDS:
            if said := _said(found.get(name)):
                return said
    return ""


def _said(value: Any) -> str:
    """Return a message given as text, bytes, blocks, or nested: {"error": {"message": …}}."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip()
    if isinstance(value, str):
        return value.strip()
    if _is_mapping(value):
        return _words_of(value) or canonical(value)
    if isinstance(value, list):
        parts = (_said(part) for part in cast("list[Any]", value))
        return "\n".join(part for part in parts if part)
    return ""
