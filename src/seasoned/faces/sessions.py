"""`s.sessions`: the conversations that agents had; see them, end them, take them away."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from seasoned.core.events import SessionEnded
from seasoned.core.scope import Scope
from seasoned.db.transact import transact
from seasoned.faces.driving import Driven, Run, sync

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.db.database import Connection
    from seasoned.memory.session import Kept, Session, TurnRecord


class AsyncSessions:
    """A session is meant by its name, or the beginning of it."""

    def __init__(self, app: "App", scope: Scope, run: Run) -> None:
        from seasoned.memory.session_store import SessionStore

        self._app = app
        self._scope = scope
        self._run = run
        self._store = SessionStore()

    async def list(self, *, limit: int = 50) -> "Sequence[Session]":
        """The latest first."""

        async def listed() -> "Sequence[Session]":
            async with self._app.db.read() as tx:
                return await self._store.list(tx, self._scope, limit)

        return await self._run(listed())

    async def get(self, name: str) -> "Session":
        async def found() -> "Session":
            async with self._app.db.read() as tx:
                return await self._store.named(tx, self._scope, name)

        return await self._run(found())

    async def messages(self, name: str) -> "Sequence[Kept]":
        """All that was said, in its order."""

        async def read() -> "Sequence[Kept]":
            async with self._app.db.read() as tx:
                session = await self._store.named(tx, self._scope, name)
                return await self._store.messages(tx, session.key)

        return await self._run(read())

    async def turns(self, name: str) -> "Sequence[TurnRecord]":
        """How each turn ended, and what it took."""

        async def read() -> "Sequence[TurnRecord]":
            async with self._app.db.read() as tx:
                session = await self._store.named(tx, self._scope, name)
                return await self._store.turns(tx, session.key)

        return await self._run(read())

    async def told(self, name: str) -> Mapping[int, str]:
        """What was put beside each turn's message from what was learned, by the turn's number."""
        from seasoned.agent.told import read_told

        async def read() -> Mapping[int, str]:
            async with self._app.db.read() as tx:
                session = await self._store.named(tx, self._scope, name)
                return read_told(await self._store.steps(tx, session.key))

        return await self._run(read())

    async def end(self, name: str) -> "Session":
        """Closes a session, which is then learned from as a whole."""
        now = self._app.clock.now()

        async def ended(tx: "Connection") -> "tuple[Session, bool]":
            session = await self._store.named(tx, self._scope, name)
            done = await self._store.end(tx, session.key, now, "closed")
            return await self._store.get(tx, session.key), done

        async def closed() -> "Session":
            session, done = await transact(self._app.db, ended)
            if done:
                event = SessionEnded(now, session.key, "closed", session.scope)
                self._app.bus.publish(event)
            return session

        return await self._run(closed())

    async def delete(self, name: str) -> "Session":
        """Takes a session away, with its messages and what was remembered of it; lessons stay."""

        async def deleted(tx: "Connection") -> "Session":
            session = await self._store.named(tx, self._scope, name)
            await self._store.delete(tx, session)
            return session

        return await self._run(transact(self._app.db, deleted))


class Sessions(Driven[AsyncSessions]):
    """The same for synchronous code."""

    list = sync(AsyncSessions.list)
    get = sync(AsyncSessions.get)
    messages = sync(AsyncSessions.messages)
    turns = sync(AsyncSessions.turns)
    told = sync(AsyncSessions.told)
    end = sync(AsyncSessions.end)
    delete = sync(AsyncSessions.delete)
