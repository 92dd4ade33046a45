"""An experience: the state an agent was in, the action it took and the reward that followed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from seasoned.bandit.call import KINDS, Call, Kind
from seasoned.core.errors import BadInput
from seasoned.core.ids import canonical, digest

VARIANTS = ("arm", "variant")
LONGEST_ARM = 200


@dataclass(frozen=True, slots=True)
class Experience:
    """One step of an episode.

    `policy` is the version that chose the action, `propensity` the probability with which it did.
    An action may also report a call: `skill` or `tool`, `duration_ms`, `success`.
    """

    id: str
    state: Mapping[str, Any] = field(default_factory=dict[str, Any])
    action: Mapping[str, Any] = field(default_factory=dict[str, Any])
    reward: float = 0.0
    next_state: Mapping[str, Any] = field(default_factory=dict[str, Any])
    done: bool = False
    episode_id: str = ""
    step: int = 0
    at: int = 0  # microseconds since 1970
    policy: str = ""
    propensity: float | None = None

    def __post_init__(self) -> None:
        if not self.id:
            raise BadInput("an experience needs an id, so that it counts once")
        if not isfinite(self.reward):
            raise BadInput(f"the reward of experience {self.id} is {self.reward}; give a number")
        if self.propensity is not None and not 0 < self.propensity <= 1:
            raise BadInput(
                f"the propensity of experience {self.id} is {self.propensity}; it must be above 0 "
                "and at most 1"
            )


def decision_of(action: Mapping[str, Any]) -> str:
    """Return the skill or tool whose variants were the arms; '' if skills themselves were.

    >>> decision_of({"skill": "search", "arm": "bm25"}), decision_of({"skill": "search"})
    ('search', '')
    """
    if _first(action, VARIANTS) is None:
        return ""
    return _first(action, KINDS) or ""


def arm_of(action: Mapping[str, Any]) -> str:
    """Return the arm that was taken: the variant, else the skill or tool, else the whole action.

    >>> arm_of({"skill": "search", "arm": "bm25"}), arm_of({"type": "inc"})
    ('bm25', '{"type":"inc"}')
    """
    named = _first(action, (*VARIANTS, *KINDS))
    whole = named if named is not None else canonical(action)
    return whole if len(whole) <= LONGEST_ARM else f"{whole[:LONGEST_ARM]}…{digest(whole)}"


def call_of(action: Mapping[str, Any], at: int) -> Call | None:
    """Return the call of a skill or tool that the action reports, if it says how the call went."""
    success, took = action.get("success"), action.get("duration_ms")
    kind: Kind | None = next((one for one in KINDS if _first(action, (one,)) is not None), None)
    if kind is None or (success is None and took is None):
        return None
    if took is not None and (isinstance(took, bool) or not isinstance(took, int | float)):
        raise BadInput(f"duration_ms of an action is {took!r}; give a number")
    if success is not None and not isinstance(success, bool):
        raise BadInput(f"success of an action is {success!r}; give true or false")
    return Call(kind, str(action[kind]), success, took, at=at)


def _first(action: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    values = (action.get(name) for name in names)
    return next((str(value) for value in values if value is not None and value != ""), None)
