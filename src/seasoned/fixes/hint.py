"""The hint an agent gets at once when a tool fails and a fix is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seasoned.core.ids import canonical
from seasoned.core.text import without_hidden


@dataclass(frozen=True, slots=True)
class Hint:
    """A known fix for the error just seen; as a string, what to show to the model.

    `params` are the repaired parameters of the failed call, if the fix applies to them; `steps` are
    the calls to make first, as tool and parameters; `swaps` are the words to replace, and by what.

    >>> print(Hint("k3x9", "Use `podman` instead of `docker`.", 0.83, source="episode"))
    Known fix (confidence 0.83): Use `podman` instead of `docker`.
    """

    lesson: str
    text: str
    confidence: float
    params: dict[str, Any] | None = None
    steps: tuple[tuple[str, dict[str, Any]], ...] = ()
    swaps: tuple[tuple[str, str], ...] = ()
    source: str = "operator"
    trigger: str = ""
    similarity: float = 1.0

    def __str__(self) -> str:
        told = self.source in ("operator", "user")
        how = f"told by the {self.source}" if told else f"confidence {self.confidence:.2f}"
        lines = [f"Known fix ({how}): {self.text}"]
        lines += [f"First: {tool} {_shown(params)}" for tool, params in self.steps]
        lines += [f"Try: {_shown(self.params)}"] if self.params is not None else []
        return without_hidden("\n".join(lines))


def _shown(params: Mapping[str, Any]) -> str:
    """Show parameters as JSON, but back slashes as they are: a path must be read, not decoded."""
    return canonical(params).replace("\\\\", "\\")
