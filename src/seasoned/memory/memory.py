"""Remembers conversations, in the background: observes, reflects, and compacts what is long.

The work is derived from the rows: finished turns behind `observed_to`, observations without a
reflection, messages behind `compacted_to`. What is made and the mark that says so are written
together, so that nothing is observed twice, by however many workers, or after whatever crash.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from seasoned.core.clock import Clock
from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.llm.model import Model
from seasoned.memory.compact import CompactConfig, compactable
from seasoned.memory.memory_store import LATEST, MemoryStore
from seasoned.memory.observation import PLAIN, Observation, Reflection
from seasoned.memory.observe import MOST_OPEN, observed, window
from seasoned.memory.reflect import consolidated, reflected
from seasoned.memory.session import Kept, Session
from seasoned.memory.session_store import SessionStore
from seasoned.memory.summary import SummaryConfig, requests_in, summary_of

log = logging.getLogger("seasoned.memory")

T = TypeVar("T")

SUMMARISED = 1000  # observations that a summary is made of, at most
AT_ONCE = 400  # observations of one reflection


@dataclass(frozen=True, slots=True)
class MemorySettings:
    observe_tokens: int = 1000
    reflect_tokens: int = 2000
    consolidate_at: int = 5
    summary: SummaryConfig = field(default_factory=SummaryConfig)
    compact: CompactConfig = field(default_factory=CompactConfig)


class Memory:
    """`model` is None where there is none: then it goes by words (`made_by` is `plain`)."""

    def __init__(
        self,
        db: Database,
        sessions: SessionStore,
        store: MemoryStore,
        clock: Clock,
        model: Model | None,
        settings: MemorySettings | None = None,
    ) -> None:
        self.db = db
        self.sessions = sessions
        self.store = store
        self.clock = clock
        self.model = model
        self.settings = settings or MemorySettings()

    @property
    def by(self) -> str:
        return self.model.name if self.model is not None else PLAIN

    def work(self, most: int) -> int:
        """Does up to so many pieces; how many it did. Runs in the worker's thread."""
        done = 0
        for step in (self._observe_some, self._reflect_some, self._merge_some, self._compact_some):
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

        return self._all(most, lambda: self.db.run(waiting()), self.observe)

    def observe(self, session: Session) -> bool:
        """Condenses the next finished turns of a session; False when there was nothing to do."""
        messages, open_ones = self.db.run(self._unobserved(session))
        if not messages:
            return False
        (found, over), by = self._made(lambda model: observed(messages, open_ones, model))
        upto, now = messages[-1].seq, self.clock.now()

        async def stored(tx: Connection) -> bool:
            if not await self.sessions.advance(tx, session, "observed_to", upto):
                return False
            await self.store.add(tx, session.key, found, by, now)
            await self.store.settle(tx, over, upto)
            return True

        return self.db.run(transact(self.db, stored))

    async def _unobserved(self, session: Session) -> tuple[Sequence[Kept], Sequence[Observation]]:
        """What finished turns said and nobody has observed, up to the one that still goes on."""
        async with self.db.read() as tx:
            messages = await self.sessions.messages(tx, session.key, session.observed_to)
            turns = await self.sessions.turns(tx, session.key)
            open_ones = await self.store.binding(tx, session.key, MOST_OPEN)
        # One that was cut off and followed by another goes on no more, whatever its row says.
        going_on = {one.turn for one in turns[-1:] if one.status == "open"}
        until = next((n for n, one in enumerate(messages) if one.turn in going_on), len(messages))
        return window(messages[:until]), open_ones

    def _reflect_some(self, most: int) -> int:
        tokens = self.settings.reflect_tokens

        async def waiting() -> Sequence[int]:
            async with self.db.read() as tx:
                return await self.store.to_reflect(tx, tokens, most)

        return self._all(most, lambda: self.db.run(waiting()), self.reflect)

    def reflect(self, session: int) -> bool:
        """Makes one reflection of a session's observations that are in none yet."""

        async def unreflected() -> Sequence[Observation]:
            async with self.db.read() as tx:
                return (await self.store.unreflected(tx, session))[:AT_ONCE]

        taken = self.db.run(unreflected())
        if not taken:
            return False
        text, by = self._made(lambda model: reflected(taken, model))
        now = self.clock.now()

        async def stored(tx: Connection) -> bool:
            return await self.store.reflect(tx, taken, text, by, now) is not None

        return self.db.run(transact(self.db, stored))

    def _merge_some(self, most: int) -> int:
        async def waiting() -> Sequence[int]:
            async with self.db.read() as tx:
                return await self.store.to_consolidate(tx, self.settings.consolidate_at, most)

        return self._all(most, lambda: self.db.run(waiting()), self.consolidate)

    def consolidate(self, session: int) -> bool:
        """Makes one reflection of all that a session has, if there are two."""

        async def listed() -> Sequence[Reflection]:
            async with self.db.read() as tx:
                return await self.store.reflections(tx, session)

        taken = self.db.run(listed())
        if len(taken) < 2:
            return False
        text, by = self._made(lambda model: consolidated(taken, model))
        now = self.clock.now()

        async def stored(tx: Connection) -> bool:
            return await self.store.consolidate(tx, taken, text, by, now) is not None

        return self.db.run(transact(self.db, stored))

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
        """Lets a summary stand for the older messages; False where all of them must stay."""
        told = self.db.run(self._summarised(session))
        if told is None:
            return False

        async def stored(tx: Connection) -> bool:
            return await self.sessions.compact(tx, session, *told)

        return self.db.run(transact(self.db, stored))

    async def _summarised(self, session: Session) -> tuple[int, str] | None:
        """Up to which message a summary can tell what was said, and how."""
        async with self.db.read() as tx:
            messages = await self.sessions.messages(tx, session.key, session.compacted_to)
            upto = compactable(messages, session.observed_to, self.settings.compact)
            if upto is None:
                return None
            told = await self.store.telling(tx, session.key, upto, SUMMARISED)
            reflections = await self.store.reflections(tx, session.key)
        requests = requests_in(session.summary, [one for one in messages if one.seq <= upto])
        return upto, summary_of(told, reflections, self.settings.summary, requests)

    def _all(self, most: int, waiting: Callable[[], Sequence[T]], work: Callable[[T], bool]) -> int:
        """Does what waits, as long as that makes it less."""
        done, progress = 0, True
        while progress and done < most:
            progress = False
            for one in waiting()[: most - done]:
                if work(one):
                    done += 1
                    progress = True
        return done

    def _made(self, made: Callable[[Model | None], T]) -> tuple[T, str]:
        """What the model makes of it, and its name; plainly where it gives nothing usable."""
        try:
            return made(self.model), self.by
        except ModelUnavailable:
            raise
        except ModelError as error:
            log.warning("%s: remembered plainly, the answer was of no use (%s)", self.by, error)
            return made(None), PLAIN
