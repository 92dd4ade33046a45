"""Turn the bytes of a file into JSON values, and report the parts that hold none.

A file holds a value a line, or one document; lines are read in constant memory.
"""

import gzip
import io
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

from seasoned.core.safe_json import decode, decode_at
from seasoned.transcripts.formats.shapes import items, mapping

LINE_LIMIT = 16 * 1024 * 1024
FILE_LIMIT = 256 * 1024 * 1024
_CHUNK = 1024 * 1024
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_LOOK_AHEAD_LINES = 20
_LOOK_AHEAD_BYTES = 1024 * 1024
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line without its newline; `data` is None if the line exceeded the limit."""

    number: int
    data: bytes | None
    ended: bool = True


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A JSON value, its line, and its size in bytes."""

    line: int
    value: Any
    size: int = 0


@dataclass(frozen=True, slots=True)
class BrokenJson:
    """A line without a usable JSON value, and the reason."""

    line: int
    reason: str


Entry = JsonValue | BrokenJson


def entries(
    stream: io.BufferedReader, line_limit: int = LINE_LIMIT, file_limit: int = FILE_LIMIT
) -> Iterator[Entry]:
    """Yield the JSON values of a file in order.

    >>> list(entries(io.BufferedReader(io.BytesIO(b'{"a": 1}\\n{"b'))))  # doctest: +ELLIPSIS
    [JsonValue(line=1, value={'a': 1}, size=8), BrokenJson(line=2, reason='half-written: ...')]
    """
    if is_utf16(stream):
        yield BrokenJson(0, "the file is UTF-16; save it as UTF-8 and read it again")
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
    """Whether the file is one minified document longer than the line limit."""
    return len(stream.peek(1)) > 0 and stream.seekable() and _longer_than(stream, line_limit)


def _longer_than(stream: io.BufferedReader, line_limit: int) -> bool:
    place = stream.tell()
    first = stream.readline(line_limit + 1)
    stream.seek(place)
    return len(first) > line_limit and not first.endswith(b"\n") and holds_one_line(stream)


def _look_ahead(rest: Iterator[FileLine]) -> list[FileLine]:
    """Read enough lines to tell JSONL from a single document."""
    ahead: list[FileLine] = []
    size = 0
    for line in rest:
        ahead.append(line)
        size += len(line.data or b"")
        enough = len(ahead) >= _LOOK_AHEAD_LINES or size > _LOOK_AHEAD_BYTES
        if len(ahead) > 1 and (enough or _is_per_line(ahead)):
            break
    return ahead


def _is_per_line(ahead: list[FileLine]) -> bool:
    """Whether each line is a JSON value.

    Half of them is enough, since lines may be broken. A single one is not: the last element of a
    document written one element per line looks like a value too.
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


def _of_line(line: FileLine, limit: int) -> Iterator[Entry]:
    if line.data is None:
        yield BrokenJson(line.number, f"longer than {limit // 1048576} MiB; skipped")
        return
    text, replaced = _text(line.data)
    if replaced:
        yield BrokenJson(line.number, "not UTF-8; the bytes that are not were replaced")
    try:
        yield JsonValue(line.number, decode(text), len(line.data))
    except ValueError as error:
        cut = not line.ended and text[:1] in "{["
        reason = (
            "half-written: the file ends inside this line" if cut else f"not valid JSON: {error}"
        )
        yield BrokenJson(line.number, reason)


def _document(data: bytes, limit: int, line: int = 1) -> Iterator[Entry]:
    """Read one JSON value, or several that span lines; an array yields its elements."""
    if len(data) > limit:
        yield BrokenJson(
            0, f"one JSON document of more than {limit // 1048576} MiB; save it as JSONL"
        )
        return
    text, replaced = _text(data)
    if replaced:
        yield BrokenJson(0, "not UTF-8; the bytes that are not were replaced")
    place = 0
    while place < len(text):
        try:
            value, end = decode_at(text, place)
        except ValueError as error:
            yield BrokenJson(line, f"half-written or damaged JSON document: {error}")
            return
        yield from _elements(value, line, end - place)
        gap = _SPACE.match(text, end)
        after = gap.end() if gap else end
        line += text.count("\n", place, after)
        place = after


def _elements(value: Any, line: int, size: int) -> Iterator[Entry]:
    elements = items(value)
    if not elements:
        yield JsonValue(line, value, size)
    for number, element in enumerate(elements, 1):
        yield JsonValue(number, element, size // len(elements))


def _text(data: bytes) -> tuple[str, bool]:
    data = data.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), True


@contextmanager
def open_transcript(path: Path) -> Generator[io.BufferedReader]:
    """Open a file, decompressing gzip."""
    with path.open("rb") as stream:
        if stream.peek(2)[:2] == _GZIP:
            with gzip.GzipFile(fileobj=stream, mode="rb") as unpacked:
                yield io.BufferedReader(cast("io.RawIOBase", unpacked))
        else:
            yield stream


def is_utf16(stream: io.BufferedReader) -> bool:
    """Whether the file begins with a UTF-16 byte-order mark."""
    return stream.peek(2)[:2] in _UTF16


def lines(stream: BinaryIO, limit: int = LINE_LIMIT, *, blank: bool = False) -> Iterator[FileLine]:
    """Yield the lines, numbered from 1, without a byte-order mark; blank ones only if asked for.

    >>> [line.data for line in lines(io.BytesIO(b"one\\r\\n\\nfar too long\\ntwo"), limit=5)]
    [b'one', None, b'two']
    """
    number = 0
    while data := stream.readline(limit + 1):
        number += 1
        if len(data) > limit and not data.endswith(b"\n"):
            yield FileLine(number, None, _skip(stream))
            continue
        ended = data.endswith(b"\n")
        data = data.removeprefix(_BOM) if number == 1 else data
        data = data.rstrip(b"\r\n") if blank else data.strip()
        if data or blank:
            yield FileLine(number, data, ended)


def holds_one_line(stream: io.BufferedReader) -> bool:
    """Whether only one line of the rest is not blank; keeps the position in the file."""
    if not stream.seekable():
        return False
    place, after = stream.tell(), False
    try:
        while chunk := stream.readline(_CHUNK):
            if after and chunk.strip():
                return False
            after = after or chunk.endswith(b"\n")
        return True
    finally:
        stream.seek(place)


def _skip(stream: BinaryIO) -> bool:
    while chunk := stream.readline(_CHUNK):
        if chunk.endswith(b"\n"):
            return True
    return False
