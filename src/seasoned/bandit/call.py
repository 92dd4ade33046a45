"""One call of a skill or a tool, as far as it says how well that performs."""

from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args

from seasoned.core.errors import BadInput

Kind = Literal["skill", "tool"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Call:
    """`success` None with no duration is no call, only a score for an earlier one."""

    kind: Kind
    name: str
    success: bool | None = None
    duration_ms: float | None = None
    score: float | None = None
    at: int = 0  # microseconds since 1970; 0 for "now"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadInput(f"kind is {self.kind!r}; it must be one of {', '.join(KINDS)}")
        if not self.name:
            raise BadInput(f"a call of a {self.kind} needs its name")
        if self.duration_ms is not None and not 0 <= self.duration_ms < float("inf"):
            raise BadInput(
                f"the duration of {self.name!r} is {self.duration_ms} ms; give a number, 0 or more"
            )
        if self.score is not None and not isfinite(self.score):
            raise BadInput(f"the score of {self.name!r} is {self.score}; give a number")
