"""Evaluate a strategy on stored experiences, without running it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seasoned.bandit.experiences import Experiences
from seasoned.bandit.off_policy import ESTIMATORS, Estimate, LoggedStep, estimate, replay_log
from seasoned.bandit.policies.strategies import policy_from
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.security.stored import stored_name


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """Estimates beside the reward that was really earned; `guessed` steps had no propensity."""

    strategy: str
    name: str
    steps: int
    guessed: int
    earned: float  # logged mean reward per step
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
    ) -> EvaluationResult:
        """Replay a strategy along the newest experiences of a decision, oldest first."""
        policy = policy_from(strategy, params)
        if limit < 1:
            raise BadInput(f"limit is {limit}; it must be 1 or more")
        name = stored_name(name)
        async with self.db.read() as tx:
            rows = await self.experiences.store.rewards(tx, scope, name, 0, limit)
        if not rows:
            what = f"decision {name!r}" if name else "choices between skills"
            raise NotFound(
                f"no experience of {what} is stored; record some, or name another decision"
            )
        steps = [LoggedStep(row.arm, row.reward, row.propensity) for row in rows]
        log = replay_log(policy, steps)
        return EvaluationResult(
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
