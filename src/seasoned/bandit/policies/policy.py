"""The interface of a strategy: it picks one of several arms and learns from the reward."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from random import Random
from typing import Any, ClassVar, Self

from seasoned.bandit.policies.arms import FORGOTTEN, Arms
from seasoned.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen arm, its probability of being chosen, and the reasons in words and numbers."""

    arm: str
    propensity: float
    reasons: tuple[str, ...]


class Policy(ABC):
    """A strategy and what it has learned.

    `pick` is fast, `choose` adds the propensity and the reasons; neither changes state, only
    `learn` does. The caller passes the random numbers, so equal seeds give equal choices.
    `params` are the settings of the strategy.
    """

    name: ClassVar[str]
    params: dict[str, Any]
    arms: Arms

    def __init__(self, *, discount: float = 1.0, window: int = 0, changes: bool = True) -> None:
        within("discount", discount, lambda d: 0 < d <= 1, "above 0 and at most 1")
        within("window", window, lambda w: w >= 0 and w == int(w), "a whole number, 0 or more")
        self.arms = Arms(discount, int(window), changes=changes)
        self.params = {"discount": discount, "window": window, "changes": changes}

    @abstractmethod
    def pick(self, arms: Sequence[str], rng: Random) -> str:
        """Return one of the arms."""

    @abstractmethod
    def probabilities(self, arms: Sequence[str]) -> list[float]:
        """Return the probability with which `pick` takes each arm now."""

    @abstractmethod
    def why(self, arms: Sequence[str], arm: str) -> str:
        """Explain in numbers why this arm was picked."""

    def choose(self, arms: Sequence[str], rng: Random) -> Choice:
        if not arms:
            raise BadInput("there is no arm to choose; name at least one")
        arm = self.pick(arms, rng)
        propensity = self.probabilities(arms)[arms.index(arm)]
        tried = self.arms.of(arm)
        earned = (
            f"{arm!r} earned {tried.mean:.4g} on average in {_times(tried.tries)}"
            if tried.tries >= FORGOTTEN
            else f"{arm!r} was not tried yet"
        )
        chosen = f"chosen with probability {propensity:.3g} among {len(arms)}"
        anew = self.arms.restarts
        changed = (f"changes of rewards detected: {anew}; all arms started again",) if anew else ()
        return Choice(arm, propensity, (earned, self.why(arms, arm), chosen, *changed))

    def learn(self, arm: str, reward: float) -> None:
        self.arms.add(arm, reward)

    def state(self) -> dict[str, Any]:
        """Return what was learned, as JSON."""
        return self.arms.state()

    @classmethod
    def from_state(cls, state: Mapping[str, Any], params: Mapping[str, Any] | None = None) -> Self:
        """Restore a strategy from a state; its settings may be different ones."""
        policy = cls(**(params or {}))
        policy.arms.restore(state)
        return policy


def leaders(scores: Sequence[float]) -> list[int]:
    """Return the places of the highest score.

    >>> leaders([1.0, 3.0, 3.0])
    [1, 2]
    """
    best = max(scores)
    return [place for place, score in enumerate(scores) if score == best]


def leader(scores: Sequence[float], rng: Random) -> int:
    """Return the place of the highest score; ties are broken at random."""
    best = max(scores)
    if scores.count(best) == 1:
        return scores.index(best)
    return rng.choice(leaders(scores))


def within(name: str, value: float, is_fine: Callable[[float], bool], expected: str) -> float:
    """Return a setting if it is a number in its range; otherwise raise what it must be."""
    # Settings come from the command line and over the wire, so their types are unknown.
    if isinstance(value, bool) or not isinstance(value, int | float):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"{name} is {value!r}; it must be {expected}")
    if not (isfinite(value) and is_fine(value)):
        raise BadInput(f"{name} is {value}; it must be {expected}")
    return value


def _times(tries: float) -> str:
    if tries != int(tries):
        return f"{tries:.1f} tries that still count"
    return "1 try" if tries == 1 else f"{tries:g} tries"
