"""Sessions of pi: JSONL, in newer versions a tree in which the user may go back and fork."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, flat, items, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "pi session"


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is the head of a session."""
    return any(
        one.get("type") == "session" and {"id", "cwd"} <= one.keys() for one in map(mapping, values)
    )


class PiReader:
    """Reads one file; a fork in it is a session of its own."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log = SessionLog(source)
        self._session, self._folder, self._last = source.opening, "", ""

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        kind, own, parent = value.get("type"), text(value.get("id")), text(value.get("parentId"))
        if not isinstance(kind, str):
            yield self._source.problem(record.line, f"not a record of a {name}: it has no type")
            return
        if kind == "session":
            self._session, self._folder = own, text(value.get("cwd"))
            self._log = SessionLog(self._source, own, folder=self._folder)
            return
        if parent and self._last and parent != self._last:
            fork = f"{self._session}/{own}"
            self._log = SessionLog(self._source, fork, folder=self._folder)
        self._last = own
        if kind == "message":
            at = micros(value.get("timestamp"))
            parts = _parts(mapping(value.get("message")))
            yield from self._log.take(parts, own or record.line, at)


def _parts(message: Mapping[str, Any]) -> Iterator[Part]:
    role, content = message.get("role"), message.get("content")
    if role == "toolResult":
        failed, call_id = message.get("isError") is True, text(message.get("toolCallId"))
        output = text(flat(content))
        stopped = failed and "aborted" in output[-200:].lower()
        yield ToolAnswer(output, failed, call_id, cancelled=stopped)
    elif role in ("user", "assistant"):
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
        for block in map(mapping, blocks):
            if block.get("type") == "text":
                yield Utterance(role, text(block.get("text")))
            elif block.get("type") == "toolCall" and text(block.get("name")):
                params = arguments(block.get("arguments"))
                yield ToolUse(block["name"], params, text(block.get("id")))
