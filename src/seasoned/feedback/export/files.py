"""Write rows as JSON lines or Parquet; the file appears complete or not at all."""

import hashlib
import json
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, Self

from seasoned.core.errors import BadInput
from seasoned.core.extras import missing_extra
from seasoned.core.ids import new_id
from seasoned.core.private_files import create_private
from seasoned.feedback.export.rows import Row, Type

# Some readers end a line at these characters; JSON does not.
LINE_ENDS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}
GROUP_ROWS, GROUP_CHARACTERS = 5000, 8_000_000  # of a row group, which is held in memory
SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".parquet": "parquet"}


class Writer(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def write(self, row: Row) -> None: ...


class JsonLines:
    def __init__(self, path: Path, columns: Mapping[str, Type]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def write(self, row: Row) -> None:
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        self._file.write(line.translate(LINE_ENDS) + "\n")


class Parquet:
    """Needs the extra `export`."""

    def __init__(self, path: Path, columns: Mapping[str, Type]) -> None:
        self._arrow, parquet = _arrow()
        types = {
            "text": self._arrow.string(),
            "number": self._arrow.float64(),
            "truth": self._arrow.bool_(),
            "messages": self._arrow.list_(
                self._arrow.struct(
                    [("role", self._arrow.string()), ("content", self._arrow.string())]
                )
            ),
        }
        self._schema = self._arrow.schema([(name, types[kind]) for name, kind in columns.items()])
        self._file = parquet.ParquetWriter(str(path), self._schema, compression="zstd")
        self._rows: list[Row] = []
        self._characters = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if not any(error):
            self._flush()
        self._file.close()

    def write(self, row: Row) -> None:
        self._rows.append(row)
        self._characters += sum(len(str(value)) for value in row.values())
        if len(self._rows) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._file.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._characters = [], 0


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # late: an optional extra  # pyright: ignore[reportMissingImports]
        import pyarrow.parquet  # pyright: ignore[reportMissingImports]
    except ImportError as missing:
        otherwise = "or write JSON lines, which need nothing"
        raise missing_extra("export", "Parquet needs pyarrow", otherwise) from missing
    return pyarrow, pyarrow.parquet


WRITERS: dict[str, Callable[[Path, Mapping[str, Type]], Writer]] = {
    "jsonl": JsonLines,
    "parquet": Parquet,
}


def format_of(path: Path, named: str | None) -> str:
    """Return the named format, else the one of the file's suffix.

    >>> format_of(Path("pairs.parquet"), None), format_of(Path("pairs.data"), "jsonl")
    ('parquet', 'jsonl')
    """
    chosen = named or SUFFIXES.get(path.suffix.lower())
    if chosen not in WRITERS:
        given = f"the format is {named!r}" if named else f"{path.name} names no format"
        raise BadInput(f"{given}; it must be one of {', '.join(WRITERS)}")
    return chosen


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Yield a temporary file; it replaces `path` on success and is removed on failure."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    temporary = path.with_name(f".{path.name}.{new_id()}.tmp")
    create_private(temporary)
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    except OSError as error:
        raise BadInput(
            f"cannot write {path} ({error.strerror or error}); name a place that you may write"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
