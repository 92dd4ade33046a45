"""Read a file line by line in constant memory, however long a line, whatever the bytes."""

import gzip
import io
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

LINE_LIMIT = 16 * 1024 * 1024
FILE_LIMIT = 256 * 1024 * 1024
_CHUNK = 1024 * 1024
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; `data` is None if it was longer than the limit and skipped."""

    number: int
    data: bytes | None
    ended: bool = True


@contextmanager
def opened(path: Path) -> Generator[io.BufferedReader]:
    """The file's bytes, unpacked if they are gzip."""
    with path.open("rb") as stream:
        if stream.peek(2)[:2] == _GZIP:
            with gzip.GzipFile(fileobj=stream, mode="rb") as unpacked:
                yield io.BufferedReader(cast("io.RawIOBase", unpacked))
        else:
            yield stream


def is_utf16(stream: io.BufferedReader) -> bool:
    """Whether the file begins with the mark of UTF-16."""
    return stream.peek(2)[:2] in _UTF16


def lines(stream: BinaryIO, limit: int = LINE_LIMIT) -> Iterator[Line]:
    """Every line that is not blank, numbered from 1; a byte-order mark is no part of the first.

    >>> [line.data for line in lines(io.BytesIO(b"one\\r\\n\\nfar too long\\ntwo"), limit=5)]
    [b'one', None, b'two']
    """
    number = 0
    while data := stream.readline(limit + 1):
        number += 1
        if len(data) > limit and not data.endswith(b"\n"):
            yield Line(number, None, _skip(stream))
            continue
        ended = data.endswith(b"\n")
        data = data.removeprefix(_BOM).strip() if number == 1 else data.strip()
        if data:
            yield Line(number, data, ended)


def holds_one_line(stream: io.BufferedReader) -> bool:
    """Whether the rest of the file is blank but for one line; the place in the file is kept."""
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
