"""What a check found: fine, a warning, wrong, or a mere fact; and what to do about it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

HIDDEN = "(not shown)"
State = Literal["fine", "warning", "wrong", "info"]

SIGNS: dict[State, tuple[str, str]] = {
    "fine": ("✓", "green"),
    "warning": ("!", "bold yellow"),
    "wrong": ("✗", "bold red"),
    "info": ("·", "dim"),
}


@dataclass(frozen=True, slots=True)
class CheckResult:
    name: str
    state: State
    detail: str
    advice: str = ""

    def without(self, hidden: Iterable[str]) -> "CheckResult":
        """Leave out texts that must not be seen.

        >>> CheckResult("model", "fine", "http://h/x/v1 answers").without(["http://h/x"]).detail
        '(not shown)/v1 answers'
        """
        detail, advice = self.detail, self.advice
        for text in hidden:
            detail, advice = detail.replace(text, HIDDEN), advice.replace(text, HIDDEN)
        return replace(self, detail=detail, advice=advice)

    def shape(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "state": self.state,
            "detail": self.detail,
            "advice": self.advice or None,
        }
