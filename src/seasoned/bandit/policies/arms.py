"""Statistics of each arm: tries, mean and spread, with or without forgetting."""

from collections import deque
from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from seasoned.core.errors import BadInput
from seasoned.core.limits import LARGEST_REWARD, is_within, shown

FORGOTTEN = 1e-3  # an arm with fewer tries after discounting counts as untried

# Change detection compares an arm's latest rewards with all before them.
BLOCK = 32  # most rewards that count as the latest ones
CHECK_EVERY = 8  # rewards of an arm
LEAST_BEFORE = 10
CAUTION = 4.0  # added to ln(rewards), so that many checks raise no more false alarms


class Arm:
    """Number of tries, mean, sum of squared deviations; and the sum of the latest rewards."""

    __slots__ = ("latest", "latest_sum", "mean", "spread", "tries")

    def __init__(
        self,
        tries: float = 0.0,
        mean: float = 0.0,
        spread: float = 0.0,
        latest: int = 0,
        latest_sum: float = 0.0,
    ) -> None:
        self.tries = tries
        self.mean = mean
        self.spread = spread
        self.latest = latest
        self.latest_sum = latest_sum

    @property
    def variance(self) -> float:
        return self.spread / self.tries if self.tries > 0 else 0.0

    def add(self, reward: float) -> None:
        self.tries += 1
        before = reward - self.mean
        self.mean += before / self.tries
        self.spread += before * (reward - self.mean)

    def drop(self, reward: float) -> None:
        """Remove a reward that was added before."""
        self.tries -= 1
        if self.tries < 0.5:
            self.tries = self.mean = self.spread = 0.0
            return
        before = reward - self.mean
        self.mean -= before / self.tries
        self.spread = max(0.0, self.spread - before * (reward - self.mean))


UNTRIED = Arm()


