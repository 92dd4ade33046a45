"""What would another strategy have earned on what was logged? Three estimates, with intervals.

For each logged step: the reward, how likely the one who logged was to do what it did
(`logged`), and how likely the other strategy is to do the same (`target`).

    ips    weighs each reward by target / logged; right on average, wide when they differ much
    snips  divides by the sum of the weights instead of their number; steadier, slightly biased
    dr     corrects a model's guess by the weighed error of it; right when either is right

Intervals: "normal" takes the estimate for normally distributed around the value (enough steps,
weights not too wild, steps that do not depend on the target's choices); "bootstrap" draws the steps
again and again instead. `clip` cuts weights: a little bias for much less noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

ESTIMATORS = ("ips", "snips", "dr")
INTERVALS = ("normal", "bootstrap")


@dataclass(frozen=True, slots=True)
class Logged:
    """What was logged, a value for each step.

    `guess` is what a model expects of the action that was logged, `guess_target` what it expects
    of the target strategy at that step; without them, `dr` cannot be told.
    """

    rewards: Sequence[float]
    logged: Sequence[float]
    target: Sequence[float]
    guess: Sequence[float] | None = None
    guess_target: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean reward of a step, and the interval it lies in with the confidence asked for.

    `effective` is how many steps of its own the estimate is worth: few, when the strategies
    differ much.
    """

    estimator: str
    value: float
    low: float
    high: float
    steps: int
    effective: float


def estimate(
    log: Logged,
    estimator: str = "snips",
    *,
    clip: float | None = None,
    confidence: float = 0.95,
    interval: str = "normal",
    resamples: int = 1000,
    seed: int = 0,
) -> Estimate:
    """What the target strategy would have earned in a step.

    >>> log = Logged(rewards=[1, 0, 1, 0], logged=[0.5] * 4, target=[1, 0, 1, 0])
    >>> estimate(log, "ips").value
    1.0
    """
    _one_of("estimator", estimator, ESTIMATORS)
    _one_of("interval", interval, INTERVALS)
    if not 0 < confidence < 1:
        raise BadInput(f"confidence is {confidence}; it must lie between 0 and 1")
    if clip is not None and not clip > 0:
        raise BadInput(f"clip is {clip}; give the largest weight, above 0")
    rewards, weights, guess, guess_target = _arrays(log, estimator, clip)
    size = len(rewards)
    # One term for each step; their mean is the estimate (of snips: to first order).
    if estimator == "snips":
        whole = float(weights.sum())
        value = float((weights * rewards).sum() / whole) if whole > 0 else 0.0
        terms = value + weights * (rewards - value) * (size / whole if whole > 0 else 0.0)
    else:
        terms = guess_target + weights * (rewards - guess)
        value = float(terms.mean())
    if interval == "normal":
        low, high = _normal(value, terms, confidence)
    else:
        pairs = (weights * rewards, weights) if estimator == "snips" else (terms, None)
        low, high = _bootstrap(*pairs, confidence, resamples, seed)
    squares = float((weights**2).sum())
    effective = float(weights.sum()) ** 2 / squares if squares > 0 else 0.0
    return Estimate(estimator, value, low, high, size, effective)


def _arrays(
    log: Logged, estimator: str, clip: float | None
) -> "tuple[Numbers, Numbers, Numbers, Numbers]":
    """Rewards, weights, and the model's guesses: zero where it is not asked."""
    import numpy as np

    rewards, logged, target = (
        np.asarray(values, dtype=float) for values in (log.rewards, log.logged, log.target)
    )
    if not len(rewards):
        raise BadInput("nothing was logged; there is nothing to estimate from")
    if not len(rewards) == len(logged) == len(target):
        raise BadInput(
            f"{len(rewards)} rewards, {len(logged)} logged and {len(target)} target "
            "probabilities; give one of each for every step"
        )
    if not np.isfinite(rewards).all():
        raise BadInput("a logged reward is not a number")
    if not ((logged > 0) & (logged <= 1)).all():
        raise BadInput("a logged probability is not above 0 and at most 1")
    if not ((target >= 0) & (target <= 1 + 1e-9)).all():
        raise BadInput("a target probability does not lie between 0 and 1")
    weights = target / logged
    if clip is not None:
        weights = np.minimum(weights, clip)
    if estimator != "dr":
        return rewards, weights, np.zeros(len(rewards)), np.zeros(len(rewards))
    if log.guess is None or log.guess_target is None:
        raise BadInput("dr needs a model's guesses; give guess and guess_target, or take snips")
    guess, guess_target = (
        np.asarray(values, dtype=float) for values in (log.guess, log.guess_target)
    )
    return rewards, weights, guess, guess_target


def _normal(value: float, terms: "Numbers", confidence: float) -> tuple[float, float]:
    if len(terms) < 2:
        return float("-inf"), float("inf")
    reach = NormalDist().inv_cdf((1 + confidence) / 2)
    error = reach * float(terms.std(ddof=1)) / len(terms) ** 0.5
    return value - error, value + error


def _bootstrap(
    top: "Numbers", bottom: "Numbers | None", confidence: float, resamples: int, seed: int
) -> tuple[float, float]:
    import numpy as np

    if resamples < 1:
        raise BadInput(f"resamples is {resamples}; it must be 1 or more")
    rng = np.random.default_rng(seed)
    values = np.empty(resamples)
    for place in range(resamples):
        drawn = rng.integers(0, len(top), len(top))
        whole = len(top) if bottom is None else bottom[drawn].sum()
        values[place] = top[drawn].sum() / whole if whole > 0 else 0.0
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise BadInput(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
