"""What a strategy is: it picks one of several arms, and learns from what that earned."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from random import Random
from typing import Any, ClassVar, Self

from seasoned.bandit.arms import FORGOTTEN, Arms
from seasoned.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Choice:
    """The arm, how likely it was to be chosen, and why it was, in words and numbers."""

    arm: str
    propensity: float
    reasons: tuple[str, ...]


class Policy(ABC):
    """A strategy and what it has learned.

    `pick` is the quick way, `choose` the same with its propensity and its reasons. Neither
    changes anything: only `learn` does. The random numbers are handed in, so equal seeds give
    equal choices. `params` are the settings a strategy was made with.
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
        """One of the arms."""

    @abstractmethod
    def probabilities(self, arms: Sequence[str]) -> list[float]:
        """How likely `pick` is to take each of them now."""

    @abstractmethod
    def why(self, arms: Sequence[str], arm: str) -> str:
        """What speaks for this arm now, in numbers."""

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
        likely = f"it was chosen with a probability of {propensity:.3g} among {len(arms)}"
        anew = self.arms.restarts
        changed = (f"what arms earn changed (times: {anew}), and was learned anew",) if anew else ()
        return Choice(arm, propensity, (earned, self.why(arms, arm), likely, *changed))

    def learn(self, arm: str, reward: float) -> None:
        self.arms.add(arm, reward)

    def state(self) -> dict[str, Any]:
        """All that was learned, as JSON."""
        return self.arms.state()

    @classmethod
    def from_state(cls, state: Mapping[str, Any], params: Mapping[str, Any] | None = None) -> Self:
        """A strategy that goes on where another stopped; its settings may be other ones."""
        policy = cls(**(params or {}))
        policy.arms.restore(state)
        return policy


def leaders(scores: Sequence[float]) -> list[int]:
    """The places of the highest score.

    >>> leaders([1.0, 3.0, 3.0])
    [1, 2]
    """
    best = max(scores)
    return [place for place, score in enumerate(scores) if score == best]


def leader(scores: Sequence[float], rng: Random) -> int:
    """The place of the highest score; one of several at random."""
    best = max(scores)
    if scores.count(best) == 1:
        return scores.index(best)
    return rng.choice(leaders(scores))


def within(name: str, value: float, is_fine: Callable[[float], bool], told: str) -> float:
    """A setting that is a number of the right size, or an error that says what it must be."""
    # Settings come from the command line and over the wire: their types are not known.
    if isinstance(value, bool) or not isinstance(value, int | float):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"{name} is {value!r}; it must be {told}")
    if not (isfinite(value) and is_fine(value)):
        raise BadInput(f"{name} is {value}; it must be {told}")
    return value


def _times(tries: float) -> str:
    if tries != int(tries):
        return f"{tries:.1f} tries that still count"
    return "1 try" if tries == 1 else f"{tries:g} tries"
