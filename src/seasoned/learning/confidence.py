"""How far a lesson is believed: a count of what worked and what failed, with a prior by source."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Belief:
    """Two pseudo-counts; the confidence is their mean.

    >>> Belief(9, 1).confidence
    0.9
    """

    worked: float
    failed: float

    @property
    def confidence(self) -> float:
        together = self.worked + self.failed
        return self.worked / together if together else 0.0

    def credited(self, worked: float = 1.0) -> "Belief":
        return Belief(self.worked + worked, self.failed)

    def debited(self, failed: float = 1.0) -> "Belief":
        return Belief(self.worked, self.failed + failed)


# What a lesson starts with, by who says so.
PRIORS = {
    "operator": Belief(9, 1),
    "user": Belief(9, 1),
    "episode": Belief(1, 1),
    "model_high": Belief(7, 3),
    "model_medium": Belief(1, 1),
    "model_low": Belief(3, 7),
}
