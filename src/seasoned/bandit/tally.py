"""What many calls of one skill or tool come to: a handful of sums, and quantiles of durations."""

from dataclasses import dataclass, field

from seasoned.bandit.call import Call
from seasoned.bandit.quantiles import Quantiles


@dataclass(slots=True)
class Tally:
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
        if call.success is not None or call.duration_ms is not None:
            self.count(call.success, call.duration_ms, at)
        if call.score is not None:
            self.scored += 1
            self.score += call.score

    def count(self, success: bool | None, duration_ms: float | None, at: int) -> None:
        """A call, as far as it is known how it went."""
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
