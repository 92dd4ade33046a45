"""Adaptation: choices follow rewards, give their reasons and survive restarts."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.bandit.adaptation import AdaptationResult
from seasoned.bandit.call import Call
from seasoned.bandit.experience import Experience
from seasoned.bandit.policies.strategies import BUILTIN
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope

pytestmark = pytest.mark.sqlite_only

ARMS = ["bm25", "vectors", "both"]
MEANS = {"bm25": 0.5, "vectors": 0.2, "both": 0.9}


def arm_of(adapted: AdaptationResult) -> str:
    assert adapted.choice is not None
    return adapted.choice.arm


@pytest.mark.parametrize("strategy", sorted(BUILTIN))
def test_what_earns_most_is_chosen_most(seasoned: Seasoned, strategy: str) -> None:
    world, chosen = Random(1), Counter[str]()
    for step in range(120):
        arm = arm_of(seasoned.adapt("search", strategy, arms=ARMS, seed=step))
        chosen[arm] += 1
        seasoned.reward("search", arm, float(world.random() < MEANS[arm]))
    assert chosen.most_common(1)[0][0] == "both"
    assert chosen["both"] > 60


def test_a_choice_tells_its_reasons_in_words_and_numbers(seasoned: Seasoned) -> None:
    for arm, value in (("bm25", 1.0), ("bm25", 1.0), ("vectors", 0.0)):
        seasoned.reward("search", arm, value)
    adapted = seasoned.adapt("search", "epsilon_greedy", params={"epsilon": 0.2}, seed=3)
    assert adapted.choice is not None
    assert (
        adapted.reasons
        == adapted.choice.reasons
        == (
            "'bm25' earned 1 on average in 2 tries",
            "it has the best mean; a random arm is taken with probability 0.2",
            "chosen with probability 0.9 among 2",
        )
    )


def test_what_was_learned_survives_a_restart(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url)
    s.adapt("search", "thompson", arms=ARMS, params={"discount": 0.99})
    for _ in range(30):
        s.reward("search", "both", 1.0)
        s.reward("search", "bm25", 0.0)
    before = [arm_of(s.adapt("search", "thompson", seed=n)) for n in range(5)]
    s.close()
    again = opened(database_url)
    assert [arm_of(again.adapt("search", "thompson", seed=n)) for n in range(5)] == before
    assert "tries that still count" in again.adapt("search", "thompson", seed=1).reasons[0]


def test_equal_seeds_give_equal_choices(tmp_path: Any, opened: Callable[..., Seasoned]) -> None:
    def run(name: str) -> list[str]:
        s, taken = opened(tmp_path / name), list[str]()
        for step in range(40):
            taken.append(arm_of(s.adapt("x", "softmax", arms=ARMS, seed="s")))
            assert arm_of(s.adapt("x", "softmax", arms=ARMS, seed="s")) == taken[-1]
            s.reward("x", taken[-1], float(step % 3 == 0))
        return taken

    first = run("one.db")
    assert first == run("two.db")
    assert len(set(first)) > 1


@pytest.mark.both_dialects
def test_every_strategy_learns_from_every_reward_once(seasoned: Seasoned) -> None:
    seasoned.reward("search", "bm25", 1.0, id="r1")
    assert not seasoned.reward("search", "bm25", 1.0, id="r1")
    seasoned.experiences.add(
        [Experience("r2", action={"skill": "search", "arm": "vectors"}, reward=0.0)]
    )
    for strategy in ("ucb1", "epsilon_greedy"):
        for _ in range(2):
            adapted = seasoned.adapt(
                "search", strategy, params={"epsilon": 0} if "_" in strategy else None
            )
            assert adapted.reasons[0] == "'bm25' earned 1 on average in 1 try"


def test_arms_that_earned_nothing_are_known_by_their_records(seasoned: Seasoned) -> None:
    for name, worked in (("fast", True), ("slow", False)):
        for n in range(20):
            action = {"skill": f"search/{name}", "success": worked, "duration_ms": 5}
            seasoned.experiences.add([Experience(f"{name}{n}", action=action)])
    adapted = seasoned.adapt("search", "epsilon_greedy", params={"epsilon": 0.0})
    assert arm_of(adapted) == "fast"
    assert adapted.reasons[0] == "'fast' earned 1 on average in 20 tries"
    assert {record.name for record in adapted.records} == {"search/fast", "search/slow"}


def test_scores_of_skills_decide_between_skills(seasoned: Seasoned) -> None:
    app = seasoned.inner.app
    for name, score in (("polite", 0.8), ("curt", -0.5)):
        calls = [Call("skill", name, True, 3.0, score)] * 5
        app.db.run(app.performance.note(calls, Scope()))
    adapted = seasoned.adapt("", "ucb1")
    assert arm_of(adapted) == "polite"
    assert len(adapted.records) == 2
    only = seasoned.adapt("polite", "ucb1")
    assert arm_of(only) == "polite"
    assert [record.name for record in only.records] == ["polite"]


def test_where_nothing_is_known_there_is_no_choice(seasoned: Seasoned) -> None:
    adapted = seasoned.adapt("nothing", "ucb1")
    assert adapted.choice is None
    assert "nothing is known of 'nothing' yet" in adapted.reasons[0]
    assert adapted.records == ()


def test_nothing_crosses_tenants(database_url: str, opened: Callable[..., Seasoned]) -> None:
    one, other = opened(database_url, tenant="a"), opened(database_url, tenant="b")
    one.reward("search", "bm25", 1.0)
    assert one.adapt("search").choice is not None
    assert other.adapt("search").choice is None


def test_a_strategy_is_judged_on_what_was_logged(seasoned: Seasoned) -> None:
    world = Random(2)
    for step in range(200):
        adapted = seasoned.adapt(
            "search", "epsilon_greedy", arms=ARMS, seed=step, params={"epsilon": 0.9}
        )
        arm = arm_of(adapted)
        seasoned.reward("search", arm, float(world.random() < MEANS[arm]))
    judged = seasoned.evaluate("thompson", name="search")
    assert (judged.steps, judged.arms, judged.guessed) == (200, 3, 0)
    assert [one.estimator for one in judged.estimates] == ["ips", "snips", "dr"]
    for one in judged.estimates:
        assert one.value > judged.earned
        assert one.low < one.value < one.high
    with pytest.raises(NotFound, match="no experience of decision 'other'"):
        seasoned.evaluate("ucb1", name="other")


@pytest.mark.parametrize(
    ("method", "args", "options", "told"),
    [
        ("adapt", ("x", "magic"), {}, "no strategy 'magic'; there are ucb1, epsilon_greedy"),
        ("adapt", ("x", "ucb1"), {"arms": []}, "no arm at all"),
        ("adapt", ("x", "ucb1"), {"arms": ["a", ""]}, "an arm without a name"),
        ("adapt", ("x", "ucb1"), {"arms": "abc"}, "give a list of names"),
        ("adapt", ("x", "ucb1"), {"arms": [str(n) for n in range(1001)]}, "at most 1000"),
        ("adapt", ("x", "softmax"), {"arms": ["a"], "params": {"temperature": -1}}, "above 0"),
        ("reward", ("x", "", 1.0), {}, "needs the arm"),
        ("reward", ("x", "a", float("nan")), {}, "give a number"),
        ("reward", ("x", "a", 1.0), {"propensity": 0.0}, "propensity"),
        ("evaluate", ("magic",), {}, "no strategy 'magic'"),
        ("evaluate", ("ucb1",), {"limit": 0}, "limit is 0"),
    ],
)
def test_bad_input_says_what_to_do(
    seasoned: Seasoned, method: str, args: tuple[Any, ...], options: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        getattr(seasoned, method)(*args, **options)
    assert seasoned.experiences.count() == 0


AGENT = """
import random, sys
from seasoned import Seasoned
worker = int(sys.argv[2])
world = random.Random(worker)
with Seasoned(sys.argv[1]) as s:
    for step in range(40):
        arm = s.adapt("search", "ucb1", arms=["a", "b"]).choice.arm
        s.reward("search", arm, float(world.random() < {"a": 0.9, "b": 0.1}[arm]))
