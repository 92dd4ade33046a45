"""`s.adapt`, `s.reward`, `s.stats`, `s.evaluate`: choose by reward, and show the figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.api.face import AsyncFace, SyncFace, sync

if TYPE_CHECKING:
    from seasoned.bandit.adaptation import AdaptationResult
    from seasoned.bandit.call import Kind
    from seasoned.bandit.evaluation import EvaluationResult
    from seasoned.bandit.performance import DailyRecord, PerformanceRecord
    from seasoned.bandit.standing import Standing
    from seasoned.db.keyset import Place


class AsyncAdaptationFace(AsyncFace):
    """Adaptation of one scope."""

    async def adapt(
        self,
        name: str = "",
        strategy: str = "ucb1",
        *,
        arms: Sequence[str] | None = None,
        seed: int | str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> "AdaptationResult":
        """Choose an arm for this decision; the result has the reasons and the arms' records.

        Strategies are ucb1, epsilon_greedy, softmax, thompson, and registered ones. Default for
        `arms`: those known from rewards and records; `params` configure the strategy. With a
        `seed`, the same rewards lead to the same choice.
        """
        adapted = self._app.adaptation.adapt(
            name, strategy, self._scope, arms=arms, seed=seed, params=params
        )
        return await self._run(adapted)

    async def reward(
        self,
        name: str,
        arm: str,
        value: float,
        *,
        id: str | None = None,  # noqa: A002 - as in an experience
        context: Mapping[str, Any] | None = None,
        propensity: float | None = None,
        policy: str | None = None,
    ) -> bool:
        """Record the reward of an arm; return False if this id was recorded before."""
        rewarded = self._app.adaptation.reward(
            name,
            arm,
            value,
            self._scope,
            id=id,
            context=context,
            propensity=propensity,
            policy=policy,
        )
        return await self._run(rewarded)

    async def stats(
        self, name: str | None = None, *, kind: "Kind | None" = None, days: int | None = None
    ) -> "Sequence[PerformanceRecord]":
        """Return the performance of skills and tools, of all time or of the last days."""
        return await self._run(self._app.performance.records(self._scope, kind, name, days))

    async def daily(self, days: int = 30, *, kind: "Kind | None" = None) -> "Sequence[DailyRecord]":
        """Return the calls and failures of skills and tools on each of the last days (UTC)."""
        return await self._run(self._app.performance.daily(self._scope, kind, days))

    async def standings(
        self, *, limit: int = 50, after: "Place | None" = None
    ) -> "Sequence[Standing]":
        """Return the arms of each decision as each strategy sees them, the latest used first."""
        return await self._run(self._app.adaptation.standings(self._scope, max(0, limit), after))

    async def evaluate(
        self,
        strategy: str,
        *,
        name: str = "",
        params: Mapping[str, Any] | None = None,
        clip: float | None = None,
        confidence: float = 0.95,
        interval: str = "normal",
        limit: int = 20_000,
    ) -> "EvaluationResult":
        """Estimate what a strategy would have earned on the experiences of this decision."""
        evaluated = self._app.evaluation.evaluate(
            strategy,
            self._scope,
            name=name,
            params=params,
            clip=clip,
            confidence=confidence,
            interval=interval,
            limit=limit,
        )
        return await self._run(evaluated)


class AdaptationFace(SyncFace[AsyncAdaptationFace]):
    """The synchronous twin."""

    adapt = sync(AsyncAdaptationFace.adapt)
    reward = sync(AsyncAdaptationFace.reward)
    stats = sync(AsyncAdaptationFace.stats)
    daily = sync(AsyncAdaptationFace.daily)
    standings = sync(AsyncAdaptationFace.standings)
    evaluate = sync(AsyncAdaptationFace.evaluate)
