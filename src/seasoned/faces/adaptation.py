"""`s.adapt`, `s.reward`, `s.stats`, `s.evaluate`: choosing by what was earned, and its figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.core.scope import Scope
from seasoned.faces.driving import Driven, Run, sync

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.bandit.adaptation import Adapted
    from seasoned.bandit.call import Kind
    from seasoned.bandit.evaluation import Evaluated
    from seasoned.bandit.performance import PerformanceRecord


class AsyncAdaptation:
    def __init__(self, app: "App", scope: Scope, run: Run) -> None:
        self._app = app
        self._scope = scope
        self._run = run

    async def adapt(
        self,
        name: str = "",
        strategy: str = "ucb1",
        *,
        arms: Sequence[str] | None = None,
        seed: int | str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> "Adapted":
        """The arm to take now at this decision, why, and how it performed so far.

        Strategies are ucb1, epsilon_greedy, softmax, thompson, and those registered. Arms that
        are not given are those known from rewards and records; `params` are the strategy's
        settings. With a `seed`, the same rewards lead to the same choice.
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
        id: str | None = None,  # noqa: A002 - as the experience calls it
        context: Mapping[str, Any] | None = None,
        propensity: float | None = None,
        policy: str | None = None,
    ) -> bool:
        """Says what an arm earned; False if a reward of this id was told before."""
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
        """How skills and tools perform, for all time or over the last days."""
        return await self._run(self._app.performance.records(self._scope, kind, name, days))

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
    ) -> "Evaluated":
        """What a strategy would have earned on the experiences of this decision."""
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


class Adaptation(Driven[AsyncAdaptation]):
    """The same for synchronous code."""

    adapt = sync(AsyncAdaptation.adapt)
    reward = sync(AsyncAdaptation.reward)
    stats = sync(AsyncAdaptation.stats)
    evaluate = sync(AsyncAdaptation.evaluate)
