"""Sessions of agents with the host: a bounded number in memory, all of them in the database."""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import Unit
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.outbox import Outbox, UnreadBytes
from seasoned.protocol.wire import LONGEST_ID

LONGEST_REMEMBERED = 64 * 1024  # bytes; the host makes a longer reply again
TRIM_EVERY = 100  # new sessions
OPEN_SECONDS = 3600.0  # from the opening of a session to its first message
ENDED_KNOWN = 10_000  # sessions that were shut down


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
    resumed: bool = False  # it began in another process, or was not in memory for a while
    stored: bool = False  # it is in the database
    changed: bool = False  # since it was stored
    in_flight: int = 0
    closed: bool = False
    # Running requests by message id and digest, so that a retry waits instead of running twice.
    running: "dict[tuple[str, str], asyncio.Future[bytes | None]]" = field(
        default_factory=dict["tuple[str, str]", "asyncio.Future[bytes | None]"]
    )
    _replies: "OrderedDict[str, tuple[str, bytes]]" = field(
        default_factory=OrderedDict[str, "tuple[str, bytes]"]
    )

    _failures: "dict[str, asyncio.TimerHandle]" = field(
        default_factory=dict[str, "asyncio.TimerHandle"]
    )

    def fail_unless_retried(self, message: str, reply: bytes, seconds: float) -> None:
        """Send the error to a message on the stream, unless the message comes again first."""
        self.retry(message)
        loop = asyncio.get_running_loop()
        self._failures[message] = loop.call_later(seconds, self._fail, message, reply)

    def retry(self, message: str) -> None:
        """Note that a message came again: the error to the one before is outdated."""
        waiting = self._failures.pop(message, None)
        if waiting is not None:
            waiting.cancel()

    def _fail(self, message: str, reply: bytes) -> None:
        self._failures.pop(message, None)
        self.outbox.put(reply)

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
        return self.stored and self.is_unread and not self.outbox.waiting

    @property
    def is_unread(self) -> bool:
        return not (self.in_flight or self.outbox.is_read)


