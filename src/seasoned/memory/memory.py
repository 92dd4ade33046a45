"""Remember conversations in the background: observe, reflect, compact.

The rows say what to do: finished turns after `observed_to`, observations without a reflection,
messages after `compacted_to`. Results and marks are written in one transaction, so nothing is
observed twice, whatever the number of workers and after any crash.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from seasoned.core.clock import Clock
from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact
from seasoned.llm.model import Model
from seasoned.memory.compact import (
    CompactConfig,
    SummaryConfig,
    compact_to,
    requests_in,
    summary_of,
)
from seasoned.memory.condense import MOST_OPEN, consolidate, observe, reflect, window
from seasoned.memory.memory_store import LATEST, MemoryStore
from seasoned.memory.observation import PLAIN, Observation, Reflection
from seasoned.sessions.session import Session, SessionMessage
from seasoned.sessions.session_store import SessionStore

log = logging.getLogger("seasoned.memory")

T = TypeVar("T")

MOST_SUMMARISED = 1000  # observations in a summary
MOST_REFLECTED = 400  # observations in one reflection


@dataclass(frozen=True, slots=True)
class MemorySettings:
    observe_tokens: int = 1000
    reflect_tokens: int = 2000
    consolidate_at: int = 5
    summary: SummaryConfig = field(default_factory=SummaryConfig)
    compact: CompactConfig = field(default_factory=CompactConfig)


class Memory:
    """Without a `model`, memories are made by rules (`made_by` is `plain`)."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        model: Model | None,
        settings: MemorySettings | None = None,
    ) -> None:
        self.db = db
        self.clock = clock
        self.sessions = SessionStore()
        self.store = MemoryStore()
        self.model = model
        self.settings = settings or MemorySettings()

    @property
    def by(self) -> str:
        return self.model.name if self.model is not None else PLAIN

    def work(self, most: int) -> int:
        """Do up to `most` pieces of work; return how many. Runs in the worker's thread."""
        done = 0
        for step in (
            self._observe_some,
            self._reflect_some,
            self._consolidate_some,
            self._compact_some,
        ):
            done += step(most - done)
            if done >= most:
                break
        return done

    def _observe_some(self, most: int) -> int:
        tokens = self.settings.observe_tokens

        async def waiting() -> Sequence[Session]:
            async with self.db.read() as tx:
                keys = await self.store.waiting(tx, "observed_to", tokens, most)
                return [await self.sessions.get(tx, key) for key in keys]

        return self._work_through(most, lambda: self.db.run(waiting()), self.observe)

    def observe(self, session: Session) -> bool:
        """Observe the next finished turns of a session; return False if there were none."""
        messages, open_ones = self.db.run(self._unobserved(session))
        if not messages:
            return False
        (found, over), by = self._with_model(lambda model: observe(messages, open_ones, model))
        upto, now = messages[-1].seq, self.clock.now()

        async def store(tx: Connection) -> bool:
            if not await self.sessions.advance(tx, session, "observed_to", upto):
                return False
            await self.store.add(tx, session.key, found, by, now)
            await self.store.settle(tx, over, upto)
            return True

        return self.db.run(transact(self.db, store))

    async def _unobserved(
        self, session: Session
    ) -> tuple[Sequence[SessionMessage], Sequence[Observation]]:
        """Return the unobserved messages of finished turns, and the open observations."""
        async with self.db.read() as tx:
            messages = await self.sessions.messages(tx, session.key, session.observed_to)
            turns = await self.sessions.turns(tx, session.key)
            open_ones = await self.store.binding(tx, session.key, MOST_OPEN)
        # An open turn that another one follows was cut off; only the last can be in progress.
        going_on = {one.turn for one in turns[-1:] if one.status == "open"}
        until = next((n for n, one in enumerate(messages) if one.turn in going_on), len(messages))
        return window(messages[:until]), open_ones

    def _reflect_some(self, most: int) -> int:
        tokens = self.settings.reflect_tokens

        async def waiting() -> Sequence[int]:
            async with self.db.read() as tx:
                return await self.store.to_reflect(tx, tokens, most)

        return self._work_through(most, lambda: self.db.run(waiting()), self.reflect)

    def reflect(self, session: int) -> bool:
        """Make a reflection from the observations of a session that are in none yet."""

        async def read() -> Sequence[Observation]:
            async with self.db.read() as tx:
                return (await self.store.unreflected(tx, session))[:MOST_REFLECTED]

        taken = self.db.run(read())
        if not taken:
            return False
        text, by = self._with_model(lambda model: reflect(taken, model))
        now = self.clock.now()

        async def store(tx: Connection) -> bool:
            return await self.store.reflect(tx, taken, text, by, now) is not None

        return self.db.run(transact(self.db, store))

    def _consolidate_some(self, most: int) -> int:
        async def waiting() -> Sequence[int]:
            async with self.db.read() as tx:
                return await self.store.to_consolidate(tx, self.settings.consolidate_at, most)

        return self._work_through(most, lambda: self.db.run(waiting()), self.consolidate)

    def consolidate(self, session: int) -> bool:
        """Merge the reflections of a session, if there are two or more."""

        async def read() -> Sequence[Reflection]:
            async with self.db.read() as tx:
                return await self.store.reflections(tx, session)

        taken = self.db.run(read())
        if len(taken) < 2:
            return False
        text, by = self._with_model(lambda model: consolidate(taken, model))
        now = self.clock.now()

        async def store(tx: Connection) -> bool:
            return await self.store.consolidate(tx, taken, text, by, now) is not None

        return self.db.run(transact(self.db, store))

    def _compact_some(self, most: int) -> int:
        tokens, done = self.settings.compact.from_tokens, 0

        async def waiting() -> Sequence[Session]:
            async with self.db.read() as tx:
                keys = await self.store.waiting(tx, "compacted_to", tokens, LATEST)
                return [await self.sessions.get(tx, key) for key in keys]

        for session in self.db.run(waiting()) if most else ():
            done += self.compact(session)
            if done == most:
                break
        return done

    def compact(self, session: Session) -> bool:
        """Replace the older messages by a summary; return False if all of them must stay."""
        summary = self.db.run(self._summary(session))
        if summary is None:
            return False

        async def store(tx: Connection) -> bool:
            return await self.sessions.compact(tx, session, *summary)

        return self.db.run(transact(self.db, store))

    async def _summary(self, session: Session) -> tuple[int, str] | None:
        """Return the last message to summarise, and the summary."""
        async with self.db.read() as tx:
            messages = await self.sessions.messages(tx, session.key, session.compacted_to)
            upto = compact_to(messages, session.observed_to, self.settings.compact)
            if upto is None:
                return None
            observations = await self.store.telling(tx, session.key, upto, MOST_SUMMARISED)
            reflections = await self.store.reflections(tx, session.key)
        requests = requests_in(session.summary, [one for one in messages if one.seq <= upto])
        return upto, summary_of(observations, reflections, self.settings.summary, requests)

    def _work_through(
        self, most: int, waiting: Callable[[], Sequence[T]], work: Callable[[T], bool]
    ) -> int:
        """Work through what waits, as long as there is progress."""
        done, progress = 0, True
        while progress and done < most:
            progress = False
            for one in waiting()[: most - done]:
                if work(one):
                    done += 1
                    progress = True
        return done

    def _with_model(self, make: Callable[[Model | None], T]) -> tuple[T, str]:
        """Use the model and return its name too; without a usable answer, use rules."""
        try:
            return make(self.model), self.by
        except ModelUnavailable:
            raise
        except ModelError as error:
            log.warning("%s: unusable answer, remembered by rules instead (%s)", self.by, error)
            return make(None), PLAIN
