"""`s.experiences`: actions with their state and reward, for replay."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, SyncFace, sync

if TYPE_CHECKING:
    from seasoned.bandit.experience import Experience
    from seasoned.bandit.replay_buffer import ReplaySample


class AsyncExperiencesFace(AsyncFace):
    """Experiences of one scope."""

    async def add(self, items: "Sequence[Experience]") -> int:
        """Store experiences, all or nothing; return how many are new."""
        return await self._run(self._app.experiences.add(items, self._scope))

    async def sample(
        self,
        count: int = 32,
        *,
        policy: str | None = None,
        on_policy: bool = True,
        prioritised: bool = False,
        beta: float = 0.4,
        seed: int | None = None,
    ) -> "Sequence[ReplaySample]":
        """Draw experiences: all, those of `policy` or, with `on_policy=False`, all but those."""
        drawn = self._app.experiences.sample(
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
        """Set errors by id; experiences with larger errors are drawn more often."""
        return await self._run(self._app.experiences.prioritise(errors, self._scope))

    async def list(
        self, *, name: str | None = None, limit: int = 50, before: str | None = None
    ) -> "Sequence[Experience]":
        """List experiences of one decision or of all, newest first.

        `before` is the id of the last one of the page before.
        """
        return await self._run(
            self._app.experiences.list(self._scope, decision=name, limit=limit, before=before)
        )

    async def count(self) -> int:
        return await self._run(self._app.experiences.count(self._scope))


class ExperiencesFace(SyncFace[AsyncExperiencesFace]):
    """The synchronous twin."""

    add = sync(AsyncExperiencesFace.add)
    sample = sync(AsyncExperiencesFace.sample)
    prioritise = sync(AsyncExperiencesFace.prioritise)
    list = sync(AsyncExperiencesFace.list)
    count = sync(AsyncExperiencesFace.count)
