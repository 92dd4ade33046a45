"""Read a transcript: recognise its format by the content, then yield its items."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from seasoned.transcripts.formats import anthropic, claude_code, codex, openai, otel, plain
from seasoned.transcripts.identity import json_digest
from seasoned.transcripts.item import Item, Record, TranscriptProblem, TranscriptSource
from seasoned.transcripts.records import (
    FILE_LIMIT,
    LINE_LIMIT,
    BrokenJson,
    Entry,
    JsonValue,
    entries,
    open_transcript,
)

_FIRST_RECORDS = 64
_FIRST_BYTES = 4 * 1024 * 1024
# Number of records whose digest names a session that has no id.
_OPENING = 4


class TranscriptReader(Protocol):
    """Reads one file in one format."""

    def read(self, record: Record) -> Iterator[Item]: ...


@dataclass(frozen=True, slots=True)
class TranscriptFormat:
    """A transcript format: how to recognise it, and its reader.

    `by_operator` says that the user in it is the operator of the agent, as in the session files of
    a coding assistant; in others it may be any customer.
    """

    name: str
    recognises: Callable[[Sequence[Any]], bool]
    begin: Callable[[TranscriptSource], TranscriptReader]
    by_operator: bool = False


# The first format that recognises a file reads it, so the most specific come first.
FORMATS = (
    TranscriptFormat(
        claude_code.name, claude_code.recognises, claude_code.ClaudeCodeReader, by_operator=True
    ),
    TranscriptFormat(codex.name, codex.recognises, codex.CodexReader, by_operator=True),
    TranscriptFormat(otel.name, otel.recognises, otel.OtelReader),
    TranscriptFormat(plain.name, plain.recognises, plain.PlainCallReader),
    TranscriptFormat(anthropic.name, anthropic.recognises, anthropic.AnthropicReader),
    TranscriptFormat(openai.name, openai.recognises, openai.OpenAIReader),
)


def read(path: Path, line_limit: int = LINE_LIMIT, file_limit: int = FILE_LIMIT) -> Iterator[Item]:
    """Yield the items of a transcript in order, with a `TranscriptProblem` for each unusable part.

    Never raises for the content of a file. Reads JSONL in constant memory.
    """
    try:
        with open_transcript(path) as stream:
            yield from _items(path, entries(stream, line_limit, file_limit))
    except (OSError, EOFError, zlib.error) as error:
        yield TranscriptProblem(path, 0, f"cannot be read: {_why(error)}")


def format_of(path: Path) -> str | None:
    """Return the name of a transcript's format; None if it is unknown or cannot be read."""
    found = recognised(path)
    return found.name if found else None


def recognised(path: Path) -> TranscriptFormat | None:
    """Return a transcript's format; None if it is unknown or cannot be read."""
    try:
        with open_transcript(path) as stream:
            return _recognised(_values(_first(entries(stream))))
    except (OSError, EOFError, zlib.error):
        return None


def _items(path: Path, stream: Iterator[Entry]) -> Iterator[Item]:
    first = _first(stream)
    values = _values(first)
    found = _recognised(values)
    if found is None:
        yield TranscriptProblem(path, 0, _unknown(first))
        return
    reading = found.begin(TranscriptSource(path, json_digest("opening", values[:_OPENING])))
    for entry in chain(first, stream):
        if isinstance(entry, BrokenJson):
            yield TranscriptProblem(path, entry.line, entry.reason)
        else:
            yield from reading.read(Record(entry.line, entry.value))


def _first(stream: Iterator[Entry]) -> list[Entry]:
    """Read enough entries to recognise the format."""
    found: list[Entry] = []
    size = 0
    for entry in stream:
        found.append(entry)
        size += entry.size if isinstance(entry, JsonValue) else 0
        if len(found) >= _FIRST_RECORDS or size > _FIRST_BYTES:
            break
    return found


def _values(first: Sequence[Entry]) -> list[Any]:
    return [entry.value for entry in first if isinstance(entry, JsonValue)]


def _recognised(values: Sequence[Any]) -> TranscriptFormat | None:
    return next((format_ for format_ in FORMATS if format_.recognises(values)), None)


def _unknown(first: Sequence[Entry]) -> str:
    if not first:
        return "the file is empty"
    known = ", ".join(format_.name for format_ in FORMATS)
    broken = next((entry for entry in first if isinstance(entry, BrokenJson)), None)
    line = f"line {broken.line}: " if broken and broken.line else ""
    why = f" ({line}{broken.reason})" if broken else ""
    return f"not a transcript we know{why}; we know: {known}"


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
