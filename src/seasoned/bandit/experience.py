"""An experience: the state an agent was in, the action it took and the reward that followed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seasoned.bandit.call import KINDS, Call, Kind
from seasoned.core.errors import BadInput
from seasoned.core.ids import canonical, digest
from seasoned.core.limits import (
    LARGEST_COUNT,
    LARGEST_REWARD,
    LATEST,
    LEAST_PROPENSITY,
    is_within,
    shown,
)
from seasoned.core.plain import safe_text

VARIANTS = ("arm", "variant")
# Keys under which agents name the skill or tool of an action; ours first.
NAMES: dict[Kind, tuple[str, ...]] = {
    "skill": ("skill", "skill_name", "component_name"),
    "tool": ("tool", "tool_name"),
}
WORK = tuple(name for names in NAMES.values() for name in names)
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
        if not is_within(self.reward, -LARGEST_REWARD, LARGEST_REWARD):
            raise BadInput(
                f"the reward of experience {self.id} is {shown(self.reward)}; give a number "
                f"up to {LARGEST_REWARD:g}"
            )
        if self.propensity is not None and not is_within(self.propensity, LEAST_PROPENSITY, 1):
            raise BadInput(
                f"the propensity of experience {self.id} is {shown(self.propensity)}; it must be "
                f"at least {LEAST_PROPENSITY:g}, above 0, and at most 1"
            )
        if not is_within(self.step, -LARGEST_COUNT, LARGEST_COUNT):
            raise BadInput(f"the step of experience {self.id} is {shown(self.step)}")
        if not is_within(self.at, 0, LATEST):
            raise BadInput(
                f"the time of experience {self.id} is {shown(self.at)}; give microseconds"
            )


def decision_of(action: Mapping[str, Any]) -> str:
    """Return the skill or tool whose variants were the arms; '' if skills themselves were.

    >>> decision_of({"skill": "search", "arm": "bm25"}), decision_of({"skill": "search"})
    ('search', '')
    """
    if _first(action, VARIANTS) is None:
        return ""
    return _first(action, WORK) or ""


def arm_of(action: Mapping[str, Any]) -> str:
    """Return the arm that was taken: the variant, else the skill or tool, else the whole action.

    >>> arm_of({"skill": "search", "arm": "bm25"}), arm_of({"type": "inc"})
    ('bm25', '{"type":"inc"}')
    >>> arm_of({"skill_name": "search", "input": {}})
    'search'
    """
    named = _first(action, (*VARIANTS, *WORK))
    whole = named if named is not None else canonical(action)
    return whole if len(whole) <= LONGEST_ARM else f"{whole[:LONGEST_ARM]}…{digest(whole)}"


def call_of(action: Mapping[str, Any], at: int, reward: float = 0.0) -> Call | None:
    """Return the call of a skill or tool that the action reports.

    An action that names one without an outcome is a call whose reward is its score. A variant was
    chosen, not called: it counts only with an outcome.

    >>> call_of({"skill_name": "search", "input": {}}, 0, 0.5)
    Call(kind='skill', name='search', success=None, duration_ms=None, score=0.5, at=0, counted=True)
    """
    success, took = action.get("success"), action.get("duration_ms")
    kind: Kind | None = next((one for one in KINDS if _first(action, NAMES[one])), None)
    is_silent = success is None and took is None
    if kind is None or (is_silent and _first(action, VARIANTS) is not None):
        return None
    name = _first(action, NAMES[kind]) or ""
    if is_silent:
        return Call(kind, name, score=min(1.0, max(-1.0, reward)), at=at, counted=True)
    if took is not None and (isinstance(took, bool) or not isinstance(took, int | float)):
        raise BadInput(f"duration_ms of an action is {took!r}; give a number")
    if success is not None and not isinstance(success, bool):
        raise BadInput(f"success of an action is {success!r}; give true or false")
    return Call(kind, name, success, took, at=at)


def _first(action: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    values = (action.get(name) for name in names)
    return next((safe_text(value) for value in values if value is not None and value != ""), None)
