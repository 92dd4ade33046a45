"""Experiences: stored once, durable, sampled fairly."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.bandit.experience import Experience
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput


def some(count: int, start: int = 0, **fields: Any) -> list[Experience]:
    return [
        Experience(f"e{n}", {"n": n}, {"type": "inc"}, float(n % 3), {"n": n + 1}, **fields)
        for n in range(start, start + count)
    ]


def test_each_experience_is_kept_once_as_it_was(seasoned: Seasoned, clock: FixedClock) -> None:
    given = Experience(
        id="x1",
        state={"text": "ein Ö\x00", "deep": [1, {"a": None}]},
        action={"skill": "search", "arm": "bm25"},
        reward=-2.5,
        next_state={"n": 1},
        done=True,
        episode_id="ep",
        step=4,
        at=clock.now() - 5,
        policy="v1",
        propensity=0.25,
    )
    assert seasoned.experiences.add([given, given]) == 1
    assert seasoned.experiences.add([given, *some(2)]) == 2
    assert seasoned.experiences.count() == 3
    (kept,) = seasoned.experiences.list(name="search")
    assert kept == given
    assert [one.id for one in seasoned.experiences.list()] == ["e1", "e0", "x1"]
    assert seasoned.experiences.add([]) == 0


def test_it_is_there_after_a_restart(database_url: str, opened: Callable[..., Seasoned]) -> None:
    opened(database_url).experiences.add(some(20, policy="v1"))
    again = opened(database_url)
    assert again.experiences.count() == 20
    assert again.experiences.add(some(25)) == 5
    assert len({one.experience.id for one in again.experiences.sample(400, seed=1)}) == 25


def test_nobody_draws_the_experiences_of_others(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    mine, theirs = opened(database_url, tenant="a"), opened(database_url, tenant="b")
    mine.experiences.add(some(5))
    assert theirs.experiences.count() == 0
    assert theirs.experiences.sample(5) == ()
    assert theirs.experiences.prioritise({"e1": 3.0}) == 0
    assert theirs.experiences.add(some(5)) == 5


def test_drawing_is_even_and_knows_on_policy_from_off_policy(seasoned: Seasoned) -> None:
    seasoned.experiences.add([*some(100, policy="v1"), *some(50, 100, policy="v2")])
    drawn = Counter(one.experience.id for one in seasoned.experiences.sample(6000, seed=3))
    assert len(drawn) == 150
    assert max(drawn.values()) < 80
    assert min(drawn.values()) > 12
    for on_policy, policy in ((True, "v2"), (False, "v1")):
        some_of = seasoned.experiences.sample(200, policy="v2", on_policy=on_policy)
        assert {one.experience.policy for one in some_of} == {policy}
        assert {one.weight for one in some_of} == {1.0}
    assert seasoned.experiences.sample(3, policy="v9") == ()
    same = [seasoned.experiences.sample(10, seed=5) for _ in range(2)]
    assert same[0] == same[1]


@pytest.mark.parametrize("policies", [1, 3])
def test_drawing_by_priority_is_in_proportion_and_says_how_to_weigh(
    seasoned: Seasoned, policies: int
) -> None:
    for policy in range(policies):
        seasoned.experiences.add(some(200, 200 * policy, policy=f"v{policy}"))
    errors = {f"e{n}": 0.0 for n in range(200 * policies)} | {"e7": 10.0, "e150": 5.0}
    assert seasoned.experiences.prioritise(errors) == len(errors)
    times = 4000
    drawn = seasoned.experiences.sample(times, prioritised=True, beta=1.0, seed=1)
    often = Counter(one.experience.id for one in drawn)
    chances = {one.experience.id: one.probability for one in drawn}
    rest = 0.001**0.6
    whole = 10.001**0.6 + 5.001**0.6 + (200 * policies - 2) * rest
    assert chances["e7"] == pytest.approx(10.001**0.6 / whole)
    assert often["e7"] / times == pytest.approx(chances["e7"], abs=0.04)
    assert often["e150"] / times == pytest.approx(chances["e150"], abs=0.04)
    weights = {one.experience.id: one.weight for one in drawn}
    assert max(weights.values()) == 1.0
    assert weights["e7"] == pytest.approx(rest / 10.001**0.6)


def test_a_new_experience_has_the_highest_priority(seasoned: Seasoned) -> None:
    seasoned.experiences.add(some(300))
    seasoned.experiences.prioritise({f"e{n}": 0.0 for n in range(300)} | {"e3": 1000.0})
    seasoned.experiences.add(some(1, 300))
    drawn = Counter(
        one.experience.id for one in seasoned.experiences.sample(1000, prioritised=True, seed=1)
    )
    assert {name for name, _ in drawn.most_common(2)} == {"e3", "e300"}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"reward": float("nan")}, "reward of experience x"),
        ({"reward": float("inf")}, "give a number"),
        ({"propensity": 0.0}, "propensity of experience x"),
        ({"propensity": 1.5}, "at most 1"),
        ({"action": {"tool": "a", "duration_ms": "long"}}, "duration_ms of an action is 'long'"),
        ({"action": {"tool": "a", "duration_ms": -1}}, "0 or more"),
        ({"action": {"tool": "a", "success": "yes"}}, "success of an action is 'yes'"),
    ],
)
def test_an_impossible_experience_is_refused_and_nothing_is_stored(
    seasoned: Seasoned, fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        seasoned.experiences.add([*some(1), Experience("x", **fields)])
    assert seasoned.experiences.count() == 0


@pytest.mark.parametrize("options", [{"count": -1}, {"beta": -1.0}, {"beta": float("nan")}])
def test_a_draw_that_makes_no_sense_is_refused(seasoned: Seasoned, options: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        seasoned.experiences.sample(**options)


WRITER = """
import sys
from seasoned import Seasoned
from seasoned.bandit.experience import Experience
worker = int(sys.argv[2])
with Seasoned(sys.argv[1]) as s:
    for batch in range(10):
        numbers = range(20 * batch, 20 * batch + 20)
        own = [Experience(f"{worker}-{n}", reward=1.0, policy=f"v{n % 2}") for n in numbers]
        both = [Experience(f"both-{n}", reward=0.0, policy="v0") for n in numbers]
        s.experiences.add([*own, *both])
        s.experiences.prioritise({f"both-{n}": float(worker + n % 7) for n in numbers})
"""


def test_two_processes_add_at_once_and_every_experience_is_there_once(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, database_url, str(worker)])
        for worker in range(2)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert s.experiences.count() == 600
    assert len(s.experiences.list(limit=1000)) == 600
    drawn = s.experiences.sample(3000, prioritised=True, seed=1)
    assert len({one.experience.id for one in drawn}) > 500
    drawn = s.experiences.sample(1000, seed=1)
    assert all(one.probability == pytest.approx(1 / 600) for one in drawn)
