"""What an agent is told at once when a tool fails and a fix for it is known."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Hint:
    """A known fix for the error just seen.

    `params` is the failed call as the fix would have it, when the fix can be carried over;
    `steps` are the calls to make first, as tool and parameters.

    >>> print(Hint("k3x9", "Use `podman` instead of `docker`.", 0.83, source="episode"))
    Known fix (confidence 0.83): Use `podman` instead of `docker`.
    """

    lesson: str
    text: str
    confidence: float
    params: dict[str, Any] | None = None
    steps: tuple[tuple[str, dict[str, Any]], ...] = ()
    source: str = "operator"
    trigger: str = ""
    similarity: float = 1.0

    def __str__(self) -> str:
        if self.source in ("operator", "user"):
            return f"Known fix (told by the {self.source}): {self.text}"
        return f"Known fix (confidence {self.confidence:.2f}): {self.text}"
