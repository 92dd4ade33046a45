"""The contract of every strategy, for any rewards."""

import json
from collections import Counter
from math import isclose, nan
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.bandit.policies.policy import Policy
from seasoned.bandit.policies.strategies import BUILTIN, policy_from
from seasoned.core.errors import BadInput

NAMES = sorted(BUILTIN)
FORGETTING: list[dict[str, Any]] = [{}, {"discount": 0.9}, {"window": 5}, {"changes": False}]
REWARDS = st.lists(
    st.tuples(st.sampled_from("abc"), st.floats(-1e6, 1e6, allow_nan=False)), max_size=60
)


def taught(policy: Policy, rewards: list[tuple[str, float]]) -> Policy:
    for arm, reward in rewards:
        policy.learn(arm, reward)
    return policy


@pytest.mark.parametrize("name", NAMES)
@given(rewards=REWARDS, params=st.sampled_from(FORGETTING), seed=st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_a_choice_is_one_of_the_arms_with_its_chance_and_its_reasons(
    name: str, rewards: list[tuple[str, float]], params: dict[str, Any], seed: int
) -> None:
    policy = taught(policy_from(name, params), rewards)
    chances = policy.probabilities(list("abcd"))
    assert isclose(sum(chances), 1, rel_tol=1e-6)
    assert all(0 <= chance <= 1 + 1e-9 for chance in chances)
    choice = policy.choose(list("abcd"), Random(seed))
    assert choice.arm in "abcd"
    assert choice.propensity == chances["abcd".index(choice.arm)]
    assert choice.propensity > 0
    assert len(choice.reasons) >= 3


@pytest.mark.parametrize("name", NAMES)
@given(rewards=REWARDS, params=st.sampled_from(FORGETTING), seed=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_what_was_kept_as_json_goes_on_as_if_it_had_not_stopped(
    name: str, rewards: list[tuple[str, float]], params: dict[str, Any], seed: int
) -> None:
    half = len(rewards) // 2
    whole = taught(policy_from(name, params), rewards)
    first = taught(policy_from(name, params), rewards[:half])
    kept = json.loads(json.dumps(first.state()))
    second = taught(policy_from(name, params, kept), rewards[half:])
    assert second.state() == whole.state()
    arms = list("abcd")
    assert second.pick(arms, Random(seed)) == whole.pick(arms, Random(seed))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arms", [4, 30])
def test_equal_seeds_give_equal_choices(name: str, arms: int) -> None:
    def run(seed: int) -> list[str]:
        policy, rng, world = policy_from(name), Random(seed), Random(7)
        names, taken = [str(n) for n in range(arms)], list[str]()
        for _ in range(200):
            taken.append(policy.pick(names, rng))
            policy.learn(taken[-1], float(world.random() < 0.5))
        return taken

    assert run(1) == run(1)
    assert run(1) != run(2)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rewards", [(0.0, 1.0), (-40.0, 90.0)], ids=["unit", "any range"])
def test_the_probabilities_are_how_often_each_arm_is_picked(
    name: str, rewards: tuple[float, float]
) -> None:
    policy, world = policy_from(name), Random(3)
    for arm, chance in (("a", 0.5), ("b", 0.6), ("c", 0.4)):
        for _ in range(12):
            policy.learn(arm, rewards[world.random() < chance])
    arms, rng, times = list("abc"), Random(5), 4000
    picked = Counter(policy.pick(arms, rng) for _ in range(times))
    for arm, chance in zip(arms, policy.probabilities(arms), strict=True):
        assert abs(picked[arm] / times - chance) < 0.035


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [1.0, 1000.0, 1e-6])
def test_the_best_arm_is_found_in_any_currency(name: str, scale: float) -> None:
    policy, rng, world = policy_from(name), Random(1), Random(2)
    taken: Counter[str] = Counter()
    for _ in range(1500):
        arm = policy.pick(list("abc"), rng)
        mean = {"a": 0.2, "b": 0.8, "c": 0.5}[arm]
        taken[arm] += 1
        policy.learn(arm, scale * (2 * (world.random() < mean) - 1))
    assert taken["b"] > 1000


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("params", [{}, {"discount": 0.98}, {"window": 100}], ids=str)
def test_changing_rewards_are_followed(name: str, params: dict[str, Any]) -> None:
    policy, rng, world = policy_from(name, params), Random(1), Random(2)
    late: Counter[str] = Counter()
    for step in range(2000):
        arm = policy.pick(["old", "new"], rng)
        good = ("old" if step < 1000 else "new") == arm
        policy.learn(arm, float(world.random() < (0.85 if good else 0.15)))
        late[arm] += step >= 1500
    assert late["new"] > 350


@pytest.mark.parametrize("name", NAMES)
def test_stable_rewards_are_not_forgotten(name: str) -> None:
    anew = 0
    for seed in range(20):
        policy, rng, world = policy_from(name), Random(seed), Random(1000 + seed)
        for _ in range(2000):
            arm = policy.pick(["a", "b", "c"], rng)
            policy.learn(arm, float(world.random() < {"a": 0.3, "b": 0.5, "c": 0.05}[arm]))
        anew += policy.arms.restarts
    assert anew <= 1


def test_a_window_counts_its_rewards_and_no_others() -> None:
    policy = policy_from("ucb1", {"window": 3})
    for reward in (9.0, 9.0, 1.0, 2.0, 3.0):
        policy.learn("a", reward)
    assert policy.arms.of("a").tries == 3
    assert isclose(policy.arms.of("a").mean, 2.0)


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        ("ucb1", {"c": -1}, "c is -1"),
        ("ucb1", {"variant": "wild"}, "'wild'; it must be one of tuned, plain"),
        ("epsilon_greedy", {"epsilon": 1.5}, "epsilon is 1.5; it must be from 0 to 1"),
        ("epsilon_greedy", {"epsilon": nan}, "epsilon is nan"),
        ("epsilon_greedy", {"epsilon": "much"}, "epsilon is 'much'"),
        ("softmax", {"temperature": 0}, "temperature is 0; it must be above 0"),
        ("thompson", {"rewards": "some"}, "must be one of auto, unit, any"),
        ("thompson", {"discount": 0}, "discount is 0"),
        ("ucb1", {"window": -1}, "window is -1"),
        ("ucb1", {"window": 3, "discount": 0.5}, "give one of them"),
        ("ucb1", {"speed": 3}, "its settings are discount, window, changes, c, variant"),
        ("greedy", {}, "no strategy 'greedy'; there are ucb1, epsilon_greedy, softmax, thompson"),
    ],
)
def test_a_bad_setting_says_what_it_must_be(name: str, params: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told.replace("(", r"\(")):
        policy_from(name, params)


@pytest.mark.parametrize("reward", [nan, float("inf"), -float("inf"), 1e200])
def test_a_reward_that_is_no_number_is_refused(reward: float) -> None:
    with pytest.raises(BadInput, match="the reward of 'a'"):
        policy_from("ucb1").learn("a", reward)


def test_no_arms_are_refused() -> None:
    with pytest.raises(BadInput, match="no arm to choose"):
        policy_from("thompson").choose([], Random(0))
