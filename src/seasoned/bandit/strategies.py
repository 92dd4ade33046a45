"""Which strategies there are, by name: ours, those registered, those of installed packages."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from seasoned.bandit.custom import registered
from seasoned.bandit.epsilon_greedy import EpsilonGreedy
from seasoned.bandit.policy import Policy
from seasoned.bandit.softmax import Softmax
from seasoned.bandit.thompson import Thompson
from seasoned.bandit.ucb1 import UCB1
from seasoned.core.errors import BadInput

GROUP = "seasoned.strategies"
CUSTOM = "custom"
OURS: dict[str, type[Policy]] = {
    strategy.name: strategy for strategy in (UCB1, EpsilonGreedy, Softmax, Thompson)
}


def strategy_names() -> list[str]:
    """All that may be asked for."""
    return [*OURS, *sorted({*registered, *_installed()} - set(OURS)), CUSTOM]


def policy_from(
    strategy: str, params: Mapping[str, Any] | None = None, state: Mapping[str, Any] | None = None
) -> Policy:
    """A strategy with its settings, going on from a state if one is given.

    >>> policy_from("epsilon_greedy", {"epsilon": 0.2}).params["epsilon"]
    0.2
    """
    given = dict(params or {})
    kind = strategy_named(strategy, given)
    try:
        return kind.from_state(state, given) if state else kind(**given)
    except TypeError as error:
        known = ", ".join(kind().params) or "none"
        raise BadInput(
            f"{strategy} cannot be made with {', '.join(given)} ({error}); its settings are {known}"
        ) from error


def strategy_named(strategy: str, params: dict[str, Any]) -> type[Policy]:
    """The strategy of a name, in any case; `custom` is the one that `params["name"]` names.

    The name is taken out of the settings: it is none of the strategy's own.
    """
    name = strategy.strip().lower()
    if name == CUSTOM:
        name = _custom_name(params.pop("name", None))
    found = registered.get(name) or OURS.get(name)
    if found is None and (entry := _installed().get(name)) is not None:
        found = entry.load()
        if not (isinstance(found, type) and issubclass(found, Policy)):
            raise BadInput(f"strategy {name!r} ({entry.value}) is no subclass of Policy")
    if found is None:
        raise BadInput(f"no strategy {strategy!r}; there are {', '.join(strategy_names())}")
    return found


def _custom_name(named: object) -> str:
    own = sorted({*registered, *_installed()})
    if isinstance(named, str) and named:
        return named.lower()
    if len(own) == 1:
        return own[0]
    if not own:
        raise BadInput(
            "no custom strategy is there; register one with register_strategy(name, Policy), "
            f"or install a package with an entry point in {GROUP!r}"
        )
    raise BadInput(f"several custom strategies are there; say name={' or '.join(own)}")


@cache
def _installed() -> dict[str, Any]:
    return {entry.name.lower(): entry for entry in entry_points(group=GROUP)}
