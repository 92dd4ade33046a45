"""Sessions of agents with the host: a bounded number in memory, all of them in the database."""

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import Unit
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.wire import LONGEST_ID

LONGEST_REMEMBERED = 64 * 1024  # bytes; the host makes a longer reply again
TRIM_EVERY = 100  # new sessions


class Outbox:
    """Replies waiting for their reader: bounded, in order, kept until they are handed over.

    There is one reader at a time; a new one takes over from the one before.

    >>> box = Outbox(most=2, most_bytes=100)
    >>> box.put(b"one"); box.put(b"two")
    >>> box.has_room, box.waiting
    (False, 2)
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._messages: deque[bytes] = deque()
        self._bytes = 0
        self._reader = 0
        self._closed = False
        self._changed: asyncio.Event | None = None

    @property
    def waiting(self) -> int:
        return len(self._messages)

    @property
    def has_room(self) -> bool:
        return self.room > 0

    @property
    def room(self) -> int:
        """Number of replies that still fit; checked before a message is accepted."""
        return self._most - len(self._messages) if self._bytes < self._most_bytes else 0

    @property
    def is_read(self) -> bool:
        return self._changed is not None

    def put(self, message: bytes) -> None:
        self._messages.append(message)
        self._bytes += len(message)
        self.wake()

    def close(self) -> None:
        """End the stream once the reader has everything."""
        self._closed = True
        self.wake()

    def wake(self) -> None:
        if self._changed is not None:
            self._changed.set()

    def attach(self) -> int:
        """Become the reader; return the number to read with."""
        self.wake()
        self._reader += 1
        self._changed = asyncio.Event()
        return self._reader

    def detach(self, reader: int) -> None:
        if reader == self._reader:
            self._changed = None

    async def next(self, reader: int, gone: Callable[[], bool]) -> list[bytes]:
        """Wait for replies and return them; empty if this reader must stop."""
        while reader == self._reader and not gone():
            if self._messages:
                return list(self._messages)
            if self._closed:
                break
            assert self._changed is not None
            self._changed.clear()
            await self._changed.wait()
        return []

    def remove(self, reader: int, number: int) -> None:
        """Drop replies that were handed over; until then they survive a lost reader."""
        if reader != self._reader:
            return  # the next reader gets them again, and knows them by their id
        for _ in range(number):
            self._bytes -= len(self._messages.popleft())


@dataclass(frozen=True, slots=True)
class StoredSession:
    id: str
    agent: str
    proof: str
    seen_at: int


@dataclass(slots=True, eq=False)
class AgentSession:
    """One agent's session, as long as this process holds it in memory."""

    id: str
    outbox: Outbox
    most_replies: int
    agent: str = ""
    proof: str = ""  # shows that the agent knew the token
    seen_at: int = 0
    resumed: bool = False  # it began in another process
    in_flight: int = 0
    closed: bool = False
    # Running requests by message id and digest, so that a retry waits instead of running twice.
    running: "dict[tuple[str, str], asyncio.Future[bytes | None]]" = field(
        default_factory=dict["tuple[str, str]", "asyncio.Future[bytes | None]"]
    )
    _replies: "OrderedDict[str, tuple[str, bytes]]" = field(
        default_factory=OrderedDict[str, "tuple[str, bytes]"]
    )

    def reply_to(self, message: str, digest: str) -> bytes | None:
        """Return the earlier reply to the same message."""
        known = self._replies.get(message)
        return known[1] if known is not None and known[0] == digest else None

    def remember(self, message: str, digest: str, reply: bytes) -> None:
        if len(reply) > LONGEST_REMEMBERED:
            return
        self._replies[message] = (digest, reply)
        if len(self._replies) > self.most_replies:
            self._replies.popitem(last=False)

    @property
    def room(self) -> int:
        """Number of messages that the agent may send before it reads replies."""
        return self.outbox.room - self.in_flight

    @property
    def is_idle(self) -> bool:
        return not (self.in_flight or self.outbox.is_read or self.outbox.waiting)