"""


def test_two_processes_share_what_they_learn(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url)
    agents = [
        subprocess.Popen([sys.executable, "-c", AGENT, database_url, str(worker)])
        for worker in range(2)
    ]
    assert [agent.wait(60) for agent in agents] == [0, 0]
    assert s.experiences.count() == 80
    adapted = s.adapt("search", "ucb1")
    assert arm_of(adapted) == "a"
    taken = Counter(one.action["arm"] for one in s.experiences.list(limit=100))
    assert f"in {taken['a']} tries" in adapted.reasons[0]


def test_standings_show_each_strategys_view_and_change_nothing(seasoned: Seasoned) -> None:
    s = seasoned
    assert s.adaptation.standings() == []
    s.adapt("search", "epsilon_greedy", arms=["bm25", "vectors"], params={"epsilon": 0.2})
    for value in (1.0, 0.8, 0.9):
        s.reward("search", "bm25", value)
    s.reward("search", "vectors", 0.1)
    (one,) = s.adaptation.standings()
    assert s.adaptation.standings() == [one]
    assert (one.name, one.strategy, one.choices, one.rewards) == ("search", "epsilon_greedy", 1, 4)
    assert one.params["epsilon"] == 0.2
    best, other = one.arms
    assert (best.name, best.tries, other.name, other.tries) == ("bm25", 3, "vectors", 1)
    assert best.mean == pytest.approx(0.9)
    assert best.low is not None
    assert best.high is not None
    assert best.low < 0.9 < best.high
    assert (other.low, other.high) == (None, None)
    assert best.probability == pytest.approx(0.9)
    assert sum(arm.probability for arm in one.arms) == pytest.approx(1)
