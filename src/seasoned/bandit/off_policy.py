"""Estimate what another strategy would have earned on logged decisions.

Each logged step has its reward, the probability with which the strategy in use took the action
(`logged`) and the probability with which the other one would have taken it (`target`).

    ips    weights each reward by target / logged; unbiased, wide if the two differ much
    snips  divides by the sum of the weights instead of their number; steadier, slightly biased
    dr     doubly robust: a model's guess plus its weighted error; right if either is right

Intervals: "normal" assumes that the estimate is normally distributed around the value (enough
steps, no extreme weights, steps that do not depend on the target's choices); "bootstrap" resamples
the steps instead. `clip` caps the weights: a little bias for much less noise.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from seasoned.bandit.policies.policy import Policy
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

ESTIMATORS = ("ips", "snips", "dr")
INTERVALS = ("normal", "bootstrap")
MOST_PROBES = 2000  # how often a replay computes the probabilities of all arms


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """An arm that was taken, its reward and, if known, the probability of taking it."""

    arm: str
    reward: float
    propensity: float | None = None


@dataclass(frozen=True, slots=True)
class DecisionLog:
    """A log, one value per step in each column.

    `guess` is the reward that a model expects of the logged action, `guess_target` the one it
    expects of the target strategy at that step; `dr` needs both.
    """

    rewards: Sequence[float]
    logged: Sequence[float]
    target: Sequence[float]
    guess: Sequence[float] | None = None
    guess_target: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean reward per step, and its interval at the confidence asked for.

    `effective` is the number of on-policy steps that the estimate is worth; it is small if the
    strategies differ much.
    """

    estimator: str
    value: float
    low: float
    high: float
    steps: int
    effective: float


def replay_log(policy: Policy, steps: Sequence[LoggedStep]) -> DecisionLog:
    """Replay a strategy along a log and note the probability it gives to each logged action.

    At each step the strategy has learned from the steps before. The model for `dr` guesses each
    arm's mean so far. A step without a propensity gets its arm's share of all steps, which is
    right only if the choice did not depend on anything.
    """
    arms = sorted({step.arm for step in steps})
    place = {arm: index for index, arm in enumerate(arms)}
    shares = Counter(step.arm for step in steps)
    every = max(1, len(steps) // MOST_PROBES)
    sums: defaultdict[str, float] = defaultdict(float)
    times: Counter[str] = Counter()
    earned, chances = 0.0, [0.0] * len(arms)
    logged: list[float] = []
    target: list[float] = []
    guesses: list[float] = []
    guesses_target: list[float] = []
    for number, step in enumerate(steps):
        if number % every == 0 or number < MOST_PROBES // 10:
            chances = policy.probabilities(arms)
        overall = earned / number if number else 0.0
        means = [sums[arm] / times[arm] if times[arm] else overall for arm in arms]
        logged.append(step.propensity or shares[step.arm] / len(steps))
        target.append(min(1.0, chances[place[step.arm]]))
        guesses.append(means[place[step.arm]])
        guesses_target.append(
            sum(chance * mean for chance, mean in zip(chances, means, strict=True))
        )
        policy.learn(step.arm, step.reward)
        sums[step.arm] += step.reward
        times[step.arm] += 1
        earned += step.reward
    rewards = [step.reward for step in steps]
    return DecisionLog(rewards, logged, target, guesses, guesses_target)


def estimate(
    log: DecisionLog,
    estimator: str = "snips",
    *,
    clip: float | None = None,
    confidence: float = 0.95,
    interval: str = "normal",
    resamples: int = 1000,
    seed: int = 0,
) -> Estimate:
    """Estimate what the target strategy would have earned per step.

    >>> log = DecisionLog(rewards=[1, 0, 1, 0], logged=[0.5] * 4, target=[1, 0, 1, 0])
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
    # One term per step; their mean is the estimate (for snips: to first order).
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
    log: DecisionLog, estimator: str, clip: float | None
) -> "tuple[Numbers, Numbers, Numbers, Numbers]":
    """Return rewards, weights and the model's guesses, which are zero for all but `dr`."""
    import numpy as np  # late here and below: it is slow to import

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
