"""Calls of skills and tools, and the sums in which they are kept."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from seasoned.bandit.quantiles import Quantiles
from seasoned.core.errors import BadInput
from seasoned.core.limits import (
    LARGEST_REWARD,
    LATEST,
    LONGEST_DURATION_MS,
    is_within,
    shown,
)

Kind = Literal["skill", "tool"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a skill or tool.

    Without `success` and `duration_ms` it only scores an earlier call, unless it is `counted`.
    """

    kind: Kind
    name: str
    success: bool | None = None
    duration_ms: float | None = None
    score: float | None = None
    at: int = 0  # microseconds since 1970; 0 for "now"
    counted: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadInput(f"kind is {self.kind!r}; it must be one of {', '.join(KINDS)}")
        if not self.name:
            raise BadInput(f"a call of a {self.kind} needs its name")
        took, score = self.duration_ms, self.score
        if took is not None and not is_within(took, 0, LONGEST_DURATION_MS):
            raise BadInput(
                f"the duration of {self.name!r} is {shown(took)} ms; give a number, 0 or more, "
                "and less than a year"
            )
        if score is not None and not is_within(score, -LARGEST_REWARD, LARGEST_REWARD):
            raise BadInput(f"the score of {self.name!r} is {shown(score)}; give a number")
        if not is_within(self.at, 0, LATEST):
            raise BadInput(f"the time of a call of {self.name!r} is {shown(self.at)}")


@dataclass(slots=True)
class Tally:
    """Sums over the calls of one skill or tool, and the quantiles of their durations."""

    calls: int = 0
    succeeded: int = 0
    failed: int = 0
    timed: int = 0
    duration_ms: float = 0.0
    scored: int = 0
    score: float = 0.0
    last_called_at: int = 0
    durations: Quantiles = field(default_factory=Quantiles)

    def add(self, call: Call, at: int) -> None:
        if call.counted or call.success is not None or call.duration_ms is not None:
            self.count(call.success, call.duration_ms, at)
        if call.score is not None:
            self.scored += 1
            self.score += call.score

    def count(self, success: bool | None, duration_ms: float | None, at: int) -> None:
        """Count one call; its outcome and duration may be unknown."""
        self.calls += 1
        self.last_called_at = max(self.last_called_at, at)
        if success:
            self.succeeded += 1
        elif success is not None:
            self.failed += 1
        if duration_ms is not None:
            self.timed += 1
            self.duration_ms += duration_ms
            self.durations.add(duration_ms)

    def merge(self, other: "Tally") -> None:
        self.calls += other.calls
        self.succeeded += other.succeeded
        self.failed += other.failed
        self.timed += other.timed
        self.duration_ms += other.duration_ms
        self.scored += other.scored
        self.score += other.score
        self.last_called_at = max(self.last_called_at, other.last_called_at)
        self.durations.merge(other.durations)
