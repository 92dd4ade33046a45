"""Ways to write a transcript into a temporary directory."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def jsonl(tmp_path: Path) -> Write:
    """Write records one a line."""

    def write(records: Iterable[Any], name: str = "t.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


@pytest.fixture
def raw(tmp_path: Path) -> Write:
    """Write bytes as they are."""

    def write(data: bytes, name: str = "t.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write
