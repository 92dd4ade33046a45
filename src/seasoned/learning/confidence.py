"""How far a lesson is believed: a count of what worked and what failed, with a prior by source."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Belief:
    """Two pseudo-counts; the confidence is their mean.

    >>> Belief(9, 1).confidence, Belief(1, 1).plus(worked=2).confidence
    (0.9, 0.75)
    """

    worked: float
    failed: float

    @property
    def confidence(self) -> float:
        together = self.worked + self.failed
        return self.worked / together if together else 0.0

    def plus(self, worked: float = 0, failed: float = 0) -> "Belief":
        return Belief(self.worked + worked, self.failed + failed)


PRIOR = "prior of what is derived from an episode"  # as evidence says it

# What a lesson starts with, by who says so.
PRIORS = {
    "operator": Belief(9, 1),
    "user": Belief(9, 1),
    "episode": Belief(1, 1),
    "model_high": Belief(7, 3),
    "model_medium": Belief(1, 1),
    "model_low": Belief(3, 7),
    "document": Belief(7, 3),
}
