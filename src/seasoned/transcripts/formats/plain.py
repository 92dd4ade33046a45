"""Our own schema, one finished tool call per line, for agents whose logs have no known format.

`docs/transcripts.md` describes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from seasoned.core.messages import Message, Role, ToolResult
from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.outcome import outcome_of
from seasoned.transcripts.formats.shapes import arguments, mapping, named
from seasoned.transcripts.identity import call_key, json_digest, message_key
from seasoned.transcripts.item import Item, Record, SessionOrigin, TranscriptSource

name = "plain tool calls"

_ROLES = ("user", "assistant", "system")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a tool call of our schema."""
    return any(_is_call(mapping(value)) for value in values)


def _is_call(record: Mapping[str, Any]) -> bool:
    tool = record.get("tool")
    told = any(name in record for name in ("params", "result", "error"))
    return isinstance(tool, str) and tool != "" and told and "role" not in record


class PlainCallReader:
    """Reads one file."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._origins: dict[str, SessionOrigin] = {}

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        session = named(value, "session") or self._source.opening
        if _is_call(value):
            yield from self._origin(value, session)
            yield _call(value, session, record.line)
        elif value.get("role") in _ROLES and isinstance(value.get("text"), str):
            yield from self._origin(value, session)
            yield _message(value, session, record.line)
        else:
            yield self._source.problem(
                record.line, 'neither {"tool", "params", …} nor {"role", "text"}'
            )

    def _origin(self, value: Mapping[str, Any], session: str) -> Iterator[Item]:
        known = self._origins.get(session, SessionOrigin(session))
        told = SessionOrigin(
            session,
            folder=named(value, "cwd") or known.folder,
            project=named(value, "project") or known.project,
            user=named(value, "user") or known.user,
        )
        if told != known:
            self._origins[session] = told
            yield told


def _call(value: Mapping[str, Any], session: str, line: int) -> ToolResult:
    given, params, error = value.get("id"), arguments(value.get("params")), value.get("error")
    call_id = str(given) if isinstance(given, str | int) and given != "" else None
    failed = bool(error) if "error" in value else None
    told = {"error": error} if failed and error is not True else value.get("result")
    outcome = outcome_of(told, failed)
    duration = value.get("duration_ms")
    is_number = isinstance(duration, int | float) and not isinstance(duration, bool)
    return ToolResult(
        tool=value["tool"],
        params=params,
        result=value.get("result") if failed else outcome.result,
        error=outcome.error,
        session=session,
        duration_ms=float(cast("float", duration)) if is_number else outcome.duration_ms,
        at=micros(value.get("at")),
        id=json_digest("call", session, call_id)
        if call_id
        else call_key(session, None, value["tool"], params, line),
    )


def _message(value: Mapping[str, Any], session: str, line: int) -> Message:
    role, said = cast("Role", value["role"]), value["text"]
    key = message_key(session, value.get("id", line), role, said)
    return Message(role, said, session, micros(value.get("at")), key)
