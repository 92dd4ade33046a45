"""Factory Droid sessions, and the output of `droid exec --output-format stream-json`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance, block_parts
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, first, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Factory Droid session"

_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>\s*|$)", re.DOTALL)
_ATTACHED = re.compile(r"Contents of \S+ \(lines ")  # a file that the user mentioned


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is one of Droid's."""
    return any(_is_ours(mapping(value)) for value in values)


def _is_ours(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    streamed = kind in ("tool_call", "tool_result") and "toolId" in value
    return streamed or (kind == "session_start" and "cwd" in value)


class DroidReader:
    """Reads one file, which is one session."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log: SessionLog | None = None

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        kind = text(value.get("type"))
        if not kind:
            yield self._source.problem(record.line, f"not a record of a {name}: it has no type")
            return
        if self._log is None:
            head = value if kind in ("session_start", "system") else mapping(None)
            named = text(first(value, "sessionId")) or text(head.get("id"))
            self._log = SessionLog(self._source, named, folder=text(head.get("cwd")))
        position = (text(value.get("id")), record.line)
        yield from self._log.take(_parts(kind, value), position, micros(value.get("timestamp")))


def _parts(kind: str, value: Mapping[str, Any]) -> Iterator[Part]:
    call_id = text(value.get("id"))
    if kind == "message" and "message" in value:
        for part in block_parts(mapping(value.get("message"))):
            if not (isinstance(part, Utterance) and _ATTACHED.match(part.text)):
                yield part
    elif kind == "message" and value.get("role") in ("user", "assistant"):
        yield Utterance(value["role"], _REMINDER.sub("", text(value.get("text"))).strip())
    elif kind == "tool_call":
        tool = text(first(value, "toolName", "toolId"))
        yield ToolUse(tool, arguments(value.get("parameters")), call_id)
    elif kind == "tool_result":
        yield ToolAnswer(value.get("value"), value.get("isError") is True, call_id)
