"""The items every transcript format yields: origins of sessions, calls, messages, problems."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seasoned.core.messages import Message, ToolResult


@dataclass(frozen=True, slots=True)
class TranscriptProblem:
    """A part of a file that could not be used; line 0 stands for the whole file.

    >>> print(TranscriptProblem(Path("a.jsonl"), 7, "not valid JSON"))
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


@dataclass(frozen=True, slots=True)
class SessionOrigin:
    """Where a session took place and with whom, as far as its records tell.

    It comes before the other items of the session, and again if a record says otherwise later.
    `personal` marks the sessions of a coding assistant: its user is the person at the machine.
    """

    session: str
    folder: str = ""  # its working directory
    in_repository: bool = False  # the records show that the folder is under version control
    project: str = ""  # a name that the records give it
    user: str = ""
    personal: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something in a sound file that teaches nothing.

    >>> print(LeftOut(Path("a.jsonl"), "without a result", 3, "call"))
    a.jsonl: 3 calls without a result
    """

    path: Path
    reason: str
    count: int = 0  # 0 if the reason speaks of the whole file
    thing: str = ""  # that is counted, in the singular

    def __str__(self) -> str:
        return f"{self.path}: {counted(self.count, self.thing)}{self.reason}"


def counted(count: int, thing: str) -> str:
    """Return a number of things, and a space; nothing for a whole file.

    >>> counted(2, "call"), counted(1, "call"), counted(0, "")
    ('2 calls ', '1 call ', '')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'} " if thing else ""


Item = ToolResult | Message | SessionOrigin | TranscriptProblem | LeftOut


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of a file: a line of JSONL, or an element of a top-level array."""

    line: int
    value: Any


@dataclass(slots=True)
class Tally:
    """Counts of one file, so that the reader can say what it could not use."""

    calls: int = 0
    answered: int = 0
    strays: int = 0  # answers whose call is not in the file
    # Other things that teach nothing: the thing and the reason.
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """The file that records come from.

    `opening` is a digest of the first records. It names a session that has no id of its own, and
    does not depend on the path, so a copied file is the same session.
    """

    path: Path
    opening: str
    tally: Tally = field(default_factory=Tally, compare=False)

    def problem(self, line: int, reason: str) -> TranscriptProblem:
        return TranscriptProblem(self.path, line, reason)
