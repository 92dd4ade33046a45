"""Experience as it is kept and asked for: added durably, each once, and drawn for replay."""

from collections.abc import Mapping, Sequence
from math import isfinite
from random import Random

from seasoned.bandit.action import call_of
from seasoned.bandit.experience import Experience
from seasoned.bandit.experience_store import ExperienceStore
from seasoned.bandit.performance import Performance
from seasoned.bandit.replay_buffer import Drawn, ReplayBuffer
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact

ALPHA = 0.6  # how much an error counts for the priority (Schaul et al., 2016)
LEAST_ERROR = 1e-3  # so that nothing is never drawn again


class Experiences:
    """With `performance`, a call that an action tells of counts for its skill or tool too."""

    def __init__(self, db: Database, clock: Clock, performance: Performance | None = None) -> None:
        self.db = db
        self.clock = clock
        self.performance = performance
        self.store = ExperienceStore()
        self.buffer = ReplayBuffer(self.store)

    async def add(self, items: Sequence[Experience], scope: Scope) -> int:
        """Stores them in one transaction; how many were new. Durable when it returns."""
        for item in items:
            call_of(item.action, item.at)  # what it cannot be read from is refused before
        if not items:
            return 0
        return await transact(self.db, lambda tx: self.add_within(tx, items, scope))

    async def add_within(self, tx: Connection, items: Sequence[Experience], scope: Scope) -> int:
        """The same inside the caller's transaction."""
        new = await self.store.add(tx, items, scope, self.clock.now())
        if self.performance is not None:
            told = [call_of(item.action, item.at) for item in new]
            calls = [call for call in told if call is not None]
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
    ) -> Sequence[Drawn]:
        """Draws so many, with replacement; none when there are none.

        Without `policy`, of all that is stored. With it, of what that version did (on-policy), or
        with `on_policy=False` of what every other version did.
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
        """Says how surprising experiences were, by their ids: those are drawn more often.

        The priority is (|error| + 0.001) to the power of alpha. A new experience has the highest
        that any had, so that it is seen soon. Returns how many of them there are.
        """
        for name, error in errors.items():
            if not (isfinite(error) and abs(error) < 1e100):
                raise BadInput(f"the error of experience {name} is {error}; give a number")
        if not 0 <= alpha <= 1:
            raise BadInput(f"alpha is {alpha}; it must be from 0 to 1")
        priorities = {name: (abs(error) + LEAST_ERROR) ** alpha for name, error in errors.items()}
        return await transact(self.db, lambda tx: self.store.prioritise(tx, scope, priorities))

    async def list(
        self, scope: Scope, *, decision: str | None = None, limit: int = 50
    ) -> Sequence[Experience]:
        """The newest first, of one decision or of all."""
        async with self.db.read() as tx:
            return await self.store.latest(tx, scope, decision, limit)

    async def count(self, scope: Scope) -> int:
        async with self.db.read() as tx:
            return await self.store.count(tx, scope)
