"""User-defined strategies."""

from collections.abc import Generator
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.bandit.policies import custom, strategies
from seasoned.bandit.policies.arms import Arm
from seasoned.bandit.policies.custom import Scored, register_strategy
from seasoned.bandit.policies.strategies import policy_from, strategy_names
from seasoned.core.errors import BadInput

pytestmark = pytest.mark.sqlite_only


class Frugal(Scored):
    name = "frugal"

    def score(self, arm: Arm, total: float) -> float:
        return arm.mean - arm.variance


@pytest.fixture(autouse=True)
def nothing_stays() -> Generator[None]:
    yield
    custom.registered.clear()
    strategies._installed.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_a_registered_strategy_is_asked_for_by_name_or_as_custom(seasoned: Seasoned) -> None:
    register_strategy("frugal", Frugal)
    for arm, value in (("a", 0.0), ("b", 1.0)):
        seasoned.reward("task", arm, value)
    for strategy in ("frugal", "custom", "CUSTOM"):
        adapted = seasoned.adapt("task", strategy)
        assert adapted.choice is not None
        assert adapted.choice.arm == "b"
        assert "frugal gives it the highest score" in adapted.reasons[1]


def test_one_of_several_is_named_in_the_settings() -> None:
    register_strategy("frugal", Frugal)
    register_strategy("other", Frugal)
    assert isinstance(policy_from("custom", {"name": "frugal"}), Frugal)
    with pytest.raises(BadInput, match="give name=frugal or other"):
        policy_from("custom")


def test_a_package_brings_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    value = "seasoned.bandit.policies.ucb1:UCB1"
    entries = EntryPoints([EntryPoint("bold", value, strategies.GROUP)])

    def found(**_: Any) -> EntryPoints:
        return entries

    monkeypatch.setattr(strategies, "entry_points", found)
    strategies._installed.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert "bold" in strategy_names()
    assert policy_from("bold").name == "ucb1"


def test_without_a_registered_strategy_custom_says_how_to_register_one() -> None:
    with pytest.raises(BadInput, match=r"register_strategy.*entry point in 'seasoned.strategies'"):
        policy_from("custom")


@pytest.mark.parametrize("name", ["", "custom", " "])
def test_a_name_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="give it a name of its own"):
        register_strategy(name, Frugal)


def test_what_is_no_policy_is_refused() -> None:
    wrong: Any = dict
    with pytest.raises(BadInput, match="a subclass of Policy"):
        register_strategy("odd", wrong)
