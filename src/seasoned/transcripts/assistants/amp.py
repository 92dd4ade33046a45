"""Amp threads: one JSON document each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import (
    arguments,
    file_path,
    first,
    items,
    mapping,
    number,
    text,
)
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Amp thread"

_ENDED = ("done", "error", "cancelled", "rejected-by-user")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a thread."""
    return any(_is_thread(mapping(value)) for value in values)


def _is_thread(value: Mapping[str, Any]) -> bool:
    return text(value.get("id")).startswith("T-") and isinstance(value.get("messages"), list)


class AmpReader:
    """Reads one file, which is one thread."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if not _is_thread(value):
            yield self._source.problem(record.line, f"not an {name}")
            return
        initial = mapping(mapping(value.get("env")).get("initial"))
        tree = mapping(next(iter(items(initial.get("trees"))), None))
        log = SessionLog(
            self._source,
            text(value.get("id")),
            folder=file_path(tree.get("uri")),
            in_repository=bool(tree.get("repository")),
        )
        by_user = not first(value, "mainThreadID", "parentThreadID")
        last: int | None = None
        for position, message in enumerate(map(mapping, items(value.get("messages")))):
            usage, meta = mapping(message.get("usage")), mapping(message.get("meta"))
            last = micros(first(meta, "sentAt") or usage.get("timestamp")) or last
            yield from log.take(_parts(message), position, last, by_user=by_user)


def _parts(message: Mapping[str, Any]) -> Iterator[Part]:
    role = "user" if message.get("role") == "user" else "assistant"
    for block in map(mapping, items(message.get("content"))):
        kind = block.get("type")
        if kind == "text":
            yield Utterance(role, text(block.get("text")))
        elif kind == "tool_use" and text(block.get("name")):
            yield ToolUse(block["name"], arguments(block.get("input")), text(block.get("id")))
        elif kind == "tool_result":
            run = mapping(block.get("run"))
            if run.get("status") in _ENDED:
                yield _answer(run, text(block.get("toolUseID")))


def _answer(run: Mapping[str, Any], call_id: str) -> ToolAnswer:
    status, result = run.get("status"), run.get("result")
    code = number(mapping(result).get("exitCode"))
    error = first(run, "error", "reason") or (None if status == "done" else result)
    output = first(mapping(result), "output", "stderr") if code else result
    return ToolAnswer(
        output if status == "done" else error or str(status),
        status != "done" or bool(code),
        call_id,
        refused=status == "rejected-by-user",
        cancelled=status == "cancelled",
    )
