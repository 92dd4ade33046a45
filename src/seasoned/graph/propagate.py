"""Passes a share of a change of confidence on to neighbours, never more than they can bear.

When a fix's confidence changes by `delta`, the fix of a similar error moves the same way by

    rate × similarity × delta

one step far and no further. It moves by fractional counts: as many as take its confidence there.
These are borrowed. Confidence is a count of what worked and what failed, so the bounds are counts
too: what a fix has borrowed, all in all, never outweighs what it has seen itself, that is its own
evidence beyond the prior. A fix that has seen one success can borrow at most one count; one that
was never tried can borrow nothing.

What was borrowed one way is given back before anything is borrowed the other way, so a fix that
was raised and then lowered by the same amount is where it was.
"""

import math
from dataclasses import dataclass

LEAST = 1e-3  # a smaller change of confidence is not worth a line in anyone's explanation


@dataclass(frozen=True, slots=True)
class Standing:
    """How a fix stands: its own counts, how much of them it has `seen`, and what it has borrowed.

    `worked` and `failed` include the prior and leave out what is borrowed; `borrowed` is above
    zero when it speaks for the fix, below zero when against it.

    >>> Standing(worked=2, failed=1, seen=1).confidence, Standing(2, 1, 1, borrowed=1).confidence
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
        """What worked and what failed, with what is borrowed."""
        return self.worked + max(self.borrowed, 0.0), self.failed + max(-self.borrowed, 0.0)

    @property
    def surplus(self) -> float:
        """What it has borrowed beyond what it has seen by now, for or against."""
        return math.copysign(max(0.0, abs(self.borrowed) - max(0.0, self.seen)), self.borrowed)


def share(delta: float, similarity: float, rate: float) -> float:
    """The part of a change that reaches a neighbour.

    >>> share(0.25, similarity=0.8, rate=0.3)
    0.06
    """
    return rate * similarity * delta


def moved(standing: Standing, by: float) -> Standing:
    """The standing after its confidence has moved by so much, as far as it can bear.

    A fix that worked once (2 : 1 with its prior) takes 0.02 as a fifth of a count:

    >>> round(moved(Standing(2, 1, seen=1), 0.02).borrowed, 3)
    0.191
    >>> moved(Standing(2, 1, seen=1), 0.5).confidence  # one count, and no more
    0.75
    """
    if not by:
        return standing
    wanted = _borrowed_for(standing, standing.confidence + by)
    most = max(standing.seen, 0.0)
    # What it has borrowed before stays its own affair: more is not lent, and none is taken away.
    upper, lower = max(most, standing.borrowed), min(-most, standing.borrowed)
    towards = max(wanted, standing.borrowed) if by > 0 else min(wanted, standing.borrowed)
    borrowed = min(max(towards, lower), upper)
    return Standing(standing.worked, standing.failed, standing.seen, borrowed)


def _borrowed_for(standing: Standing, confidence: float) -> float:
    """What must be borrowed, in all, to have this confidence; without end where none will do."""
    worked, failed = standing.worked, standing.failed
    own = worked + failed
    if confidence >= (worked / own if own else 0.0):
        return (confidence * own - worked) / (1 - confidence) if confidence < 1 else math.inf
    return own - worked / confidence if confidence > 0 else -math.inf
