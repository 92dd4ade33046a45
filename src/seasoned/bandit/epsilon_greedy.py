"""Epsilon-greedy: mostly the arm that earned most, now and then any arm at all."""

from collections.abc import Sequence
from math import inf
from random import Random

from seasoned.bandit.arms import FORGOTTEN, UNTRIED
from seasoned.bandit.policy import Policy, leader, leaders, within


class EpsilonGreedy(Policy):
    """With probability `epsilon` any arm, else the best mean; an untried arm counts as the best.

    With `decay` d, epsilon shrinks as rewards come in: epsilon / (1 + d · rewards), never below
    `least`. Without, it stays, and goes on noticing when the world changes.
    """

    name = "epsilon_greedy"

    def __init__(
        self,
        *,
        epsilon: float = 0.1,
        decay: float = 0.0,
        least: float = 0.0,
        discount: float = 1.0,
        window: int = 0,
        changes: bool = True,
    ) -> None:
        super().__init__(discount=discount, window=window, changes=changes)
        self.start = within("epsilon", epsilon, lambda e: 0 <= e <= 1, "from 0 to 1")
        self.decay = within("decay", decay, lambda d: d >= 0, "0 or more")
        self.least = within("least", least, lambda e: 0 <= e <= 1, "from 0 to 1")
        self.params |= {"epsilon": epsilon, "decay": decay, "least": least}

    @property
    def epsilon(self) -> float:
        """As it is now."""
        if not self.decay:
            return self.start
        return min(self.start, max(self.least, self.start / (1 + self.decay * self.arms.total)))

    def means(self, arms: Sequence[str]) -> list[float]:
        known = self.arms.known
        tried = [known.get(name, UNTRIED) for name in arms]
        return [arm.mean if arm.tries >= FORGOTTEN else inf for arm in tried]

    def pick(self, arms: Sequence[str], rng: Random) -> str:
        if rng.random() < self.epsilon:
            return arms[int(rng.random() * len(arms))]
        return arms[leader(self.means(arms), rng)]

    def probabilities(self, arms: Sequence[str]) -> list[float]:
        best, epsilon = leaders(self.means(arms)), self.epsilon
        any_of, best_of = epsilon / len(arms), (1 - epsilon) / len(best)
        return [any_of + (best_of if place in best else 0.0) for place in range(len(arms))]

    def why(self, arms: Sequence[str], arm: str) -> str:
        means = self.means(arms)
        if arms.index(arm) not in leaders(means):
            return f"it explores: any arm is taken in {self.epsilon:.3g} of the cases"
        if max(means) == inf:
            return "an arm that was not tried counts as the best there is"
        return f"its mean is the best; any arm is taken in {self.epsilon:.3g} of the cases"
