"""Thompson sampling: take each arm with its probability of being the best."""

from collections.abc import Callable, Sequence
from math import exp, log, sqrt
from random import Random
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from seasoned.bandit.policies.arms import UNTRIED, Arm
from seasoned.bandit.policies.policy import Policy
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

REWARDS = ("auto", "unit", "any")
# A normal-gamma prior on the scale 0…1, with the weight of one hundredth of a try.
MIDDLE, WORTH, SHAPE, RATE = 0.5, 0.01, 0.5, 0.01
MANY_ARMS = 10  # NumPy draws faster for more
WIDE = 8.0  # standard deviations around the mean that the density is evaluated on
LOG4 = log(4)
SQUEEZE = 1 + log(5)
LARGEST_EXPONENT = 700.0


class Thompson(Policy):
    """Draws a value from the posterior of each arm, and takes the arm with the highest.

    Rewards in 0…1 (`rewards="unit"`): Beta(1 + earned, 1 + missed); a reward between 0 and 1 is a
    fraction of a success. Any others (`"any"`): a normal distribution of unknown mean and
    variance, on the scale of `Arms`. `"auto"` is "unit" until a reward lies outside 0…1.
    """

    name = "thompson"

    def __init__(
        self,
        *,
        rewards: str = "auto",
        discount: float = 1.0,
        window: int = 0,
        changes: bool = True,
    ) -> None:
        super().__init__(discount=discount, window=window, changes=changes)
        if rewards not in REWARDS:
            raise BadInput(f"rewards is {rewards!r}; it must be one of {', '.join(REWARDS)}")
        self.rewards = rewards
        self._draws: WeakKeyDictionary[Random, Generator] = WeakKeyDictionary()
        self.params |= {"rewards": rewards}

    @property
    def is_beta(self) -> bool:
        return self.rewards == "unit" or (self.rewards == "auto" and self.arms.in_unit)

    def learn(self, arm: str, reward: float) -> None:
        if self.rewards == "unit" and not 0 <= reward <= 1:
            raise BadInput(
                f"the reward of {arm!r} is {reward}, and rewards is 'unit'; "
                "give one from 0 to 1, or choose rewards='any'"
            )
        super().learn(arm, reward)

    def pick(self, arms: Sequence[str], rng: Random) -> str:
        known = self.arms.known
        if self.is_beta and len(arms) > MANY_ARMS:
            return arms[self._leader_of_many(arms, rng)]
        if self.is_beta:
            uniform = rng.random
            best, place = -1.0, 0
            for index, name in enumerate(arms):
                arm = known.get(name, UNTRIED)
                earned = arm.tries * arm.mean
                drawn = draw_beta(1 + earned, 1 + arm.tries - earned, uniform)
                if drawn > best:
                    best, place = drawn, index
            return arms[place]
        drawn = [self._draw_normal(known.get(name, UNTRIED), rng) for name in arms]
        return arms[drawn.index(max(drawn))]

    def _leader_of_many(self, arms: Sequence[str], rng: Random) -> int:
        """Draw for all arms at once with NumPy and return the place of the highest."""
        draws = self._draws.get(rng)
        if draws is None:
            from numpy.random import default_rng  # NumPy is late in this file: slow to import

            draws = self._draws[rng] = default_rng(rng.getrandbits(128))
        known = self.arms.known
        tried = [known.get(name, UNTRIED) for name in arms]
        earned = [1 + arm.tries * arm.mean for arm in tried]
        missed = [2 + arm.tries - part for arm, part in zip(tried, earned, strict=True)]
        return int(draws.beta(earned, missed).argmax())

    def _draw_normal(self, arm: Arm, rng: Random) -> float:
        middle, worth, shape, rate = self._normal(arm)
        precision = max(rng.gammavariate(shape, 1 / rate), 1e-300)
        return rng.gauss(middle, 1 / sqrt(worth * precision))

    def _normal(self, arm: Arm) -> tuple[float, float, float, float]:
        """Return the normal-gamma posterior of an arm."""
        width, tries = self.arms.width, arm.tries
        mean, worth = self.arms.scaled(arm.mean) if tries else MIDDLE, WORTH + tries
        rate = RATE + arm.spread / (2 * width * width)
        rate += WORTH * tries * (mean - MIDDLE) ** 2 / (2 * worth)
        return (WORTH * MIDDLE + tries * mean) / worth, worth, SHAPE + tries / 2, rate

    def probabilities(self, arms: Sequence[str]) -> list[float]:
        """Integrate each arm's density times the probability that all others are below."""
        import numpy as np

        known = [self.arms.of(name) for name in arms]
        points, densities = self._betas(known) if self.is_beta else self._normals(known)
        steps = np.diff(points)
        pieces = (densities[:, 1:] + densities[:, :-1]) / 2 * steps
        below = np.concatenate([np.zeros((len(arms), 1)), pieces.cumsum(axis=1)], axis=1)
        whole = below[:, -1:]
        below, densities = below / whole, densities / whole
        chances = np.empty(len(arms))
        for place in range(len(arms)):
            others = np.prod(np.delete(below, place, axis=0), axis=0)
            chances[place] = np.trapezoid(densities[place] * others, points)
        return [float(chance) for chance in chances / chances.sum()]

    def _betas(self, known: Sequence[Arm]) -> "tuple[Numbers, Numbers]":
        import numpy as np

        earned = np.array([max(0.0, arm.tries * arm.mean) for arm in known])
        tries = np.array([arm.tries for arm in known])
        a, b = 1 + earned, 1 + np.maximum(0.0, tries - earned)
        mean, deviation = a / (a + b), np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))
        points = _points(mean, deviation, 0.0, 1.0)
        logs = (a - 1)[:, None] * np.log(points) + (b - 1)[:, None] * np.log1p(-points)
        return points, np.exp(logs - logs.max(axis=1, keepdims=True))

    def _normals(self, known: Sequence[Arm]) -> "tuple[Numbers, Numbers]":
        """Return Student densities of the means; their tails are wide after few tries."""
        import numpy as np

        parts = np.array([self._normal(arm) for arm in known])
        middle, worth, shape, rate = (column[:, None] for column in parts.T)
        deviation = np.sqrt(rate / (shape * worth))
        low, high = float(middle.min()), float(middle.max())
        far = 1000 * float(deviation.max())
        points = _points(middle[:, 0], deviation[:, 0], low - far, high + far)
        away = (points - middle) / deviation
        logs = -(shape + 0.5) * np.log1p(away * away / (2 * shape))
        return points, np.exp(logs - logs.max(axis=1, keepdims=True))

    def why(self, arms: Sequence[str], arm: str) -> str:
        chances = sorted(zip(self.probabilities(arms), arms, strict=True), reverse=True)[:3]
        likely = ", ".join(f"{name!r} {chance:.1%}" for chance, name in chances)
        return f"most likely to be the best: {likely}"


