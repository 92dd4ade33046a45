"""Read a transcript and pick what a test looks at."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seasoned.core.messages import Message, ToolResult
from seasoned.fixes.failure import failure_of, stop_of
from seasoned.transcripts.item import LeftOut, SessionOrigin, TranscriptProblem
from seasoned.transcripts.reader import read


def calls(path: Path) -> list[ToolResult]:
    return [item for item in read(path) if isinstance(item, ToolResult)]


def outcomes(path: Path) -> dict[str, str]:
    """Return for each command or path that was called with how it ended."""
    return {
        _subject(call): stop_of(call) or ("failed" if call.error else "ok") for call in calls(path)
    }


def _subject(call: ToolResult) -> str:
    return str(next(iter(call.params.values()), call.tool))


def learnable(path: Path) -> list[object]:
    """Return the items that do not name the file."""
    return [item for item in read(path) if not isinstance(item, LeftOut | TranscriptProblem)]


def failures(path: Path) -> int:
    return sum(failure_of(call) is not None for call in calls(path))


def said(path: Path, role: str = "user") -> list[str]:
    return [item.text for item in read(path) if isinstance(item, Message) and item.role == role]


def folders(path: Path) -> set[str]:
    return {item.folder for item in read(path) if isinstance(item, SessionOrigin)}


def left_out(path: Path) -> dict[str, int]:
    return {item.reason: item.count for item in read(path) if isinstance(item, LeftOut)}


def problems(path: Path) -> list[str]:
    return [item.reason for item in read(path) if isinstance(item, TranscriptProblem)]


def document(folder: Path, value: Any, name: str = "t.json") -> Path:
    """Write a JSON document."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def lines(folder: Path, records: Sequence[Mapping[str, Any]], name: str = "t.jsonl") -> Path:
    """Write a record on each line."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path
