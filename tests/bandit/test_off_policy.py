"""Off-policy estimates: unbiased, with intervals that cover the true value."""

from random import Random
from statistics import fmean
from typing import Any

import pytest

from seasoned.bandit.off_policy import ESTIMATORS, DecisionLog, LoggedStep, estimate, replay_log
from seasoned.bandit.policies.strategies import policy_from
from seasoned.core.errors import BadInput

MEANS = [0.2, 0.5, 0.8]
LOGGER = [0.5, 0.3, 0.2]
TARGET = [0.1, 0.2, 0.7]
TRUTH = sum(chance * mean for chance, mean in zip(TARGET, MEANS, strict=True))


def logged(seed: int, size: int = 400) -> DecisionLog:
    rng = Random(seed)
    arms = [rng.choices(range(3), LOGGER)[0] for _ in range(size)]
    rewards = [float(rng.random() < MEANS[arm]) for arm in arms]
    guesses = [0.3, 0.5, 0.6]
    expected = sum(chance * guess for chance, guess in zip(TARGET, guesses, strict=True))
    return DecisionLog(
        rewards,
        [LOGGER[arm] for arm in arms],
        [TARGET[arm] for arm in arms],
        [guesses[arm] for arm in arms],
        [expected] * size,
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_an_estimate_is_right_on_average_and_its_interval_holds_the_truth(estimator: str) -> None:
    found = [estimate(logged(seed), estimator) for seed in range(200)]
    assert abs(fmean(one.value for one in found) - TRUTH) < 0.01
    held = sum(one.low <= TRUTH <= one.high for one in found)
    assert 180 <= held <= 198  # 95 % of 200, ± four standard deviations


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_bootstrap_agrees_with_the_normal_interval(estimator: str) -> None:
    log = logged(1, 2000)
    normal = estimate(log, estimator)
    drawn = estimate(log, estimator, interval="bootstrap", resamples=500)
    assert drawn.value == normal.value
    assert abs(drawn.low - normal.low) < 0.02
    assert abs(drawn.high - normal.high) < 0.02


def test_the_logging_policy_is_estimated_at_its_actual_reward() -> None:
    log = logged(3)
    same = DecisionLog(log.rewards, log.logged, log.logged)
    for estimator in ("ips", "snips"):
        found = estimate(same, estimator)
        assert abs(found.value - fmean(log.rewards)) < 1e-9
        assert found.effective == pytest.approx(400)


def test_clipping_makes_the_interval_narrower() -> None:
    log = DecisionLog([1.0, 0.0] * 50, [0.01, 0.99] * 50, [0.5, 0.5] * 50)
    wide, narrow = estimate(log, "ips"), estimate(log, "ips", clip=5)
    assert narrow.high - narrow.low < wide.high - wide.low


def test_a_strategy_played_along_a_log_is_worth_more_when_it_learns() -> None:
    rng = Random(1)
    arms = [rng.choices("abc", LOGGER)[0] for _ in range(3000)]
    steps = [
        LoggedStep(arm, float(rng.random() < MEANS["abc".index(arm)]), LOGGER["abc".index(arm)])
        for arm in arms
    ]
    earned = fmean(step.reward for step in steps)
    for name in ("ucb1", "epsilon_greedy", "softmax", "thompson"):
        found = estimate(replay_log(policy_from(name), steps), "dr")
        assert found.low > earned, name
        assert 0.6 < found.value < 0.9, name


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rewards": [], "logged": [], "target": []}, "nothing was logged"),
        ({"logged": [0.0, 1.0]}, "not above 0"),
        ({"target": [2.0, 0.0]}, "between 0 and 1"),
        ({"rewards": [float("nan"), 0.0]}, "not a number"),
        ({"rewards": [1.0]}, "one of each"),
    ],
)
def test_an_impossible_log_is_refused(change: dict[str, Any], told: str) -> None:
    fine: dict[str, Any] = {"rewards": [1.0, 0.0], "logged": [0.5, 0.5], "target": [0.5, 0.5]}
    with pytest.raises(BadInput, match=told):
        estimate(DecisionLog(**{**fine, **change}))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"estimator": "magic"}, "must be one of ips, snips, dr"),
        ({"estimator": "dr"}, "dr needs a model's guesses"),
        ({"confidence": 1.0}, "between 0 and 1"),
        ({"clip": 0.0}, "above 0"),
        ({"interval": "wide"}, "normal, bootstrap"),
    ],
)
def test_a_question_that_cannot_be_answered_says_why(options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        estimate(DecisionLog([1.0], [0.5], [0.5]), **options)
