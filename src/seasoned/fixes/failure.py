"""Decide whether a tool call failed, and extract its error text, for results of any form."""

import json
from collections.abc import Mapping
from typing import Any, Literal, cast

from seasoned.core.ids import canonical
from seasoned.core.messages import ToolResult
from seasoned.errors.exit_code import command_end

FLAGS = ("is_error", "isError", "interrupted", "timed_out", "timedOut", "timeout_expired")
REFUSALS = ("refused", "denied", "rejected", "user_rejected")
CANCELS = ("cancelled", "canceled", "aborted")
EXIT_CODES = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
STATUS_CODES = ("status_code", "statusCode", "http_status", "httpStatus", "status")
OUTPUTS = ("stderr", "stdout", "content", "status_code")
LONGEST_JSON = 100_000
SUCCESS_FLAGS = ("ok", "success", "succeeded")
STATUSES = frozenset(
    (*"errored failed failure fail timeout timed_out".split(), *REFUSALS, *CANCELS)
)
# The fields that hold the text of a failure, the most telling first.
WORDS = (
    *("error", "errors", "stderr", "message", "detail", "reason", "content", "output", "stdout"),
    *("text", "metadata"),
)
# What an answer that is nothing but an error consists of, beside its errors.
ENVELOPE = frozenset(
    "errors data extensions status statusCode status_code code message detail title type instance "
    "path timestamp trace_id traceId request_id requestId documentation_url success ok".split()
)
# What the report of a call consists of. With other members, {"status": "cancelled"} is about an
# order or a job, and the call that fetched it worked.
REPORT = ENVELOPE.union(
    *(FLAGS, REFUSALS, CANCELS, EXIT_CODES, STATUS_CODES, WORDS, ("failed", "result", "id")),
    *(("tool", "name", "tool_call_id", "duration_ms", "interrupted"),),
)
REPORTED = (*FLAGS, "failed", *REFUSALS, *CANCELS)
Stop = Literal["refused", "cancelled"]


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
    if isinstance(call.result, str) and (end := command_end(call.result)):
        shown = end.header or any(name in call.params for name in ("command", "cmd"))
        return (end.output.strip() or f"exit code {end.code}") if end.code and shown else None
    result: Any = _as_mapping(call.result)
    sign = sign_of_failure(result) if result is not None else None
    if sign is None and (call.refused or call.cancelled):
        sign = "refused" if call.refused else "cancelled"
    return None if sign is None else _words_of(result) or sign


def stop_of(call: ToolResult) -> Stop | None:
    """Tell whether a call was refused or cancelled, as its caller or its result says.

    >>> stop_of(ToolResult("shell", result={"denied": True})), stop_of(ToolResult("shell"))
    ('refused', None)
    """
    result = (_as_mapping(call.result) if call.result is not None else None) or {}
    if not REPORT.issuperset(result):
        result = {}
    status = str(result.get("status")).lower()
    if call.refused or status in REFUSALS or any(result.get(flag) is True for flag in REFUSALS):
        return "refused"
    if call.cancelled or status in CANCELS or any(result.get(flag) is True for flag in CANCELS):
        return "cancelled"
    return None


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
    names = (*FLAGS, *REFUSALS, *EXIT_CODES, *OUTPUTS)
    named = {name: getattr(result, name, None) for name in names}
    return named if any(value is not None for value in named.values()) else None


def sign_of_failure(result: Mapping[str, Any]) -> str | None:
    """Return what in a result says that the call failed, None if nothing does."""
    for flag in SUCCESS_FLAGS:
        if result.get(flag) is False:
            return f"{flag} is false"
    told = REPORT.issuperset(result)
    for flag in REPORTED if told else FLAGS:
        if result.get(flag) is True:
            return flag.replace("_", " ")
    fine = any(result.get(flag) is True for flag in SUCCESS_FLAGS)
    if not fine and (result.get("error") or _is_only_errors(result)):
        return "error"
    return _exit(result) or _status(result, fine, told)


def _is_only_errors(result: Mapping[str, Any]) -> bool:
    """Tell whether an answer consists of errors, as those of GraphQL do: a report has more."""
    errors, data = result.get("errors"), result.get("data")
    if not errors or not ENVELOPE.issuperset(result):
        return False
    if _is_mapping(data):
        data = any(value is not None for value in cast("Mapping[str, Any]", data).values())
    if _is_mapping(errors):  # {"name": ["is too long"]}
        said = list(cast("Mapping[str, Any]", errors).values())
    else:
        said = cast("list[Any]", errors) if isinstance(errors, list) else [None]
    return not data and all(_said(one) for one in said)


def _exit(result: Mapping[str, Any]) -> str | None:
    for name in EXIT_CODES:
        code = result.get(name)
        if isinstance(code, int) and not isinstance(code, bool) and code != 0:
            return f"exit code {code}"
    inner = result.get("metadata")
    return _exit(cast("Mapping[str, Any]", inner)) if inner and _is_mapping(inner) else None


def _status(result: Mapping[str, Any], fine: bool, told: bool) -> str | None:
    for name in STATUS_CODES:
        status = result.get(name)
        if isinstance(status, str) and status.isdigit() and result.get("message"):
            status = int(status)
        if isinstance(status, int) and 400 <= status <= 599 and not fine:
            return f"status {status}"
        word = status.lower() if isinstance(status, str) else ""
        if word == "error" or (told and word in STATUSES):
            return f"status {word}"
    return None


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
