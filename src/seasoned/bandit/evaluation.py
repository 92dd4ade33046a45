"""Says what a strategy would have earned on the experiences that are stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seasoned.bandit.experiences import Experiences
from seasoned.bandit.off_policy import ESTIMATORS, Estimate, estimate
from seasoned.bandit.replayed import Step, replayed
from seasoned.bandit.strategies import policy_from
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Database


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The estimates beside what was really earned; `guessed` steps had no noted propensity."""

    strategy: str
    name: str
    steps: int
    guessed: int
    earned: float  # the mean reward of a step, as it was logged
    estimates: tuple[Estimate, ...]
    arms: int


class Evaluation:
    def __init__(self, db: Database, experiences: Experiences) -> None:
        self.db = db
        self.experiences = experiences

    async def evaluate(
        self,
        strategy: str,
        scope: Scope,
        *,
        name: str = "",
        params: Mapping[str, Any] | None = None,
        clip: float | None = None,
        confidence: float = 0.95,
        interval: str = "normal",
        limit: int = 20_000,
    ) -> Evaluated:
        """Plays it along the newest so many experiences of a decision, in their order."""
        policy = policy_from(strategy, params)
        if limit < 1:
            raise BadInput(f"limit is {limit}; it must be 1 or more")
        name = storable(name)
        async with self.db.read() as tx:
            rows = await self.experiences.store.rewards(tx, scope, name, 0, limit)
        if not rows:
            what = f"decision {name!r}" if name else "choices between skills"
            raise NotFound(f"no experience of {what} is stored; record some, or name another")
        steps = [Step(row.arm, row.reward, row.propensity) for row in rows]
        log = replayed(policy, steps)
        return Evaluated(
            strategy,
            name,
            len(steps),
            sum(step.propensity is None for step in steps),
            sum(step.reward for step in steps) / len(steps),
            tuple(
                estimate(log, one, clip=clip, confidence=confidence, interval=interval)
                for one in ESTIMATORS
            ),
            len({step.arm for step in steps}),
        )