def draw_beta(a: float, b: float, uniform: Callable[[], float]) -> float:
    """Draw one value of Beta(a, b) with a, b ≥ 1 (Cheng, 1978); `uniform` is `Random.random`.

    >>> from random import Random
    >>> rng = Random(0)
    >>> mean = sum(draw_beta(30, 10, rng.random) for _ in range(2000)) / 2000
    >>> 0.74 < mean < 0.76
    True
    """
    if a <= 1.0:
        return 1 - (1 - uniform()) ** (1 / b)
    if b <= 1.0:
        return (1 - uniform()) ** (1 / a)
    small, large = (a, b) if a < b else (b, a)
    both = a + b
    steep = sqrt((both - 2) / (2 * a * b - both))
    lean = small + 1 / steep
    while True:
        one, other = uniform(), uniform()
        if not (one and other):
            continue  # once in 10^16: log(0)
        odds = steep * log(one / (1 - one))
        weight = small * exp(min(odds, LARGEST_EXPONENT))
        product = one * one * other
        bend = lean * odds - LOG4
        gap = small + bend - weight
        if gap + SQUEEZE >= 5 * product or gap >= (log_product := log(product)):
            break
        if bend + both * log(both / (large + weight)) >= log_product:
            break
    return (weight if small == a else large) / (large + weight)


def _points(mean: "Numbers", deviation: "Numbers", low: float, high: float) -> "Numbers":
    """Return grid points: dense where any arm's density is high, sparse elsewhere."""
    import numpy as np

    near = (mean[:, None] + deviation[:, None] * np.linspace(-WIDE, WIDE, 81)).ravel()
    reach = np.geomspace(WIDE, max(2 * WIDE, (high - low) / float(deviation.min())), 60)
    tails = np.concatenate(
        [mean.min() - reach * deviation.max(), mean.max() + reach * deviation.max()]
    )
    every = np.concatenate([near, tails, np.linspace(low, high, 129)])
    inside = every[(every > low) & (every < high)]
    edge = (high - low) * 1e-9
    return np.unique(np.concatenate([[low + edge], inside, [high - edge]]))
