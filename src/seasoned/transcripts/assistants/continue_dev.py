"""Sessions of Continue: one JSON document each, without times."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.outcome import ended_badly
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import (
    arguments,
    file_path,
    first,
    flat,
    items,
    mapping,
    text,
)
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Continue session"

_ENDED = ("done", "errored", "canceled")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a session."""
    return any(_is_session(mapping(value)) for value in values)


def _is_session(value: Mapping[str, Any]) -> bool:
    return "sessionId" in value and isinstance(value.get("history"), list)


class ContinueReader:
    """Reads one file, which is one session."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if not _is_session(value):
            yield self._source.problem(record.line, f"not a {name}")
            return
        folder = file_path(value.get("workspaceDirectory"))
        log = SessionLog(self._source, text(value.get("sessionId")), folder=folder)
        for position, turn in enumerate(map(mapping, items(value.get("history")))):
            yield from log.take(_parts(turn), position)


def _parts(turn: Mapping[str, Any]) -> Iterator[Part]:
    message = mapping(turn.get("message"))
    role = message.get("role")
    if role in ("user", "assistant"):
        yield Utterance(
            "user" if role == "user" else "assistant", text(flat(message.get("content")))
        )
    states = {
        text(state.get("toolCallId")): state
        for state in map(mapping, items(turn.get("toolCallStates")))
    }
    calls = [mapping(call) for call in items(message.get("toolCalls"))]
    for call in calls or [mapping(state.get("toolCall")) for state in states.values()]:
        function, call_id = mapping(call.get("function")), text(call.get("id"))
        if not text(function.get("name")):
            continue
        state = states.get(call_id, {})
        params = first(state, "parsedArgs", "processedArgs") or function.get("arguments")
        yield ToolUse(function["name"], arguments(params), call_id)
        if state.get("status") in _ENDED:
            yield _answer(state, call_id)


def _answer(state: Mapping[str, Any], call_id: str) -> ToolAnswer:
    status = state.get("status")
    told = [text(mapping(one).get("content")) for one in items(state.get("output"))]
    output = "\n".join(told)
    failed = status != "done" or ended_badly(output)
    return ToolAnswer(output or status, failed, call_id, cancelled=status == "canceled")
