"""`s.experiences`: what was done in which state and what came of it, for replay."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from seasoned.core.scope import Scope
from seasoned.faces.driving import Driven, Run, sync

if TYPE_CHECKING:
    from seasoned.bandit.experience import Experience
    from seasoned.bandit.experiences import Experiences as Kept
    from seasoned.bandit.replay_buffer import Drawn


class AsyncExperiences:
    def __init__(self, kept: "Kept", scope: Scope, run: Run) -> None:
        self._kept = kept
        self._scope = scope
        self._run = run

    async def add(self, items: "Sequence[Experience]") -> int:
        """Stores experiences in one transaction; how many of them were new."""
        return await self._run(self._kept.add(items, self._scope))

    async def sample(
        self,
        count: int = 32,
        *,
        policy: str | None = None,
        on_policy: bool = True,
        prioritised: bool = False,
        beta: float = 0.4,
        seed: int | None = None,
    ) -> "Sequence[Drawn]":
        """Draws for replay: of all, of one policy's, or with `on_policy=False` of the others'."""
        drawn = self._kept.sample(
            count,
            self._scope,
            policy=policy,
            on_policy=on_policy,
            prioritised=prioritised,
            beta=beta,
            seed=seed,
        )
        return await self._run(drawn)

    async def prioritise(self, errors: Mapping[str, float]) -> int:
        """Says how surprising experiences were, by id: those are drawn more often."""
        return await self._run(self._kept.prioritise(errors, self._scope))

    async def list(self, *, name: str | None = None, limit: int = 50) -> "Sequence[Experience]":
        """The newest first, of one decision or of all."""
        return await self._run(self._kept.list(self._scope, decision=name, limit=limit))

    async def count(self) -> int:
        return await self._run(self._kept.count(self._scope))


class Experiences(Driven[AsyncExperiences]):
    """The same for synchronous code."""

    add = sync(AsyncExperiences.add)
    sample = sync(AsyncExperiences.sample)
    prioritise = sync(AsyncExperiences.prioritise)
    list = sync(AsyncExperiences.list)
    count = sync(AsyncExperiences.count)
