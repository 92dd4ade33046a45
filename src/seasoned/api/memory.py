"""`s.memory`: observations and reflections of sessions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, RunWork, SyncFace, sync
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.unit import transact
from seasoned.memory.memory_store import MemoryStore
from seasoned.sessions.session_store import SessionStore

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.core.authority import Caller
    from seasoned.db.database import Connection
    from seasoned.db.keyset import Place
    from seasoned.memory.observation import Observation, Reflection
    from seasoned.sessions.session import Session

ALL_SESSIONS = 1000
WORK_SECONDS = 3600.0  # limit for models, when a person asks for the work


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """A session with the size of its memory."""

    session: "Session"
    observations: int
    reflections: int


@dataclass(frozen=True, slots=True)
class MemoryStory:
    """The memory of a session, including consolidated reflections."""

    session: "Session"
    observations: "Sequence[Observation]"
    reflections: "Sequence[Reflection]"


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """Numbers of sessions, observations and reflections that were made or removed."""

    sessions: int
    observations: int
    reflections: int
    by: str = ""


class AsyncMemoryFace(AsyncFace):
    """Memory of one scope."""

    def __init__(self, app: "App", caller: "Caller", run: RunWork) -> None:
        super().__init__(app, caller, run)
        self._sessions = SessionStore()
        self._store = MemoryStore()

    async def list(
        self, *, limit: int = 50, after: "Place | None" = None
    ) -> Sequence[SessionMemory]:
        """List sessions with the size of their memory, latest first.

        `after` is the `place` of the last session of the page before.
        """

        async def listed() -> Sequence[SessionMemory]:
            async with self._app.db.read() as tx:
                sessions = await self._sessions.list(tx, self._scope, limit, after)
                counts = await self._store.tally(tx, [one.key for one in sessions])
            return [SessionMemory(one, *counts[one.key]) for one in sessions]

        return await self._run(listed())

    async def show(self, session: str) -> MemoryStory:
        """Return the memory of a session, by its name or a prefix of it."""

        async def read() -> MemoryStory:
            async with self._app.db.read() as tx:
                found = await self._sessions.seen(tx, self._caller, session)
                observations = await self._store.observations(tx, found.key)
                every = await self._store.reflections(tx, found.key, consolidated=True)
            return MemoryStory(found, observations, every)

        return await self._run(read())

    async def observations(
        self, session: str, *, limit: int = 50, after: "Place | None" = None
    ) -> "Sequence[Observation]":
        """List the observations of a session in the order of its messages."""

        async def read(tx: "Connection") -> "Sequence[Observation]":
            found = await self._sessions.seen(tx, self._caller, session)
            return await self._store.observations(tx, found.key, limit, after)

        return await self._read(read)

    async def reflections(
        self, session: str, *, limit: int = 50, after: "Place | None" = None
    ) -> "Sequence[Reflection]":
        """List the reflections of a session, oldest first, including consolidated ones."""

        async def read(tx: "Connection") -> "Sequence[Reflection]":
            found = await self._sessions.seen(tx, self._caller, session)
            return await self._store.reflections(
                tx, found.key, consolidated=True, limit=limit, after=after
            )

        return await self._read(read)

    async def get(self, name: str) -> "Observation | Reflection":
        """Return an observation or reflection by its id or a prefix of it."""
        return await self._read(lambda tx: self._store.find(tx, self._caller.realm, name))

    async def observe(self, session: str | None = None) -> MemoryReport:
        """Observe finished turns now, however few, of one session or all.

        Reflections and summaries that become due are made as well.
        """

        def observed(one: "Session") -> None:
            memory, again = self._app.memory, True
            while again:
                fresh = self._app.db.run(self._fresh(one.key))
                again = memory.observe(fresh)
            memory.compact(self._app.db.run(self._fresh(one.key)))

        return await self._work(session, observed)

    async def reflect(self, session: str | None = None) -> MemoryReport:
        """Reflect on observations now, however few, of one session or all."""
        return await self._work(session, lambda one: self._app.memory.reflect(one.key))

    async def clear(self, session: str | None = None, *, anew: bool = False) -> MemoryReport:
        """Clear the memory of one session or all; messages are kept.

        Messages that a summary replaced are not shown to the agent again, unless `anew` is set:
        then everything is observed again.
        """

        async def cleared() -> MemoryReport:
            meant = await self._sessions_for(session)

            async def taken(tx: "Connection") -> Sequence[tuple[int, int]]:
                return [await self._clear(tx, one.key, anew=anew) for one in meant]

            gone = await transact(self._app.db, taken)
            return MemoryReport(len(meant), sum(a for a, _ in gone), sum(b for _, b in gone))

        return await self._run(cleared())

    async def _clear(self, tx: "Connection", key: int, *, anew: bool) -> tuple[int, int]:
        fresh = await self._sessions.get(tx, key)
        await self._sessions.compact(tx, fresh, 0 if anew else fresh.compacted_to, "")
        if anew:
            await self._sessions.advance(tx, fresh, "observed_to", 0)
        return await self._store.clear(tx, key)

    async def _work(self, session: str | None, work: "Callable[[Session], object]") -> MemoryReport:
        """Do work that may call a model in a thread, and count its results."""
        meant = await self._run(self._sessions_for(session))
        before = await self._run(self._counts())

        def every() -> str:
            for one in meant:
                work(one)
            memory = self._app.memory
            memory.work(ALL_SESSIONS)
            return memory.by

        by = await wait_for(run_in_thread(every), WORK_SECONDS)
        after = await self._run(self._counts())
        return MemoryReport(len(meant), after[0] - before[0], after[1] - before[1], by)

    async def _sessions_for(self, session: str | None) -> "Sequence[Session]":
        async with self._app.db.read() as tx:
            if session is not None:
                return [await self._sessions.seen(tx, self._caller, session)]
            return await self._sessions.list(tx, self._scope, ALL_SESSIONS)

    async def _fresh(self, key: int) -> "Session":
        async with self._app.db.read() as tx:
            return await self._sessions.get(tx, key)

    async def _counts(self) -> tuple[int, int]:
        async with self._app.db.read() as tx:
            counts = await self._store.count(tx, self._scope)
        return counts["observations"], counts["reflections"]


class MemoryFace(SyncFace[AsyncMemoryFace]):
    """The synchronous twin."""

    list = sync(AsyncMemoryFace.list)
    show = sync(AsyncMemoryFace.show)
    observations = sync(AsyncMemoryFace.observations)
    reflections = sync(AsyncMemoryFace.reflections)
    get = sync(AsyncMemoryFace.get)
    observe = sync(AsyncMemoryFace.observe)
    reflect = sync(AsyncMemoryFace.reflect)
    clear = sync(AsyncMemoryFace.clear)
