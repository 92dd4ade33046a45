"""Show where a decision stands: what each arm earned so far, and how likely it is taken next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from seasoned.bandit.policies.arms import FORGOTTEN
from seasoned.bandit.policies.policy import Policy
from seasoned.db.keyset import Place

WIDTH = 1.96  # standard errors on each side: 95 %
LEAST_TRIES = 2  # below that there is no spread to tell an interval from


@dataclass(frozen=True, slots=True)
class ArmStanding:
    """An arm; `low` and `high` bound its mean reward with 95 %, None without enough tries.

    `tries` are the rewards that still count; `probability` is that of being chosen now.
    """

    name: str
    tries: float
    mean: float | None
    low: float | None
    high: float | None
    probability: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A strategy's view of a decision; `note` says why it has no arms, if it cannot be read."""

    name: str
    strategy: str
    params: Mapping[str, Any]
    choices: int
    rewards: int
    restarts: int  # detected changes of the rewards
    chosen_at: int
    arms: Sequence[ArmStanding] = ()
    note: str = ""

    @property
    def place(self) -> Place:
        """Where it stands in the list: `after` of the next page."""
        return (self.chosen_at, self.name, self.strategy)


def standings(policy: Policy, names: Sequence[str]) -> list[ArmStanding]:
    """Return the arms, the likeliest first."""
    chances = policy.probabilities(names) if names else []
    found = [_arm(policy, name, chance) for name, chance in zip(names, chances, strict=True)]
    return sorted(found, key=lambda one: (-one.probability, one.name))


def _arm(policy: Policy, name: str, chance: float) -> ArmStanding:
    arm = policy.arms.of(name)
    if arm.tries < FORGOTTEN:
        return ArmStanding(name, 0.0, None, None, None, chance)
    if arm.tries < LEAST_TRIES:
        return ArmStanding(name, arm.tries, arm.mean, None, None, chance)
    half = WIDTH * sqrt(arm.spread / (arm.tries - 1) / arm.tries)
    return ArmStanding(name, arm.tries, arm.mean, arm.mean - half, arm.mean + half, chance)
