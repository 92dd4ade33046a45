"""Add experiences durably, each once, and sample them for replay."""

from collections.abc import Mapping, Sequence
from math import isfinite
from random import Random

from seasoned.bandit.experience import Experience, call_of
from seasoned.bandit.experience_store import ExperienceStore
from seasoned.bandit.performance import Performance
from seasoned.bandit.replay_buffer import ReplayBuffer, ReplaySample
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput
from seasoned.core.limits import LARGEST_REWARD, is_within, shown
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact

ALPHA = 0.6  # exponent of the error in the priority (Schaul et al., 2016)
LEAST_ERROR = 1e-3  # keeps every priority above 0


class Experiences:
    """With `performance`, calls that actions report also count for their skill or tool."""

    def __init__(self, db: Database, clock: Clock, performance: Performance | None = None) -> None:
        self.db = db
        self.clock = clock
        self.performance = performance
        self.store = ExperienceStore()
        self.buffer = ReplayBuffer(self.store)

    async def add(self, items: Sequence[Experience], scope: Scope) -> int:
        """Store experiences in one transaction; return how many were new. Durable on return."""
        for item in items:
            call_of(item.action, item.at, item.reward)  # refuse an unreadable action before writing
        if not items:
            return 0
        return await transact(self.db, lambda tx: self.add_within(tx, items, scope))

    async def add_within(self, tx: Connection, items: Sequence[Experience], scope: Scope) -> int:
        """Store experiences inside the caller's transaction."""
        new = await self.store.add(tx, items, scope, self.clock.now())
        if self.performance is not None:
            found = (call_of(item.action, item.at, item.reward) for item in new)
            calls = [call for call in found if call is not None]
            if calls:
                await self.performance.note_within(tx, calls, scope)
        return len(new)

    async def sample(
        self,
        count: int,
        scope: Scope,
        *,
        policy: str | None = None,
        on_policy: bool = True,
        prioritised: bool = False,
        beta: float = 0.4,
        seed: int | None = None,
    ) -> Sequence[ReplaySample]:
        """Sample with replacement; empty if nothing is stored.

        Without `policy`, sample from everything; with it, from that version's experiences
        (on-policy), or with `on_policy=False` from those of all other versions.
        """
        if count < 0:
            raise BadInput(f"count is {count}; it must be 0 or more")
        if not (isfinite(beta) and beta >= 0):
            raise BadInput(f"beta is {beta}; it must be 0 or more")
        async with self.db.read() as tx:
            return await self.buffer.draw(
                tx,
                scope,
                count,
                policy=policy,
                on_policy=on_policy,
                prioritised=prioritised,
                beta=beta,
                rng=Random(seed),
            )

    async def prioritise(
        self, errors: Mapping[str, float], scope: Scope, *, alpha: float = ALPHA
    ) -> int:
        """Set priorities from prediction errors, by experience id; return how many were found.

        The priority is (|error| + 0.001) to the power of alpha. A new experience starts with the
        highest priority so far, so that it is replayed soon.
        """
        for name, error in errors.items():
            if not is_within(error, -LARGEST_REWARD, LARGEST_REWARD):
                raise BadInput(f"the error of experience {name} is {shown(error)}; give a number")
        if not 0 <= alpha <= 1:
            raise BadInput(f"alpha is {alpha}; it must be from 0 to 1")
        priorities = {name: (abs(error) + LEAST_ERROR) ** alpha for name, error in errors.items()}
        return await transact(self.db, lambda tx: self.store.prioritise(tx, scope, priorities))

    async def list(
        self,
        scope: Scope,
        *,
        decision: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> Sequence[Experience]:
        """List experiences of one decision or of all, newest first."""
        async with self.db.read() as tx:
            return await self.store.latest(tx, scope, decision, limit, before)

    async def count(self, scope: Scope) -> int:
        async with self.db.read() as tx:
            return await self.store.count(tx, scope)
