"""OpenCode sessions, as `opencode export` prints them; its database and folders look the same."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, first, items, mapping, number, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "OpenCode session"


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a session with its messages and their parts."""
    return any(_is_session(mapping(value)) for value in values)


def _is_session(value: Mapping[str, Any]) -> bool:
    messages = [mapping(one) for one in items(value.get("messages"))]
    shaped = all("info" in one and "parts" in one for one in messages)
    return "id" in mapping(value.get("info")) and "messages" in value and shaped


class OpenCodeReader:
    """Reads one file: a session, or several of a database."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if not _is_session(value):
            yield self._source.problem(record.line, f"not an {name}")
            return
        info = mapping(value.get("info"))
        log = SessionLog(self._source, text(info.get("id")), folder=text(info.get("directory")))
        by_user = not first(info, "parentID", "parent_id")  # else another agent began it
        for message in (mapping(one) for one in items(value.get("messages"))):
            head = mapping(message.get("info"))
            log.locate(text(mapping(head.get("path")).get("cwd")))
            said_at = micros(mapping(head.get("time")).get("created"))
            for position, part in enumerate(map(mapping, items(message.get("parts")))):
                at = micros(mapping(mapping(part.get("state")).get("time")).get("end"))
                key = text(part.get("id")) or (text(head.get("id")), position)
                parts = _parts(part, text(head.get("role")))
                yield from log.take(parts, key, said_at if at is None else at, by_user=by_user)


def _parts(part: Mapping[str, Any], role: str) -> Iterator[Part]:
    kind = part.get("type")
    if kind == "text" and not (part.get("synthetic") or part.get("ignored")):
        yield Utterance("user" if role == "user" else "assistant", text(part.get("text")))
    elif kind == "tool" and text(part.get("tool")):
        state, call_id = mapping(part.get("state")), text(part.get("callID"))
        yield ToolUse(part["tool"], arguments(state.get("input")), call_id)
        if state.get("status") in ("completed", "error"):
            yield _answer(state, call_id)


def _answer(state: Mapping[str, Any], call_id: str) -> ToolAnswer:
    """Read a finished call; a command that failed is stored as completed, with its exit code."""
    error = text(state.get("error"))
    code = number(first(mapping(state.get("metadata")), "exit", "exitCode"))
    failed = state.get("status") == "error" or bool(code)
    output = error or text(state.get("output"))
    if code and output.strip() in ("", "(no output)"):
        output = f"exit code {code:.0f}"
    times = mapping(state.get("time"))
    start, end = number(times.get("start")), number(times.get("end"))
    return ToolAnswer(
        output,
        failed,
        call_id,
        duration_ms=end - start if start is not None and end is not None else None,
        cancelled=failed and "aborted" in error.lower(),
    )
