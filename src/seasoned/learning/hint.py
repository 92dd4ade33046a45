"""What an agent is told at once when a tool fails and a fix for it is known."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Hint:
    """A known fix for the error just seen.

    `params` is the failed call as the fix would have it, when the fix can be carried over.

    >>> print(Hint("k3x9", "Use `podman` instead of `docker`.", 0.83, None, "episode", 5, "…", 1.0))
    Known fix (confidence 0.83, worked 5 times): Use `podman` instead of `docker`.
    """

    lesson: str
    text: str
    confidence: float
    params: dict[str, Any] | None
    source: str
    worked: int
    trigger: str
    similarity: float

    def __str__(self) -> str:
        if self.source in ("operator", "user"):
            return f"Known fix (told by the {self.source}): {self.text}"
        times = "once" if self.worked == 1 else f"{self.worked} times"
        return f"Known fix (confidence {self.confidence:.2f}, worked {times}): {self.text}"
