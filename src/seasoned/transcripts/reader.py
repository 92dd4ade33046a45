"""Read any transcript: find out what it is by looking inside, then yield what happened in it."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from seasoned.transcripts import anthropic, claude_code, codex, openai, otel, plain
from seasoned.transcripts.identity import digest
from seasoned.transcripts.item import Item, Problem, Record, Source
from seasoned.transcripts.lines import FILE_LIMIT, LINE_LIMIT, opened
from seasoned.transcripts.records import Broken, Entry, Found, entries

_FIRST_RECORDS = 64
_FIRST_BYTES = 4 * 1024 * 1024
# A session that does not name itself is named after so many records.
_OPENING = 4


class Reading(Protocol):
    """A format at work on one file."""

    def read(self, record: Record) -> Iterator[Item]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of transcript: how it is known, and how it is read."""

    name: str
    recognises: Callable[[Sequence[Any]], bool]
    begin: Callable[[Source], Reading]


# The first that recognises a file reads it: what has the most telling marks comes first.
FORMATS = (
    Format(claude_code.name, claude_code.recognises, claude_code.Reading),
    Format(codex.name, codex.recognises, codex.Reading),
    Format(otel.name, otel.recognises, otel.Reading),
    Format(plain.name, plain.recognises, plain.Reading),
    Format(anthropic.name, anthropic.recognises, anthropic.Reading),
    Format(openai.name, openai.recognises, openai.Reading),
)


def read(path: Path, line_limit: int = LINE_LIMIT, file_limit: int = FILE_LIMIT) -> Iterator[Item]:
    """Everything a transcript tells, in order; what cannot be used comes as a `Problem`.

    Never raises for what is in the file. JSONL is read in constant memory.
    """
    try:
        with opened(path) as stream:
            yield from _items(path, entries(stream, line_limit, file_limit))
    except (OSError, EOFError, zlib.error) as error:
        yield Problem(path, 0, f"cannot be read: {_why(error)}")


def format_of(path: Path) -> str | None:
    """The name of a transcript's format; None if it is none we know, or cannot be read."""
    try:
        with opened(path) as stream:
            found = _recognised(_values(_first(entries(stream))))
    except (OSError, EOFError, zlib.error):
        return None
    return found.name if found else None


def _items(path: Path, stream: Iterator[Entry]) -> Iterator[Item]:
    first = _first(stream)
    values = _values(first)
    found = _recognised(values)
    if found is None:
        yield Problem(path, 0, _unknown(first))
        return
    reading = found.begin(Source(path, digest("opening", values[:_OPENING])))
    for entry in chain(first, stream):
        if isinstance(entry, Broken):
            yield Problem(path, entry.line, entry.reason)
        else:
            yield from reading.read(Record(entry.line, entry.value))


def _first(stream: Iterator[Entry]) -> list[Entry]:
    """Enough entries to know the format by."""
    found: list[Entry] = []
    size = 0
    for entry in stream:
        found.append(entry)
        size += entry.size if isinstance(entry, Found) else 0
        if len(found) >= _FIRST_RECORDS or size > _FIRST_BYTES:
            break
    return found


def _values(first: Sequence[Entry]) -> list[Any]:
    return [entry.value for entry in first if isinstance(entry, Found)]


def _recognised(values: Sequence[Any]) -> Format | None:
    return next((format_ for format_ in FORMATS if format_.recognises(values)), None)


def _unknown(first: Sequence[Entry]) -> str:
    if not first:
        return "the file is empty"
    known = ", ".join(format_.name for format_ in FORMATS)
    broken = next((entry for entry in first if isinstance(entry, Broken)), None)
    line = f"line {broken.line}: " if broken and broken.line else ""
    why = f" ({line}{broken.reason})" if broken else ""
    return f"not a transcript we know{why}; we know: {known}"


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
