"""Fixtures that write a transcript to a temporary directory."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def jsonl(tmp_path: Path) -> Write:
    """Return a function that writes records, one per line."""

    def write(records: Iterable[Any], name: str = "t.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


@pytest.fixture
def raw(tmp_path: Path) -> Write:
    """Return a function that writes bytes unchanged."""

    def write(data: bytes, name: str = "t.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write
