"""Epsilon-greedy: usually the arm with the best mean, sometimes a random one."""

from collections.abc import Sequence
from math import inf
from random import Random

from seasoned.bandit.policies.arms import FORGOTTEN, UNTRIED
from seasoned.bandit.policies.policy import Policy, leader, leaders, within


class EpsilonGreedy(Policy):
    """A random arm with probability `epsilon`, else the best mean; untried arms count as best.

    With `decay` d, epsilon shrinks with the number of rewards to epsilon / (1 + d · rewards), but
    not below `least`. Without decay it stays constant and keeps exploring.
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
        """Current value, after decay."""
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
            return f"exploring: a random arm is taken with probability {self.epsilon:.3g}"
        if max(means) == inf:
            return "an untried arm counts as the best"
        return f"it has the best mean; a random arm is taken with probability {self.epsilon:.3g}"
