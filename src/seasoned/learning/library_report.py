"""What importing documents came to, in numbers, with what went wrong."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Self


@dataclass(frozen=True, slots=True)
class Problem:
    """A document that could not be imported, and why."""

    name: str
    reason: str


@dataclass(slots=True)
class LibraryReport:
    """What became of the documents, and of their passages."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    passages_added: int = 0
    passages_kept: int = 0
    passages_removed: int = 0
    vanished: list[str] = field(default_factory=list[str])  # known, but no longer there
    problems: list[Problem] = field(default_factory=list[Problem])

    def __iadd__(self, other: "LibraryReport") -> Self:
        for part in fields(self):
            setattr(self, part.name, getattr(self, part.name) + getattr(other, part.name))
        return self

    @property
    def documents(self) -> int:
        """How many were read, whether or not they had changed."""
        return self.added + self.updated + self.unchanged


Progress = Callable[[str, LibraryReport], None]
