"""Softmax (Boltzmann): the higher an arm's mean, the more often it is taken."""

from collections.abc import Sequence
from itertools import accumulate
from math import exp
from random import Random

from seasoned.bandit.policies.arms import FORGOTTEN, UNTRIED
from seasoned.bandit.policies.policy import Policy, within


class Softmax(Policy):
    """An arm's probability is proportional to exp(mean / temperature); untried arms come first.

    Each arm gets one extra reward in the middle of the scale, so that bad luck at the first try
    does not exclude it for good.

    Means are on the scale 0…1 (see `Arms`). Two arms one temperature apart are taken in a ratio
    of 2.7 to 1. With `decay` d the temperature falls with the number of rewards to
    temperature / (1 + d · rewards), but not below `least`.
    """

    name = "softmax"

    def __init__(
        self,
        *,
        temperature: float = 0.1,
        decay: float = 0.005,
        least: float = 0.01,
        discount: float = 1.0,
        window: int = 0,
        changes: bool = True,
    ) -> None:
        super().__init__(discount=discount, window=window, changes=changes)
        self.start = within("temperature", temperature, lambda t: t > 0, "above 0")
        self.decay = within("decay", decay, lambda d: d >= 0, "0 or more")
        self.least = within("least", least, lambda t: t > 0, "above 0")
        self.params |= {"temperature": temperature, "decay": decay, "least": least}

    @property
    def temperature(self) -> float:
        """Current value, after decay."""
        cooled = self.start / (1 + self.decay * self.arms.total)
        return min(self.start, max(self.least, cooled))

    def weights(self, arms: Sequence[str]) -> list[float]:
        """Return the weight of each arm; they don't sum to 1."""
        known = self.arms.known
        tried = [known.get(name, UNTRIED) for name in arms]
        if any(arm.tries < FORGOTTEN for arm in tried):
            return [1.0 if arm.tries < FORGOTTEN else 0.0 for arm in tried]
        middle = self.arms.floor + self.arms.width / 2
        values = [(arm.tries * arm.mean + middle) / (arm.tries + 1) for arm in tried]
        best, steep = max(values), 1 / (self.arms.width * self.temperature)
        return [exp((value - best) * steep) for value in values]

    def pick(self, arms: Sequence[str], rng: Random) -> str:
        sums = list(accumulate(self.weights(arms)))
        point = rng.random() * sums[-1]
        return arms[next(place for place, sum_ in enumerate(sums) if point < sum_)]

    def probabilities(self, arms: Sequence[str]) -> list[float]:
        weights = self.weights(arms)
        whole = sum(weights)
        return [weight / whole for weight in weights]

    def why(self, arms: Sequence[str], arm: str) -> str:
        untried = sum(self.arms.of(name).tries < FORGOTTEN for name in arms)
        if untried:
            return f"each arm is tried once first; {untried} of {len(arms)} are untried"
        chances = sorted(zip(self.probabilities(arms), arms, strict=True), reverse=True)[:3]
        likely = ", ".join(f"{name!r} {chance:.1%}" for chance, name in chances)
        return f"at temperature {self.temperature:.3g}, the most likely are {likely}"
