"""What each arm has earned so far: tries, mean and spread, with or without forgetting."""

from collections import deque
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from seasoned.bandit.change_point import BLOCK, LOOKS, has_changed
from seasoned.core.errors import BadInput

LARGEST = 1e100  # of a reward: its square must still be a number
FORGOTTEN = 1e-3  # fewer tries than this, after discounting, are none


class Arm:
    """Tries, their mean, the sum of the squared distances from it; and the latest few apart."""

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
        """Takes a reward back that was added before."""
        self.tries -= 1
        if self.tries < 0.5:
            self.tries = self.mean = self.spread = 0.0
            return
        before = reward - self.mean
        self.mean -= before / self.tries
        self.spread = max(0.0, self.spread - before * (reward - self.mean))


UNTRIED = Arm()


class Arms:
    """All arms of one decision, and the range their rewards came in.

    A world that changes is followed in one of three ways. `discount` below 1 makes every reward
    count less with each later one (0.99: half after 69). `window` keeps only so many of the
    latest rewards. Without either, all rewards count until an arm's latest ones can hardly be of
    its former mean (`change_point`): then everything is learned anew; `changes=False` never does.

    Rewards may have any finite range. While all of them lie in 0…1 they are taken as they are;
    from the first that does not, the least and the greatest reward seen, of whichever arm, are
    0 and 1: so exploring is as bold as the differences are large, in any currency.

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
        self.seen = 0  # rewards ever
        self.total = 0.0  # tries that still count
        self.restarts = 0  # how often everything was learned anew
        self.low: float | None = None
        self.high: float | None = None
        self.floor, self.width = 0.0, 1.0  # the scale: what is 0, and how far it is to 1
        self._recent: deque[tuple[str, float]] = deque()

    def of(self, name: str) -> Arm:
        return self.known.get(name, UNTRIED)

    def scaled(self, value: float) -> float:
        return (value - self.floor) / self.width

    @property
    def in_unit(self) -> bool:
        """Whether all rewards so far lie in 0…1."""
        return self.floor == 0.0 and self.width == 1.0

    def add(self, name: str, reward: float) -> None:
        if not (isfinite(reward) and abs(reward) <= LARGEST):
            raise BadInput(f"the reward of {name!r} is {reward}; give a number up to {LARGEST:g}")
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
        """Sets an arm to what is known of it from elsewhere; no window forgets that."""
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
        if arm.latest % LOOKS:
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
        """Takes over what `state` told."""
        kept: Mapping[str, Sequence[Any]] = state["arms"]
        self.known = {name: Arm(*values) for name, values in kept.items()}
        self.seen, self.total = int(state["seen"]), float(state["total"])
        self.restarts = int(state["restarts"])
        recent: Sequence[tuple[str, float]] = state["recent"] if self.window else ()
        self._recent = deque((name, reward) for name, reward in recent)
        while len(self._recent) > self.window:  # it may have become shorter since
            self._forget()
        for reward in state["range"]:
            if reward is not None:
                self._widen(float(reward))


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
