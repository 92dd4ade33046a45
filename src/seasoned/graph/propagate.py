"""Propagate a change of confidence to the fixes of similar errors, within bounds.

When a fix's confidence changes by `delta`, the fix of a similar error moves the same way by

    rate × similarity × delta

one step far and no further. It borrows as many fractional counts as move its confidence there.
Confidence is made of counts (worked, failed), so the bound is a count too: a fix never borrows more
than it has seen itself, beyond the prior. A fix with one success can borrow at most one count; one
that was never tried can borrow nothing.

Counts borrowed in one direction are returned before any are borrowed in the other, so a fix that
was raised and then lowered by the same amount is back where it was.
"""

import math
from dataclasses import dataclass

LEAST = 1e-3  # a smaller change of confidence is not worth explaining


@dataclass(frozen=True, slots=True)
class FixCounts:
    """A fix's own counts, how many of them are evidence (`seen`), and how many are borrowed.

    `worked` and `failed` include the prior and exclude `borrowed`, which is positive if it speaks
    for the fix and negative if against it.

    >>> FixCounts(worked=2, failed=1, seen=1).confidence, FixCounts(2, 1, 1, borrowed=1).confidence
    (0.6666666666666666, 0.75)
    """

    worked: float
    failed: float
    seen: float
    borrowed: float = 0.0

    @property
    def confidence(self) -> float:
        together = self.worked + self.failed + abs(self.borrowed)
        return (self.worked + max(self.borrowed, 0.0)) / together if together else 0.0

    @property
    def counts(self) -> tuple[float, float]:
        """Return worked and failed, including what is borrowed."""
        return self.worked + max(self.borrowed, 0.0), self.failed + max(-self.borrowed, 0.0)

    @property
    def surplus(self) -> float:
        """Return what it has borrowed beyond what it has seen, for or against."""
        return math.copysign(max(0.0, abs(self.borrowed) - max(0.0, self.seen)), self.borrowed)


def share(delta: float, similarity: float, rate: float) -> float:
    """Return the part of a change that reaches a neighbour.

    >>> share(0.25, similarity=0.8, rate=0.3)
    0.06
    """
    return rate * similarity * delta


def move_confidence(fix: FixCounts, by: float) -> FixCounts:
    """Move a fix's confidence by borrowing, as far as its bound allows.

    A fix that worked once (2 : 1 with its prior) takes 0.02 as a fifth of a count:

    >>> round(move_confidence(FixCounts(2, 1, seen=1), 0.02).borrowed, 3)
    0.191
    >>> move_confidence(FixCounts(2, 1, seen=1), 0.5).confidence  # one count, and no more
    0.75
    """
    if not by:
        return fix
    wanted = _borrowed_for(fix, fix.confidence + by)
    most = max(fix.seen, 0.0)
    # Beyond the bound it borrows no more, but keeps what it borrowed before.
    upper, lower = max(most, fix.borrowed), min(-most, fix.borrowed)
    towards = max(wanted, fix.borrowed) if by > 0 else min(wanted, fix.borrowed)
    borrowed = min(max(towards, lower), upper)
    return FixCounts(fix.worked, fix.failed, fix.seen, borrowed)


def _borrowed_for(fix: FixCounts, confidence: float) -> float:
    """Return what must be borrowed in all to reach a confidence; infinite if impossible."""
    worked, failed = fix.worked, fix.failed
    own = worked + failed
    if confidence >= (worked / own if own else 0.0):
        return (confidence * own - worked) / (1 - confidence) if confidence < 1 else math.inf
    return own - worked / confidence if confidence > 0 else -math.inf
