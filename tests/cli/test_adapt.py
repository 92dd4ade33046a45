"""`seasoned adapt …` and `seasoned stats`."""

from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]


def test_a_choice_is_made_rewarded_and_judged(seasoned: Call, answer: Answer) -> None:
    chosen = answer("adapt", "choose", "search", "--arm", "bm25", "--arm", "vectors", "--seed", "1")
    assert chosen["choice"] in ("bm25", "vectors")
    assert chosen["propensity"] == 0.5
    for value in ("1", "1", "0.5"):
        assert answer("adapt", "reward", "search", "bm25", value)["new"]
    seasoned("adapt", "reward", "search", "vectors", "0", "--id", "r1")
    again = seasoned("adapt", "reward", "search", "vectors", "0", "--id", "r1")
    assert "not counted again" in again.stderr
    shown = seasoned(
        "adapt", "choose", "search", "--strategy", "epsilon_greedy", "--param", "epsilon=0"
    )
    assert shown.stdout.splitlines()[0] == "bm25"
    assert "'bm25' earned 0.8333 on average in 3 tries" in shown.stdout
    judged = answer("adapt", "evaluate", "thompson", "--name", "search", "--interval", "bootstrap")
    assert judged["steps"] == 4
    assert [one["estimator"] for one in judged["estimates"]] == ["ips", "snips", "dr"]
    assert "4 logged steps" in seasoned("adapt", "evaluate", "ucb1", "--name", "search").stdout


def test_stats_show_what_was_observed(seasoned: Call, answer: Answer) -> None:
    assert seasoned("stats").stdout == ""
    seasoned("observe", "deploy", "--error", "no region given")
    (record,) = answer("stats")
    assert (record["name"], record["kind"], record["calls_failed"]) == ("deploy", "tool", 1)
    assert "deploy" in seasoned("stats", "--days", "7").stdout
    assert answer("stats", "--kind", "skill") == []


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("adapt", "choose", "x", "--strategy", "magic"), 2, "there are ucb1"),
        (("adapt", "choose", "x", "--param", "epsilon"), 2, "is not KEY=VALUE"),
        (("adapt", "choose", "x", "--param", "nothing=1", "--arm", "a"), 2, "its settings are"),
        (("adapt", "choose", "x"), 0, "nothing is known of 'x' yet"),
        (("adapt", "reward", "x", "a", "much"), 2, "VALUE"),
        (("adapt", "reward", "x", "a", "nan"), 2, "give a number"),
        (("adapt", "evaluate", "ucb1"), 3, "no experience"),
        (("adapt", "evaluate", "magic"), 2, "there are ucb1"),
        (("stats", "--days", "0"), 2, "number of days"),
    ],
)
def test_errors_have_their_exit_codes(
    seasoned: Call, args: tuple[str, ...], code: int, told: str
) -> None:
    result = seasoned(*args)
    assert result.exit_code == code, result.output
    assert told in result.stderr
    assert "Traceback" not in result.output
