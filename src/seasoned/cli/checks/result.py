"""What a check found: fine, a warning, wrong, or a mere fact; and what to do about it."""

from dataclasses import dataclass
from typing import Any, Literal

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

    def shape(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "state": self.state,
            "detail": self.detail,
            "advice": self.advice or None,
        }
