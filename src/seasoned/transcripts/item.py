"""What a transcript yields, whatever its format: calls that finished, things said, and problems."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seasoned.core.messages import Message
from seasoned.core.tool_result import ToolResult


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not be used; `line` is 0 when it is about the whole file.

    >>> print(Problem(Path("a.jsonl"), 7, "not valid JSON"))
    a.jsonl:7: not valid JSON
    """

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: {self.reason}"
            if self.line
            else f"{self.path}: {self.reason}"
        )


Item = ToolResult | Message | Problem


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of a file: a line of JSONL, or an element of a whole-file array."""

    line: int
    value: Any


@dataclass(frozen=True, slots=True)
class Source:
    """Where the records of one reading come from.

    `opening` is a digest of the first records: the name of a session that does not name itself.
    It does not depend on the path, so a copied file is the same session.
    """

    path: Path
    opening: str

    def problem(self, line: int, reason: str) -> Problem:
        return Problem(self.path, line, reason)
