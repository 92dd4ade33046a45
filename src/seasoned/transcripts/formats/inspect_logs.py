"""Inspect logs: evaluations with their samples, as one JSON document or as a `.eval` archive."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, TurnStart, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, flat, items, mapping, number, text
from seasoned.transcripts.identity import json_digest
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Inspect log"

_ATTACHMENT = "attachment://"


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a log or one of its samples."""
    return any(_is_log(mapping(value)) or _is_sample(mapping(value)) for value in values)


def _is_log(value: Mapping[str, Any]) -> bool:
    return {"eval", "status"} <= value.keys() and isinstance(value.get("eval"), dict)


def _is_sample(value: Mapping[str, Any]) -> bool:
    return {"id", "epoch", "messages"} <= value.keys()


class InspectReader:
    """Reads one file; each sample is a session."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._run = source.opening

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if _is_log(value):
            self._run = text(mapping(value.get("eval")).get("run_id")) or self._run
            for sample in map(mapping, items(value.get("samples"))):
                yield from self._sample(sample)
        elif _is_sample(value):
            yield from self._sample(value)
        else:
            yield self._source.problem(record.line, f"neither an {name} nor a sample of one")

    def _sample(self, sample: Mapping[str, Any]) -> Iterator[Item]:
        given = (sample.get("id"), sample.get("epoch"))
        session = text(sample.get("uuid")) or json_digest("session", self._run, *given)
        log = SessionLog(self._source, session, personal=False)
        kept = mapping(sample.get("attachments"))
        events = (mapping(one) for one in items(sample.get("events")))
        ran = {text(one.get("id")): one for one in events if one.get("event") == "tool"}
        for position, message in enumerate(map(mapping, items(sample.get("messages")))):
            event = ran.get(text(message.get("tool_call_id")), {})
            at = micros(event.get("completed") or event.get("timestamp"))
            yield from log.take(_parts(message, kept, event), position, at)


def _parts(
    message: Mapping[str, Any], kept: Mapping[str, Any], event: Mapping[str, Any]
) -> Iterator[Part]:
    role, said = message.get("role"), _resolved(flat(message.get("content")), kept)
    if role == "user":
        yield Utterance("user", text(said))
    elif role == "assistant":
        yield TurnStart()
        yield Utterance("assistant", text(said))
        for call in map(mapping, items(message.get("tool_calls"))):
            if text(call.get("function")):
                params = _resolved(arguments(call.get("arguments")), kept)
                yield ToolUse(call["function"], params, text(call.get("id")))
    elif role == "tool":
        error = mapping(message.get("error"))
        seconds = number(event.get("working_time"))
        yield ToolAnswer(
            text(error.get("message")) or said if error else said,
            True if error or event.get("failed") is True else None,
            text(message.get("tool_call_id")),
            duration_ms=None if seconds is None else seconds * 1000,
            refused=error.get("type") == "approval",
        )


def _resolved(value: Any, kept: Mapping[str, Any]) -> Any:
    """Put long texts back that the log keeps apart."""
    if isinstance(value, str):
        whole = value.startswith(_ATTACHMENT)
        return kept.get(value.removeprefix(_ATTACHMENT), value) if whole else value
    if members := mapping(value):
        return {key: _resolved(one, kept) for key, one in members.items()}
    return value
