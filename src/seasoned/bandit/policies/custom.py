"""User-defined strategies, registered in process."""

from collections.abc import Callable, Sequence
from math import inf
from random import Random

from seasoned.bandit.policies.arms import FORGOTTEN, Arm
from seasoned.bandit.policies.policy import Policy, leader, leaders
from seasoned.core.errors import BadInput

RESERVED = ("custom",)

registered: dict[str, type[Policy]] = {}

Score = Callable[[Arm, float], float]


def register_strategy(name: str, strategy: type[Policy]) -> None:
    """Register a strategy under a name in this process; it replaces an earlier one."""
    name = name.strip().lower()
    if not name or name in RESERVED:
        raise BadInput(f"a strategy cannot be called {name!r}; give it a name of its own")
    if not (isinstance(strategy, type) and issubclass(strategy, Policy)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"strategy {name!r} is {strategy!r}; give a subclass of Policy")
    registered[name] = strategy


class Scored(Policy):
    """A strategy given by one formula: takes the arm with the highest score, untried arms first.

    >>> from random import Random
    >>> class Cautious(Scored):
    ...     name = "cautious"
    ...     def score(self, arm, total):
    ...         return arm.mean - (arm.variance / arm.tries) ** 0.5
    >>> policy = Cautious()
    >>> for reward in (1.0, 0.0, 1.0, 0.6): policy.learn("bold", reward)
    >>> for reward in (0.6, 0.6): policy.learn("calm", reward)
    >>> policy.choose(["bold", "calm"], Random(0)).arm
    'calm'
    """

    name = "scored"

    def score(self, arm: Arm, total: float) -> float:
        """Return the score of an arm after `total` tries of all arms."""
        raise NotImplementedError(f"{type(self).__name__} has no score(arm, total)")

    def scores(self, arms: Sequence[str]) -> list[float]:
        tried = [self.arms.of(name) for name in arms]
        total = self.arms.total
        return [self.score(arm, total) if arm.tries >= FORGOTTEN else inf for arm in tried]

    def pick(self, arms: Sequence[str], rng: Random) -> str:
        return arms[leader(self.scores(arms), rng)]

    def probabilities(self, arms: Sequence[str]) -> list[float]:
        best = leaders(self.scores(arms))
        return [1 / len(best) if place in best else 0.0 for place in range(len(arms))]

    def why(self, arms: Sequence[str], arm: str) -> str:
        score = self.scores(arms)[arms.index(arm)]
        if score == inf:
            return "each arm is tried once first"
        return f"{self.name} gives it the highest score, {score:.4g}"