class Arms:
    """All arms of one decision, and the range of their rewards.

    There are three ways to follow rewards that change over time. `discount` below 1 reduces the
    weight of every reward with each later one (0.99: half after 69). `window` keeps only the
    latest rewards. Without either, all rewards count until an arm's latest ones are unlikely to
    have its former mean (`has_changed`); then all arms start again. `changes=False` turns this off.

    Rewards may have any finite range. While all lie in 0…1 they are used as they are; after that,
    the smallest and largest reward seen of any arm map to 0 and 1, so that exploration scales with
    the rewards.

    >>> arms = Arms()
    >>> for reward in (10.0, 30.0, 20.0): arms.add("a", reward)
    >>> arms.scaled(arms.of("a").mean)
    0.5
    """

    def __init__(self, discount: float = 1.0, window: int = 0, *, changes: bool = True) -> None:
        if not 0 < discount <= 1:
            raise BadInput(f"discount is {discount}; it must be above 0 and at most 1")
        if window < 0:
            raise BadInput(f"window is {window}; give how many rewards to keep, or 0 for all")
        if discount < 1 and window:
            raise BadInput("discount and window both forget; give one of them")
        self.discount = discount
        self.window = window
        self.watches = changes and discount == 1 and not window
        self.known: dict[str, Arm] = {}
        self.seen = 0  # all rewards, also forgotten ones
        self.total = 0.0  # tries that still count
        self.restarts = 0  # detected changes
        self.low: float | None = None
        self.high: float | None = None
        self.floor, self.width = 0.0, 1.0  # of the scale on which rewards are 0…1
        self._recent: deque[tuple[str, float]] = deque()

    def of(self, name: str) -> Arm:
        return self.known.get(name, UNTRIED)

    def scaled(self, value: float) -> float:
        return (value - self.floor) / self.width

    @property
    def in_unit(self) -> bool:
        """Return whether all rewards so far lie in 0…1."""
        return self.floor == 0.0 and self.width == 1.0

    def add(self, name: str, reward: float) -> None:
        if not is_within(reward, -LARGEST_REWARD, LARGEST_REWARD):
            raise BadInput(
                f"the reward of {name!r} is {shown(reward)}; give a number up to {LARGEST_REWARD:g}"
            )
        if self.discount < 1:
            self._fade()
        arm = self.known.get(name)
        if arm is None:
            arm = self.known[name] = Arm()
        arm.add(reward)
        self.seen += 1
        self.total += 1
        if self.low is None or self.high is None or not self.low <= reward <= self.high:
            self._widen(reward)
        if self.watches:
            self._watch(arm, reward)
        elif self.window:
            self._recent.append((name, reward))
            if len(self._recent) > self.window:
                self._forget()

    def put(self, name: str, tries: float, mean: float, variance: float) -> None:
        """Set the statistics of an arm from another source; a window does not forget them."""
        self.total += tries - self.of(name).tries
        self.known[name] = Arm(tries, mean, tries * variance)
        self._widen(mean)

    def _fade(self) -> None:
        for one in self.known.values():
            one.tries *= self.discount
            one.spread *= self.discount
        self.total *= self.discount

    def _forget(self) -> None:
        name, reward = self._recent.popleft()
        self.known[name].drop(reward)
        self.total -= 1

    def _watch(self, arm: Arm, reward: float) -> None:
        arm.latest += 1
        arm.latest_sum += reward
        if arm.latest % CHECK_EVERY:
            return
        before = arm.tries - arm.latest
        if before > 0:
            latest_mean = self.scaled(arm.latest_sum / arm.latest)
            before_mean = self.scaled((arm.tries * arm.mean - arm.latest_sum) / before)
            if has_changed(arm.latest, _unit(latest_mean), before, _unit(before_mean), self.total):
                self.known.clear()
                self.total = 0.0
                self.restarts += 1
                return
        if arm.latest >= BLOCK:
            arm.latest, arm.latest_sum = 0, 0.0

    def _widen(self, reward: float) -> None:
        low = reward if self.low is None else min(self.low, reward)
        high = reward if self.high is None else max(self.high, reward)
        self.low, self.high = low, high
        if low < 0 or high > 1:
            self.floor, self.width = low, (high - low) or 1.0

    def state(self) -> dict[str, Any]:
        return {
            "arms": {
                name: [arm.tries, arm.mean, arm.spread, arm.latest, arm.latest_sum]
                for name, arm in self.known.items()
            },
            "seen": self.seen,
            "total": self.total,
            "restarts": self.restarts,
            "range": [self.low, self.high],
            "recent": [[name, reward] for name, reward in self._recent],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what `state` returned."""
        arms: Mapping[str, Sequence[Any]] = state["arms"]
        self.known = {name: Arm(*values) for name, values in arms.items()}
        self.seen, self.total = int(state["seen"]), float(state["total"])
        self.restarts = int(state["restarts"])
        recent: Sequence[tuple[str, float]] = state["recent"] if self.window else ()
        self._recent = deque((name, reward) for name, reward in recent)
        while len(self._recent) > self.window:  # the window may be shorter now
            self._forget()
        for reward in state["range"]:
            if reward is not None:
                self._widen(float(reward))


def has_changed(
    latest: float, latest_mean: float, before: float, before_mean: float, rewards: float
) -> bool:
    """Return whether the latest rewards and those before them are unlikely to share a mean.

    Means are on the scale 0…1. The log-likelihood ratio of two means against one must exceed
    ln(rewards) + 4. Rewards are taken as Bernoulli, which is conservative in that range.

    >>> has_changed(8, 0.1, 1000, 0.9, 1008), has_changed(8, 0.7, 1000, 0.9, 1008)
    (True, False)
    """
    if before < LEAST_BEFORE:
        return False
    both = (latest * latest_mean + before * before_mean) / (latest + before)
    evidence = latest * _divergence(latest_mean, both) + before * _divergence(before_mean, both)
    return evidence > CAUTION + log(1 + rewards)


def _divergence(one: float, other: float) -> float:
    """Return the Kullback-Leibler divergence of two Bernoulli distributions."""
    other = min(1 - 1e-12, max(1e-12, other))
    total = 0.0
    if one > 0:
        total += one * log(one / other)
    if one < 1:
        total += (1 - one) * log((1 - one) / (1 - other))
    return total


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