class AgentSessions:
    """Finds and bounds sessions.

    A new session is only an id that the host recognises: opening one costs no memory, so nobody
    is pushed out by it. It is held from its first message or stream on, apart from those that have
    shown the token (`in_memory`): strangers push out strangers.
    """

    def __init__(self, unit: Unit, scope: Scope, config: HostConfig) -> None:
        self.in_memory: OrderedDict[str, AgentSession] = OrderedDict()
        self.strangers: OrderedDict[str, AgentSession] = OrderedDict()
        self.unread = UnreadBytes()
        self.evicted = 0
        self._unit = unit
        self._scope = scope
        self._config = config
        self._store = AgentSessionStore()
        self._ids = SessionIds(OPEN_SECONDS)
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._stored = 0

    def issue(self) -> str:
        """Return the id of a new session."""
        return self._ids.new()

    def open(self) -> AgentSession:
        """Open a session for the only agent of a pipe or of this process."""
        session = self._new(self.issue())
        self._hold(session)
        return session

    async def find(self, name: str) -> AgentSession | None:
        """Return the session with this id, even if it began before the host was restarted."""
        session = self.in_memory.get(name)
        if session is not None:
            self.in_memory.move_to_end(name)
            return session
        if name in self.strangers:
            return self.strangers[name]
        if not name or len(name) > LONGEST_ID or name in self._ended:
            return None
        stored = await self._unit.run(self._load(name))
        known = self.in_memory.get(name) or self.strangers.get(name)
        if known is not None:  # a concurrent request loaded it
            return known
        if stored is None:
            return self._begin(self._new(name)) if self._ids.is_fresh(name) else None
        session = self._new(name)
        session.agent, session.proof, session.seen_at = stored.agent, stored.proof, stored.seen_at
        session.resumed = session.stored = True
        return self._begin(session)

    def is_member(self, session: AgentSession) -> bool:
        """Return whether the agent has shown the token, or needs none."""
        token = self._config.token
        return not token or same_token(session.proof, token_proof(token, session.id))

    def show(self, session: AgentSession, token: str) -> bool:
        """Take the token that an agent shows; return whether it is the right one."""
        wanted = self._config.token
        if wanted and not same_token(token, wanted):
            session.proof = ""
            return False
        session.proof = token_proof(wanted, session.id) if wanted else ""
        if self.strangers.pop(session.id, None) is not None:
            self._hold(session)
        return True

    async def close(self, session: AgentSession) -> None:
        """Forget a session; its reader still gets the waiting replies."""
        session.closed = True
        self._drop(session)
        self._ended[session.id] = None
        if len(self._ended) > ENDED_KNOWN:
            self._ended.popitem(last=False)
        if session.stored:
            await self._unit.run(self._remove(session))

    async def keep(self, session: AgentSession) -> None:
        """Store the session, and at most once per `seen_every` that it is in use."""
        now = self._unit.now()
        if not session.stored:
            session.seen_at = now
            await self._unit.run(self._add(session))
            session.stored = True
        elif now - session.seen_at > self._config.seen_every or session.changed:
            session.seen_at = now
            await self._unit.run(self._update(session))
        session.changed = False

    def relieve(self) -> None:
        """If all unread replies together are too large, drop the session with the most."""
        while self.unread.total > self._config.unread_bytes:
            every = (*self.in_memory.values(), *self.strangers.values())
            largest = max(every, key=lambda each: each.outbox.waiting_bytes, default=None)
            if largest is None or not largest.outbox.waiting_bytes:
                return
            self._evict(largest)

    def end_streams(self) -> None:
        """Let all readers go before the process ends; sessions continue in the next one."""
        for session in (*self.in_memory.values(), *self.strangers.values()):
            session.outbox.close()

    def leave(self, session: AgentSession) -> None:
        """End a stranger that has not shown the token in time."""
        if self.strangers.get(session.id) is session:
            self._evict(session)

    def _new(self, name: str) -> AgentSession:
        config = self._config
        outbox = Outbox(config.outbox_messages, config.outbox_bytes, self.unread)
        return AgentSession(name, outbox, config.remembered_replies)

    def _begin(self, session: AgentSession) -> AgentSession:
        if self.is_member(session):
            self._hold(session)
            return session
        self.strangers[session.id] = session
        if len(self.strangers) > self._config.strangers:
            self._evict(next(iter(self.strangers.values())))
        return session

    def _hold(self, session: AgentSession) -> None:
        """Hold a session; make room by one that is idle, else by one whose agent never reads."""
        self.in_memory[session.id] = session
        if len(self.in_memory) <= self._config.sessions:
            return
        others = [each for each in self.in_memory.values() if each is not session]
        idle = next((each for each in others if each.is_idle), None)
        unread = next((each for each in others if each.is_unread), None)
        if idle is not None:  # it can be loaded from the database again
            self._drop(idle)
        elif unread is not None:
            self._evict(unread)

    def _evict(self, session: AgentSession) -> None:
        self.evicted += 1
        self._drop(session)

    def _drop(self, session: AgentSession) -> None:
        self.in_memory.pop(session.id, None)
        self.strangers.pop(session.id, None)
        session.outbox.close()

    async def _add(self, session: AgentSession) -> None:
        async with self._unit.db.write() as tx:
            if self._stored % TRIM_EVERY == 0:
                since = session.seen_at - self._config.session_lifetime
                most = max(0, self._config.kept_sessions - TRIM_EVERY)
                await self._store.trim(tx, self._scope, since, most)
            self._stored += 1
            await self._store.add(tx, _stored(session), self._scope)

    async def _load(self, name: str) -> StoredSession | None:
        async with self._unit.read() as tx:
            return await self._store.find(tx, name, self._scope)

    async def _update(self, session: AgentSession) -> None:
        async with self._unit.db.write() as tx:
            await self._store.update(tx, _stored(session))

    async def _remove(self, session: AgentSession) -> None:
        async with self._unit.db.write() as tx:
            await self._store.remove(tx, session.id)


class SessionIds:
    """Ids that their maker recognises without remembering them: time, chance and a checksum.

    >>> ids = SessionIds(60)
    >>> ids.is_fresh(ids.new()), ids.is_fresh("0" * 32), SessionIds(60).is_fresh(ids.new())
    (True, False, False)
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._key = secrets.token_bytes(16)

    def new(self) -> str:
        head = int(time.monotonic()).to_bytes(4, "big") + secrets.token_bytes(6)
        return (head + self._checksum(head)).hex()

    def is_fresh(self, name: str) -> bool:
        try:
            raw = bytes.fromhex(name)
        except ValueError:
            return False
        age = time.monotonic() - int.from_bytes(raw[:4], "big")
        genuine = len(raw) == 16 and hmac.compare_digest(raw[10:], self._checksum(raw[:10]))
        return genuine and name == raw.hex() and age <= self._seconds

    def _checksum(self, head: bytes) -> bytes:
        return hashlib.blake2b(head, key=self._key, digest_size=6).digest()


def _stored(session: AgentSession) -> StoredSession:
    return StoredSession(session.id, session.agent, session.proof, session.seen_at)


class AgentSessionStore:
    """Owns `protocol_sessions`. A scope sees only its own sessions."""

    async def add(self, tx: Connection, session: StoredSession, scope: Scope) -> None:
        await tx.execute(
            "INSERT INTO protocol_sessions "
            "(id, tenant, project, user_id, agent, proof, created_at, seen_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
            "SET agent = excluded.agent, proof = excluded.proof, seen_at = excluded.seen_at",
            (
                session.id,
                *_owner(scope),
                *(session.agent, session.proof, session.seen_at, session.seen_at),
            ),
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
