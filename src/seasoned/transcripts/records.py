"""Turn the bytes of a file into JSON values: one a line, or one document, broken parts reported."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from seasoned.transcripts.decoding import decode, decode_at
from seasoned.transcripts.lines import FILE_LIMIT, LINE_LIMIT, Line, holds_one_line, is_utf16, lines
from seasoned.transcripts.shapes import items, mapping

_LOOK_AHEAD_LINES = 20
_LOOK_AHEAD_BYTES = 1024 * 1024
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON value with the line it stands on, and how many bytes it took."""

    line: int
    value: Any
    size: int = 0


@dataclass(frozen=True, slots=True)
class Broken:
    """A place that holds no usable JSON value, and why."""

    line: int
    reason: str


Entry = Found | Broken


def entries(
    stream: io.BufferedReader, line_limit: int = LINE_LIMIT, file_limit: int = FILE_LIMIT
) -> Iterator[Entry]:
    """The JSON values of a file in order.

    >>> list(entries(io.BufferedReader(io.BytesIO(b'{"a": 1}\\n{"b'))))  # doctest: +ELLIPSIS
    [Found(line=1, value={'a': 1}, size=8), Broken(line=2, reason='half-written: ...')]
    """
    if is_utf16(stream):
        yield Broken(0, "the file is UTF-16; save it as UTF-8 and read it again")
        return
    if _starts_like_json(stream) and _is_one_long_line(stream, line_limit):
        yield from _document(stream.read(file_limit + 1), file_limit)
        return
    rest = lines(stream, line_limit)
    ahead = _look_ahead(rest)
    if _is_per_line(ahead):
        for line in chain(ahead, rest):
            yield from _of_line(line, line_limit)
    elif ahead:
        raw = b"\n".join(line.data or b"" for line in ahead)
        more = stream.read(max(0, file_limit + 1 - len(raw)))
        yield from _document(raw + (b"\n" + more if more else b""), file_limit, ahead[0].number)


def _starts_like_json(stream: io.BufferedReader) -> bool:
    return stream.peek(64)[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _is_one_long_line(stream: io.BufferedReader, line_limit: int) -> bool:
    """A minified document may be longer than a line of JSONL may be."""
    return len(stream.peek(1)) > 0 and stream.seekable() and _longer_than(stream, line_limit)


def _longer_than(stream: io.BufferedReader, line_limit: int) -> bool:
    place = stream.tell()
    first = stream.readline(line_limit + 1)
    stream.seek(place)
    return len(first) > line_limit and not first.endswith(b"\n") and holds_one_line(stream)


def _look_ahead(rest: Iterator[Line]) -> list[Line]:
    """As many lines as it takes to see whether each is a value of its own."""
    ahead: list[Line] = []
    size = 0
    for line in rest:
        ahead.append(line)
        size += len(line.data or b"")
        enough = len(ahead) >= _LOOK_AHEAD_LINES or size > _LOOK_AHEAD_BYTES
        if len(ahead) > 1 and (enough or _is_per_line(ahead)):
            break
    return ahead


def _is_per_line(ahead: list[Line]) -> bool:
    """Whether each line is a value of its own.

    Half of them is enough: lines may be broken. One is not: the last element of a document
    written an element a line looks like a value too.
    """
    if not ahead or any(line.data is None for line in ahead):
        return True
    if (ahead[0].data or b"")[:1] not in (b"{", b"["):
        return True
    whole = sum(_is_record(line.data or b"") for line in ahead)
    return len(ahead) > 1 and 2 * whole >= len(ahead)


def _is_record(data: bytes) -> bool:
    if data[:1] not in (b"{", b"["):
        return False
    try:
        value = decode(data.decode("utf-8", "replace"))
    except ValueError:
        return False
    return bool(mapping(value)) or any(isinstance(element, dict) for element in items(value))


def _of_line(line: Line, limit: int) -> Iterator[Entry]:
    if line.data is None:
        yield Broken(line.number, f"longer than {limit // 1048576} MiB; skipped")
        return
    text, replaced = _text(line.data)
    if replaced:
        yield Broken(line.number, "not UTF-8; the bytes that are not were replaced")
    try:
        yield Found(line.number, decode(text), len(line.data))
    except ValueError as error:
        cut = not line.ended and text[:1] in "{["
        reason = (
            "half-written: the file ends inside this line" if cut else f"not valid JSON: {error}"
        )
        yield Broken(line.number, reason)


def _document(data: bytes, limit: int, line: int = 1) -> Iterator[Entry]:
    """A file that is one JSON value, or several that span lines; an array is its elements."""
    if len(data) > limit:
        yield Broken(0, f"one JSON document of more than {limit // 1048576} MiB; save it as JSONL")
        return
    text, replaced = _text(data)
    if replaced:
        yield Broken(0, "not UTF-8; the bytes that are not were replaced")
    place = 0
    while place < len(text):
        try:
            value, end = decode_at(text, place)
        except ValueError as error:
            yield Broken(line, f"half-written or damaged JSON document: {error}")
            return
        yield from _elements(value, line, end - place)
        gap = _SPACE.match(text, end)
        after = gap.end() if gap else end
        line += text.count("\n", place, after)
        place = after


def _elements(value: Any, line: int, size: int) -> Iterator[Entry]:
    elements = items(value)
    if not elements:
        yield Found(line, value, size)
    for number, element in enumerate(elements, 1):
        yield Found(number, element, size // len(elements))


def _text(data: bytes) -> tuple[str, bool]:
    data = data.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), True
