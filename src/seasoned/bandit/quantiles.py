"""Quantiles of a stream in bounded memory: counts in buckets that grow by a constant factor.

This is a DDSketch (Masson, Rim, Lee, 2019): a bucket spans 2 %, so a quantile is accurate within
1 %. Values more than a factor of 28,000 below the largest share the lowest bucket.
"""

from collections.abc import Iterable, Mapping
from math import ceil, exp, inf, log
from typing import Any, Self

from seasoned.core.errors import BadInput

ACCURACY = 0.01  # relative error of a quantile
GROWTH = (1 + ACCURACY) / (1 - ACCURACY)
MOST_BUCKETS = 512
SMALLEST = 1e-9  # smaller values count as zero
_LOG_GROWTH = log(GROWTH)


class Quantiles:
    """A mergeable sketch: merging two is the same as adding the values of both.

    >>> sketch = Quantiles(range(1, 1001))
    >>> 940 < sketch.quantile(0.95) < 960
    True
    """

    __slots__ = ("count", "counts", "zeros")

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.counts: dict[int, int] = {}
        self.zeros = 0
        self.count = 0
        for value in values:
            self.add(value)

    def add(self, value: float) -> None:
        """Count a value of 0 or more."""
        if not 0 <= value < inf:
            raise BadInput(f"a value of {value} has no place here; give a number, 0 or more")
        self.count += 1
        if value < SMALLEST:
            self.zeros += 1
            return
        bucket = ceil(log(value) / _LOG_GROWTH)
        counts = self.counts
        counts[bucket] = counts.get(bucket, 0) + 1
        if len(counts) > MOST_BUCKETS:
            self._collapse()

    def merge(self, other: Self) -> None:
        self.count += other.count
        self.zeros += other.zeros
        for bucket, count in other.counts.items():
            self.counts[bucket] = self.counts.get(bucket, 0) + count
        self._collapse()

    def quantile(self, share: float) -> float | None:
        """Return the smallest value that this share of all values does not exceed, within 1 %.

        None if there are no values.
        """
        if not 0 <= share <= 1:
            raise BadInput(f"a quantile of {share}; give a share from 0 to 1")
        if not self.count:
            return None
        self._collapse()
        rank = max(0, ceil(share * self.count) - 1)
        passed = self.zeros
        if rank < passed:
            return 0.0
        for bucket in sorted(self.counts):
            passed += self.counts[bucket]
            if rank < passed:
                break
        else:
            return 0.0
        return 2 * exp(bucket * _LOG_GROWTH) / (1 + GROWTH)

    def state(self) -> dict[str, Any]:
        """Return the sketch as JSON."""
        self._collapse()
        return {"zeros": self.zeros, "counts": {str(b): n for b, n in sorted(self.counts.items())}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        sketch = cls()
        counts: Mapping[str, int] = state.get("counts", {})
        sketch.zeros = int(state.get("zeros", 0))
        sketch.counts = {int(bucket): count for bucket, count in counts.items()}
        sketch.count = sketch.zeros + sum(sketch.counts.values())
        return sketch

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantiles):
            return NotImplemented
        return self.state() == other.state()

    __hash__ = None  # pyright: ignore[reportAssignmentType] - mutable

    def _collapse(self) -> None:
        """Move counts too far below the largest bucket into the lowest one.

        The limit depends on the largest bucket alone, so the order of adding and merging does
        not matter.
        """
        if not self.counts:
            return
        lowest = max(self.counts) - MOST_BUCKETS + 1
        below = [bucket for bucket in self.counts if bucket < lowest]
        if below:
            count = sum(self.counts.pop(bucket) for bucket in below)
            self.counts[lowest] = self.counts.get(lowest, 0) + count
