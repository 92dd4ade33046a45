"""An experience: in this state this was done, and that came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from seasoned.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Experience:
    """One step of an episode. `policy` is the version that chose, `propensity` how likely it was.

    Durations and success of a call travel in `action`: `skill` or `tool`, `duration_ms`, `success`.
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
