"""Goose sessions: JSONL with a head line, or the rows of its database."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.outcome import ended_badly
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, first, flat, items, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Goose session"

_BLOCKS = ("toolRequest", "toolResponse")
_SUB_AGENT = ("sub_agent", "subagent")
_DECLINED = "The user has declined to run this tool"


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is the head of a session, or holds a call."""
    return any(_is_head(one) or _has_call(one) for one in map(mapping, values))


def _is_head(value: Mapping[str, Any]) -> bool:
    return "working_dir" in value and not {"role", "type", "tool"} & value.keys()


def _has_call(value: Mapping[str, Any]) -> bool:
    return any(mapping(one).get("type") in _BLOCKS for one in items(value.get("content")))


class GooseReader:
    """Reads one file: a session, or several of a database."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log = SessionLog(source)
        self._by_user = True

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if _is_head(value):
            folder = text(value.get("working_dir"))
            self._log = SessionLog(self._source, text(value.get("id")), folder=folder)
            self._by_user = value.get("session_type") not in _SUB_AGENT
        elif "role" in value:
            seen = mapping(value.get("metadata")).get("userVisible") is not False
            at, parts = micros(value.get("created")), _parts(value)
            yield from self._log.take(parts, record.line, at, by_user=self._by_user and seen)
        else:
            yield self._source.problem(record.line, f"not a record of a {name}")


def _parts(value: Mapping[str, Any]) -> Iterator[Part]:
    role = "user" if value.get("role") == "user" else "assistant"
    for block in map(mapping, items(value.get("content"))):
        kind, call_id = block.get("type"), text(block.get("id"))
        if kind == "text":
            yield Utterance(role, text(block.get("text")))
        elif kind == "toolRequest":
            call = mapping(mapping(block.get("toolCall")).get("value"))
            if text(call.get("name")):
                yield ToolUse(call["name"], arguments(call.get("arguments")), call_id)
        elif kind == "toolResponse":
            yield _answer(mapping(block.get("toolResult")), call_id)


def _answer(result: Mapping[str, Any], call_id: str) -> ToolAnswer:
    value = result.get("value")
    inner = mapping(value)
    content = flat(inner.get("content") if inner else value)
    failed = result.get("status") == "error"
    wrong = inner.get("isError") is True or ended_badly(content)
    output = first(result, "error") if failed else content
    return ToolAnswer(output, failed or wrong, call_id, refused=text(output).startswith(_DECLINED))
