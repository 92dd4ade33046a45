"""The sessions of a host: a bounded number in memory, all of them in the database."""

import secrets
from collections import OrderedDict

from seasoned.core.clock import Clock
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.protocol.host_config import HostConfig
from seasoned.protocol.outbox import Outbox
from seasoned.protocol.session import Session
from seasoned.protocol.store import KeptSession, ProtocolStore
from seasoned.protocol.wire import LONGEST_ID
from seasoned.protocol.work import Run

TRIM_EVERY = 100


class Sessions:
    def __init__(
        self, db: Database, run: Run, scope: Scope, clock: Clock, config: HostConfig
    ) -> None:
        self.held: OrderedDict[str, Session] = OrderedDict()
        self._db = db
        self._run = run
        self._scope = scope
        self._clock = clock
        self._config = config
        self._store = ProtocolStore()
        self._opened = 0

    async def open(self) -> Session:
        session = self._made(secrets.token_hex(16))
        session.seen_at = self._clock.now()
        await self._run(self._add(session))
        self._hold(session)
        return session

    async def find(self, name: str) -> Session | None:
        """The session of this name, also when it began before the host was restarted."""
        session = self.held.get(name)
        if session is not None:
            self.held.move_to_end(name)
            return session
        if not name or len(name) > LONGEST_ID:
            return None
        kept = await self._run(self._kept(name))
        if kept is None or name in self.held:  # two asked at once
            return self.held.get(name)
        session = self._made(name)
        session.agent, session.proof, session.seen_at = kept.agent, kept.proof, kept.seen_at
        session.resumed = True
        self._hold(session)
        return session

    async def close(self, session: Session) -> None:
        """Its reader gets what waits and then the end; the name is unknown from now on."""
        session.closed = True
        self.held.pop(session.id, None)
        session.outbox.close()
        await self._run(self._remove(session))

    async def seen(self, session: Session) -> None:
        now = self._clock.now()
        if now - session.seen_at > self._config.seen_every:
            session.seen_at = now
            await self.update(session)

    async def update(self, session: Session) -> None:
        await self._run(self._update(session))

    def end_streams(self) -> None:
        """Before the process ends: readers are let go; the sessions go on in the next one."""
        for session in self.held.values():
            session.outbox.close()

    def _made(self, name: str) -> Session:
        config = self._config
        outbox = Outbox(config.outbox_messages, config.outbox_bytes)
        return Session(name, outbox, config.remembered_replies)

    def _hold(self, session: Session) -> None:
        self.held[session.id] = session
        if len(self.held) > self._config.sessions:
            idle = next((each for each in self.held.values() if each.is_idle), None)
            if idle is not None:  # it is in the database, should it be asked for
                del self.held[idle.id]

    async def _add(self, session: Session) -> None:
        async with self._db.write() as tx:
            if self._opened % TRIM_EVERY == 0:
                since = session.seen_at - self._config.session_lifetime
                most = max(0, self._config.kept_sessions - TRIM_EVERY)
                await self._store.trim(tx, self._scope, since, most)
            self._opened += 1
            await self._store.add(tx, session.id, self._scope, session.seen_at)

    async def _kept(self, name: str) -> KeptSession | None:
        async with self._db.read() as tx:
            return await self._store.find(tx, name, self._scope)

    async def _update(self, session: Session) -> None:
        async with self._db.write() as tx:
            await self._store.update(tx, session.kept())

    async def _remove(self, session: Session) -> None:
        async with self._db.write() as tx:
            await self._store.remove(tx, session.id)
