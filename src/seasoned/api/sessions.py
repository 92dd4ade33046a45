"""`s.sessions`: list, read, end and delete conversations."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, RunWork, SyncFace, sync
from seasoned.db.unit import transact
from seasoned.sessions.session_store import ALL, SessionStore

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.core.authority import Caller
    from seasoned.db.database import Connection
    from seasoned.db.keyset import Place
    from seasoned.recall.context import GivenLesson
    from seasoned.sessions.session import Session, SessionMessage, TurnRecord


class AsyncSessionsFace(AsyncFace):
    """Sessions of one scope; each is named by its name or a prefix of it."""

    def __init__(self, app: "App", caller: "Caller", run: RunWork) -> None:
        super().__init__(app, caller, run)
        self._store = SessionStore()

    async def list(self, *, limit: int = 50, after: "Place | None" = None) -> "Sequence[Session]":
        """List sessions, latest first; `after` is the `place` of the last one before."""
        return await self._read(lambda tx: self._store.list(tx, self._scope, limit, after))

    async def get(self, name: str) -> "Session":
        """Return a session."""
        return await self._read(lambda tx: self._store.seen(tx, self._caller, name))

    async def messages(
        self, name: str, *, after: int = 0, limit: int = ALL
    ) -> "Sequence[SessionMessage]":
        """Return the messages of a session in order, those after a number."""

        async def read() -> "Sequence[SessionMessage]":
            async with self._app.db.read() as tx:
                session = await self._store.seen(tx, self._caller, name)
                return await self._store.messages(tx, session.key, after, limit=limit)

        return await self._run(read())

    async def turns(self, name: str, *, after: int = 0, limit: int = ALL) -> "Sequence[TurnRecord]":
        """Return the turns of a session, those after a number: outcome, tokens, cost."""

        async def read() -> "Sequence[TurnRecord]":
            async with self._app.db.read() as tx:
                session = await self._store.seen(tx, self._caller, name)
                return await self._store.turns(tx, session.key, after, limit)

        return await self._run(read())

    async def told(self, name: str) -> Mapping[int, str]:
        """Return the lessons that were added to each turn's prompt, by number of the turn."""
        from seasoned.agent.given import contexts_by_turn

        async def read() -> Mapping[int, str]:
            async with self._app.db.read() as tx:
                session = await self._store.seen(tx, self._caller, name)
                return contexts_by_turn(await self._store.steps(tx, session.key))

        return await self._run(read())

    async def given(self, name: str) -> "Mapping[int, Sequence[GivenLesson]]":
        """Return the lessons that the agent read in each turn: where they stood, and why."""
        from seasoned.agent.given import given_by_turn

        async def read() -> "Mapping[int, Sequence[GivenLesson]]":
            async with self._app.db.read() as tx:
                session = await self._store.seen(tx, self._caller, name)
                return given_by_turn(await self._store.steps(tx, session.key))

        return await self._run(read())

    async def lessons(self, name: str) -> Mapping[int, Sequence[str]]:
        """Return the ids of the lessons that the agent read in each turn."""
        by_turn = await self.given(name)
        return {
            turn: [*dict.fromkeys(one.lesson for one in given)] for turn, given in by_turn.items()
        }

    async def end(self, name: str) -> "Session":
        """Close a session; it is then learned from as a whole."""

        session = await self.get(name)
        await self._run(self._app.recorder.end(session.scope, "closed"))
        return await self._read(lambda tx: self._store.get(tx, session.key))

    async def delete(self, name: str) -> "Session":
        """Delete a session with its messages and memory; lessons stay."""

        async def deleted(tx: "Connection") -> "Session":
            session = await self._store.seen(tx, self._caller, name)
            await self._store.delete(tx, session)
            await self._app.lessons.uses.forget_session(tx, session.scope)
            return session

        return await self._run(transact(self._app.db, deleted))


class SessionsFace(SyncFace[AsyncSessionsFace]):
    """The synchronous twin."""

    list = sync(AsyncSessionsFace.list)
    get = sync(AsyncSessionsFace.get)
    messages = sync(AsyncSessionsFace.messages)
    turns = sync(AsyncSessionsFace.turns)
    told = sync(AsyncSessionsFace.told)
    given = sync(AsyncSessionsFace.given)
    lessons = sync(AsyncSessionsFace.lessons)
    end = sync(AsyncSessionsFace.end)
    delete = sync(AsyncSessionsFace.delete)
