"""Cursor's agent: the output of `cursor-agent --output-format stream-json`, and its transcripts.

The transcripts in `agent-transcripts` name the calls, but keep neither their ids nor results.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance, block_parts
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, between, first, mapping, number, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Cursor agent session"

_QUERY = ("<user_query>", "</user_query>")
_REDACTED = "[REDACTED]"
# What Cursor adds to the arguments that the model gave.
_ADDED = frozenset(
    "toolCallId simpleCommands hasInputRedirect hasOutputRedirect parsingResult skipApproval "
    "fileOutputThresholdBytes timeoutBehavior requestedSandboxPolicy".split()
)
_REFUSED = ("rejected", "permissionDenied")
_CANCELLED = ("aborted", "cancelled")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is one of Cursor's."""
    return any(_is_streamed(mapping(value)) or _is_kept(mapping(value)) for value in values)


def _is_streamed(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return (kind == "tool_call" and isinstance(value.get("tool_call"), dict)) or (
        "session_id" in value and (kind == "thinking" or "model_call_id" in value)
    )


def _is_kept(value: Mapping[str, Any]) -> bool:
    message = mapping(value.get("message"))
    return (
        "type" not in value and value.get("role") in ("user", "assistant") and "content" in message
    )


class CursorReader:
    """Reads one file, which is one session."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log: SessionLog | None = None

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if "type" not in value and not _is_kept(value):
            yield self._source.problem(record.line, f"not a record of a {name}")
            return
        log = self._log = self._log or SessionLog(self._source, text(value.get("session_id")))
        log.locate(text(value.get("cwd")))
        at = micros(value.get("timestamp_ms"))
        yield from log.take(_parts(value), record.line, at)


def _parts(value: Mapping[str, Any]) -> Iterator[Part]:
    kind = value.get("type")
    if kind == "tool_call":
        yield from _call(value)
    # With partial output, pieces of a text come before it; they have a time but no model call.
    elif kind in (None, "user", "assistant") and (
        kind != "assistant" or "model_call_id" in value or "timestamp_ms" not in value
    ):
        message = mapping(value.get("message"))
        role = first(message, "role") or value.get("role")
        for part in block_parts({**message, "role": role}):
            yield _plain(part) if isinstance(part, Utterance) else part


def _plain(part: Utterance) -> Utterance:
    query = between(part.text, *_QUERY) if part.role == "user" else None
    said = part.text.replace(_REDACTED, "").strip() if query is None else query
    return Utterance(part.role, said)


def _call(value: Mapping[str, Any]) -> Iterator[Part]:
    call_id = text(value.get("call_id"))
    for key, one in mapping(value.get("tool_call")).items():
        call = mapping(one)
        if not key.endswith("ToolCall") or not call:
            continue
        given = mapping(call.get("args"))
        params = {key_: kept for key_, kept in given.items() if key_ not in _ADDED}
        tool = key.removesuffix("ToolCall")
        if tool == "mcp" and text(given.get("toolName")):
            tool = f"{text(given.get('providerIdentifier'))}__{given['toolName']}"
            params = arguments(given.get("args"))
        yield ToolUse(tool, params, call_id)
        if value.get("subtype") == "completed":
            yield _answer(mapping(call.get("result")), call_id)


def _answer(result: Mapping[str, Any], call_id: str) -> ToolAnswer:
    outcome = next((kind for kind, one in result.items() if isinstance(one, dict)), "success")
    details = mapping(result.get(outcome))
    code = number(details.get("exitCode"))
    failed = outcome != "success" or bool(code)
    said = [text(details.get(key)) for key in ("stderr", "stdout")] if code is not None else []
    output = "\n".join(one for one in said if one.strip())
    if failed and not output:
        output = first(details, "error", "errorMessage", "message", "reason") or (
            f"exit code {code:.0f}" if code else outcome
        )
    return ToolAnswer(
        output or details,
        failed,
        call_id,
        duration_ms=number(details.get("executionTime")),
        refused=outcome in _REFUSED,
        cancelled=outcome in _CANCELLED,
    )
