"""`s.memory`: what is remembered of conversations; see it, make it now, take it away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seasoned.core.scope import Scope
from seasoned.core.waiting import begun, waited
from seasoned.db.transact import transact
from seasoned.faces.driving import Driven, Run, sync

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.db.database import Connection
    from seasoned.memory.observation import Observation, Reflection
    from seasoned.memory.session import Session

ALL = 1000  # sessions at a time
LONGEST_SECONDS = 3600.0  # that models may take for what was asked for outright


@dataclass(frozen=True, slots=True)
class Remembered:
    """A session, and how much is remembered of it."""

    session: "Session"
    observations: int
    reflections: int


@dataclass(frozen=True, slots=True)
class MemoryStory:
    """All that is remembered of a session; consolidated reflections included."""

    session: "Session"
    observations: "Sequence[Observation]"
    reflections: "Sequence[Reflection]"


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """What was made, or taken away."""

    sessions: int
    observations: int
    reflections: int
    by: str = ""


class AsyncMemory:
    def __init__(self, app: "App", scope: Scope, run: Run) -> None:
        from seasoned.memory.memory_store import MemoryStore
        from seasoned.memory.session_store import SessionStore

        self._app = app
        self._scope = scope
        self._run = run
        self._sessions = SessionStore()
        self._store = MemoryStore()

    async def list(self, *, limit: int = 50) -> Sequence[Remembered]:
        """The sessions there are, the latest first, and how much is remembered of each."""

        async def listed() -> Sequence[Remembered]:
            async with self._app.db.read() as tx:
                sessions = await self._sessions.list(tx, self._scope, limit)
                counts = await self._store.tally(tx, [one.key for one in sessions])
            return [Remembered(one, *counts[one.key]) for one in sessions]

        return await self._run(listed())

    async def show(self, session: str) -> MemoryStory:
        """All that is remembered of a session, by its name or the beginning of it."""

        async def told() -> MemoryStory:
            async with self._app.db.read() as tx:
                found = await self._sessions.named(tx, self._scope, session)
                observations = await self._store.observations(tx, found.key)
                every = await self._store.reflections(tx, found.key, consolidated=True)
            return MemoryStory(found, observations, every)

        return await self._run(told())

    async def get(self, name: str) -> "Observation | Reflection":
        """One observation or reflection, by its id or the beginning of it."""

        async def found() -> "Observation | Reflection":
            async with self._app.db.read() as tx:
                return await self._store.find(tx, self._scope, name)

        return await self._run(found())

    async def observe(self, session: str | None = None) -> MemoryReport:
        """Observes what finished turns said, now, however little that is; of one session or all.

        What is due then, reflections and summaries, is made as well.
        """

        def observed(one: "Session") -> None:
            memory, again = self._app.memory, True
            while again:
                fresh = self._app.db.run(self._fresh(one.key))
                again = memory.observe(fresh)
            memory.compact(self._app.db.run(self._fresh(one.key)))

        return await self._made(session, observed)

    async def reflect(self, session: str | None = None) -> MemoryReport:
        """Reflects on what was observed, now, however little that is; of one session or all."""
        return await self._made(session, lambda one: self._app.memory.reflect(one.key))

    async def clear(self, session: str | None = None, *, anew: bool = False) -> MemoryReport:
        """Takes away what is remembered of a session, or of all; their messages are kept.

        What a summary stood for is not shown again: it is forgotten. With `anew` it is, and all
        of it will be observed anew.
        """

        async def cleared() -> MemoryReport:
            meant = await self._meant(session)

            async def taken(tx: "Connection") -> Sequence[tuple[int, int]]:
                return [await self._cleared(tx, one.key, anew=anew) for one in meant]

            gone = await transact(self._app.db, taken)
            return MemoryReport(len(meant), sum(a for a, _ in gone), sum(b for _, b in gone))

        return await self._run(cleared())

    async def _cleared(self, tx: "Connection", key: int, *, anew: bool) -> tuple[int, int]:
        fresh = await self._sessions.get(tx, key)
        await self._sessions.compact(tx, fresh, 0 if anew else fresh.compacted_to, "")
        if anew:
            await self._sessions.advance(tx, fresh, "observed_to", 0)
        return await self._store.clear(tx, key)

    async def _made(self, session: str | None, work: "Callable[[Session], object]") -> MemoryReport:
        """Does work that may ask a model, in a thread, and says what it came to."""
        meant = await self._run(self._meant(session))
        before = await self._run(self._counted())

        def every() -> str:
            for one in meant:
                work(one)
            memory = self._app.memory
            memory.work(ALL)
            return memory.by

        by = await waited(begun(every), LONGEST_SECONDS)
        after = await self._run(self._counted())
        return MemoryReport(len(meant), after[0] - before[0], after[1] - before[1], by)

    async def _meant(self, session: str | None) -> "Sequence[Session]":
        async with self._app.db.read() as tx:
            if session is not None:
                return [await self._sessions.named(tx, self._scope, session)]
            return await self._sessions.list(tx, self._scope, ALL)

    async def _fresh(self, key: int) -> "Session":
        async with self._app.db.read() as tx:
            return await self._sessions.get(tx, key)

    async def _counted(self) -> tuple[int, int]:
        async with self._app.db.read() as tx:
            counts = await self._store.count(tx, self._scope)
        return counts["observations"], counts["reflections"]


class Memory(Driven[AsyncMemory]):
    """The same for synchronous code."""

    list = sync(AsyncMemory.list)
    show = sync(AsyncMemory.show)
    get = sync(AsyncMemory.get)
    observe = sync(AsyncMemory.observe)
    reflect = sync(AsyncMemory.reflect)
    clear = sync(AsyncMemory.clear)
