"""Look strategies up by name: built-in, registered, or from installed packages."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from seasoned.bandit.policies.custom import registered
from seasoned.bandit.policies.epsilon_greedy import EpsilonGreedy
from seasoned.bandit.policies.policy import Policy
from seasoned.bandit.policies.softmax import Softmax
from seasoned.bandit.policies.thompson import Thompson
from seasoned.bandit.policies.ucb1 import UCB1
from seasoned.core.errors import BadInput

GROUP = "seasoned.strategies"
CUSTOM = "custom"
BUILTIN: dict[str, type[Policy]] = {
    strategy.name: strategy for strategy in (UCB1, EpsilonGreedy, Softmax, Thompson)
}
# Strategies that agents of the learn protocol ask for by default, and the nearest one of ours.
# PPO trains a network by policy gradients; softmax, too, moves preferences gradually with rewards.
STAND_INS = {"ppo": Softmax.name}


def strategy_names() -> list[str]:
    """List the names of all available strategies."""
    return [*BUILTIN, *sorted({*registered, *_installed()} - set(BUILTIN)), CUSTOM]


def available(strategy: str) -> str:
    """Return the name of the strategy that serves a request for this one.

    >>> available("UCB1"), available("ppo")
    ('ucb1', 'softmax')
    """
    name = strategy.strip().lower()
    is_own = name in registered or name in _installed()
    return name if is_own else STAND_INS.get(name, name)


def policy_from(
    strategy: str, params: Mapping[str, Any] | None = None, state: Mapping[str, Any] | None = None
) -> Policy:
    """Build a strategy with its settings, and restore a state if one is given.

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
    """Return the strategy class of a name, in any case.

    `custom` stands for the strategy in `params["name"]`; that key is removed from `params`.
    """
    name = available(strategy)
    if name == CUSTOM:
        name = _custom_name(params.pop("name", None))
    found = registered.get(name) or BUILTIN.get(name)
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
            "there is no custom strategy; register one with register_strategy(name, Policy), "
            f"or install a package with an entry point in {GROUP!r}"
        )
    raise BadInput(f"there are several custom strategies; give name={' or '.join(own)}")


@cache
def _installed() -> dict[str, Any]:
    return {entry.name.lower(): entry for entry in entry_points(group=GROUP)}