class AgentSessions:
    def __init__(self, unit: Unit, scope: Scope, config: HostConfig) -> None:
        self.in_memory: OrderedDict[str, AgentSession] = OrderedDict()
        self._unit = unit
        self._scope = scope
        self._config = config
        self._store = AgentSessionStore()
        self._opened = 0

    async def open(self) -> AgentSession:
        session = self._new(secrets.token_hex(16))
        session.seen_at = self._unit.now()
        await self._unit.run(self._add(session))
        self._hold(session)
        return session

    async def find(self, name: str) -> AgentSession | None:
        """Return the session with this id, even if it began before the host was restarted."""
        session = self.in_memory.get(name)
        if session is not None:
            self.in_memory.move_to_end(name)
            return session
        if not name or len(name) > LONGEST_ID:
            return None
        stored = await self._unit.run(self._load(name))
        if stored is None or name in self.in_memory:  # a concurrent request loaded it
            return self.in_memory.get(name)
        session = self._new(name)
        session.agent, session.proof, session.seen_at = stored.agent, stored.proof, stored.seen_at
        session.resumed = True
        self._hold(session)
        return session

    async def close(self, session: AgentSession) -> None:
        """Forget a session; its reader still gets the waiting replies."""
        session.closed = True
        self.in_memory.pop(session.id, None)
        session.outbox.close()
        await self._unit.run(self._remove(session))

    async def touch(self, session: AgentSession) -> None:
        """Note that the session is in use; write that at most once per `seen_every`."""
        now = self._unit.now()
        if now - session.seen_at > self._config.seen_every:
            session.seen_at = now
            await self.update(session)

    async def update(self, session: AgentSession) -> None:
        await self._unit.run(self._update(session))

    def end_streams(self) -> None:
        """Let all readers go before the process ends; sessions continue in the next one."""
        for session in self.in_memory.values():
            session.outbox.close()

    def _new(self, name: str) -> AgentSession:
        config = self._config
        outbox = Outbox(config.outbox_messages, config.outbox_bytes)
        return AgentSession(name, outbox, config.remembered_replies)

    def _hold(self, session: AgentSession) -> None:
        self.in_memory[session.id] = session
        if len(self.in_memory) > self._config.sessions:
            idle = next((each for each in self.in_memory.values() if each.is_idle), None)
            if idle is not None:  # it can be loaded from the database again
                del self.in_memory[idle.id]

    async def _add(self, session: AgentSession) -> None:
        async with self._unit.db.write() as tx:
            if self._opened % TRIM_EVERY == 0:
                since = session.seen_at - self._config.session_lifetime
                most = max(0, self._config.kept_sessions - TRIM_EVERY)
                await self._store.trim(tx, self._scope, since, most)
            self._opened += 1
            await self._store.add(tx, session.id, self._scope, session.seen_at)

    async def _load(self, name: str) -> StoredSession | None:
        async with self._unit.read() as tx:
            return await self._store.find(tx, name, self._scope)

    async def _update(self, session: AgentSession) -> None:
        stored = StoredSession(session.id, session.agent, session.proof, session.seen_at)
        async with self._unit.db.write() as tx:
            await self._store.update(tx, stored)

    async def _remove(self, session: AgentSession) -> None:
        async with self._unit.db.write() as tx:
            await self._store.remove(tx, session.id)


class AgentSessionStore:
    """Owns `protocol_sessions`. A scope sees only its own sessions."""

    async def add(self, tx: Connection, session: str, scope: Scope, now: int) -> None:
        await tx.execute(
            "INSERT INTO protocol_sessions (id, tenant, project, user_id, created_at, seen_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (session, *_owner(scope), now, now),
        )

    async def find(self, tx: Connection, session: str, scope: Scope) -> StoredSession | None:
        row = await tx.fetch_one(
            "SELECT id, agent, proof, seen_at FROM protocol_sessions "
            "WHERE id = ? AND tenant = ? AND project = ? AND user_id = ?",
            (session, *_owner(scope)),
        )
        return StoredSession(*row) if row else None

    async def update(self, tx: Connection, session: StoredSession) -> None:
        await tx.execute(
            "UPDATE protocol_sessions SET agent = ?, proof = ?, seen_at = ? WHERE id = ?",
            (session.agent, session.proof, session.seen_at, session.id),
        )

    async def remove(self, tx: Connection, session: str) -> None:
        """Delete a session and its replies."""
        await tx.execute("DELETE FROM protocol_sessions WHERE id = ?", (session,))
        await tx.execute("DELETE FROM protocol_replies WHERE session_id = ?", (session,))

    async def trim(self, tx: Connection, scope: Scope, unseen_since: int, most: int) -> None:
        """Delete sessions unused for long, and the oldest beyond `most`.

        Sessions that never showed a token go first, so that strangers push out no agent.
        """
        owner = _owner(scope)
        await tx.execute("DELETE FROM protocol_sessions WHERE seen_at < ?", (unseen_since,))
        await tx.execute(
            "DELETE FROM protocol_sessions WHERE id IN (SELECT id FROM protocol_sessions "
            "WHERE tenant = ? AND project = ? AND user_id = ? "
            "ORDER BY (proof <> '') DESC, seen_at DESC LIMIT 1000000 OFFSET ?)",
            (*owner, most),
        )


def token_proof(token: str, session: str) -> str:
    """Return a value that proves a session knew the token, without revealing the token."""
    return hmac.new(token.encode(), session.encode(), hashlib.sha256).hexdigest()


def same_token(given: str, wanted: str) -> bool:
    """Compare in constant time.

    >>> same_token("a", "b"), same_token("ä", "ä")
    (False, True)
    """
    return hmac.compare_digest(given.encode(errors="replace"), wanted.encode(errors="replace"))


def _owner(scope: Scope) -> tuple[str, str, str]:
    return scope.tenant, scope.project, scope.user
