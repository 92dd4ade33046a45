"""The learn host: reads a message, runs it, answers it; a retry gets the same answer.

Transports carry bytes in and out; this module knows neither HTTP nor pipes.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from seasoned.core.clock import SECOND
from seasoned.core.errors import DatabaseError, SeasonedError
from seasoned.core.scope import Scope
from seasoned.db.unit import Unit
from seasoned.protocol.host.answers import Answers, error_reply
from seasoned.protocol.host.group_commit import GroupCommit
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.sessions import AgentSession, AgentSessions
from seasoned.protocol.messages import REQUESTS, ErrorMessage, Reply, Shutdown
from seasoned.protocol.plugin import LearnPlugin
from seasoned.protocol.wire import LONGEST_ID, BadMessage, decode_message, encode_message

log = logging.getLogger("seasoned.protocol")

LASTING = ("learn/feedback/resp", "learn/experience/resp", "learn/adapt/resp")
MADE_AGAIN = ("error", "learn/stats/resp")  # a retry gets the current state
NEED_DATABASE = tuple(kind for kind in REQUESTS if kind.startswith("learn/"))
TRIM_EVERY = 1000  # stored replies


class NotStored(DatabaseError):
    """The message was not stored, and may be sent again; `reply` is the error message to it."""

    def __init__(self, reason: str, req_id: str, reply: bytes) -> None:
        super().__init__(reason)
        self.req_id = req_id
        self.reply = reply


class Host:
    """Lets the plugins answer messages, and remembers the answers."""

    def __init__(
        self,
        plugins: Sequence[LearnPlugin],
        unit: Unit,
        scope: Scope,
        config: HostConfig | None = None,
    ) -> None:
        self.config = config or HostConfig()
        self.sessions = AgentSessions(unit, scope, self.config)
        self._replies = StoredReplies(unit, self.config.kept_replies)
        self._answers = Answers(plugins, self.sessions, self.config, unit.clock, time.monotonic())
        self._clock = unit.clock
        self._unit = unit
        self._background: set[asyncio.Task[None]] = set()
        self.trouble = ""  # the database's last complaint, until it takes something again

    async def answer(self, session: AgentSession, raw: bytes) -> bytes | None:
        """Return the reply to one message; None for a shutdown, which has none.

        Raise `NotStored` if the same message may be stored later: it must not seem to be done.
        """
        try:
            message = decode_message(raw)
        except BadMessage as bad:
            return self.refuse(bad)
        name = message.get("id")
        if not isinstance(name, str) or not name or len(name) > LONGEST_ID:
            return (await self._run(session, message))[1]
        return await self._once(session, message, name, blake2b(raw, digest_size=16).hexdigest())

    def refuse(self, bad: BadMessage) -> bytes:
        """Return the error reply to bytes that are not a message."""
        return self._stamp(error_reply(bad), bad.req_id)

    async def database_trouble(self) -> str:
        """Return why the database does not work; empty if it does."""
        try:
            await self._unit.run(self._touch_database())
        except SeasonedError as error:
            return str(error)
        return self.trouble

    async def _touch_database(self) -> None:
        async with self._unit.read() as tx:
            await tx.fetch_one("SELECT 1 FROM protocol_sessions LIMIT 1")

    def close(self) -> None:
        for task in self._background:
            task.cancel()
        self._answers.close()

    async def _once(
        self, session: AgentSession, message: dict[str, Any], name: str, digest: str
    ) -> bytes | None:
        """Answer a message; a retry gets the earlier reply, or waits for the running one."""
        session.retry(name)
        known = session.reply_to(name, digest) or await self._replies.find(session, name, digest)
        if known is not None:
            return known
        if not self.config.concurrent:
            return await self._run_and_remember(session, message, name, digest)
        key = (name, digest)
        running = session.running.get(key)
        if running is not None:
            return await asyncio.shield(running)
        running = session.running[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._run_and_remember(session, message, name, digest)
            running.set_result(reply)
            return reply
        except NotStored as error:
            running.set_exception(error)
            running.exception()  # mark it as retrieved: there may be no retry that waits for it
            raise
        finally:
            del session.running[key]
            if not running.done():
                running.cancel()

    async def _run_and_remember(
        self, session: AgentSession, message: dict[str, Any], name: str, digest: str
    ) -> bytes | None:
        kind, reply = await self._run(session, message)
        if reply is None or kind in MADE_AGAIN:
            return reply
        if kind in LASTING and self.config.concurrent:  # an inline agent ends with this process
            await self._replies.add(StoredReply(session.id, name, digest, reply.decode("ascii")))
        session.remember(name, digest, reply)
        return reply

    async def _run(
        self, session: AgentSession, message: dict[str, Any]
    ) -> tuple[str, bytes | None]:
        """Run a message; any failure becomes an error reply."""
        given = message.get("id")
        req_id = given if isinstance(given, str) else "" if given is None else str(given)
        try:
            reply = await self._reply(session, message)
        except Exception as error:  # a plugin may raise anything, and the sender gets an answer
            reply = error_reply(error, message)
            if isinstance(error, DatabaseError):
                self.trouble = str(error)
            if reply.code == "internal_error":
                log.exception("a message of type %.80r could not be answered", message.get("type"))
        if isinstance(reply, ErrorMessage) and reply.retryable and self.config.concurrent:
            raise NotStored(reply.message, req_id, self._stamp(reply, req_id))
        return (reply.type, self._stamp(reply, req_id)) if reply is not None else ("", None)

    async def _reply(self, session: AgentSession, message: dict[str, Any]) -> Reply | None:
        kind, name = message.get("type"), message.get("id")
        model = REQUESTS.get(kind) if isinstance(kind, str) else None
        if model is None:
            raise _unsupported(kind)
        if not isinstance(name, str | None) or len(name or "") > LONGEST_ID:
            raise BadMessage(f"id must be a text of at most {LONGEST_ID} characters")
        request = model.model_validate(message)
        if isinstance(request, Shutdown):
            await self.sessions.close(session)
            return None
        needs_database = kind in NEED_DATABASE
        if needs_database and self.sessions.is_member(session):
            await self.sessions.keep(session)
        reply = await self._answers.answer(session, request)
        if needs_database:
            self.trouble = ""
        elif session.changed and self.sessions.is_member(session) and self.config.concurrent:
            self._keep_soon(session)
        return reply

    def _keep_soon(self, session: AgentSession) -> None:
        """Store a session beside its handshake, which does not wait for the database."""
        task = asyncio.get_running_loop().create_task(self._keep(session))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _keep(self, session: AgentSession) -> None:
        try:
            await self.sessions.keep(session)
        except DatabaseError as error:  # its first message tries again
            log.info("session %.8s is not stored yet: %s", session.id, error)

    def _stamp(self, reply: Reply, req_id: str) -> bytes:
        reply.id = secrets.token_hex(16)
        reply.req_id = req_id
        reply.ts = self._clock.now() / SECOND
        return encode_message(reply.model_dump())


def _unsupported(kind: Any) -> BadMessage:
    if not isinstance(kind, str) or not kind:
        return BadMessage("a message needs a type, such as learn/feedback/req")
    return BadMessage(f"unsupported {kind[:200]}")


@dataclass(frozen=True, slots=True)
class StoredReply:
    session: str
    message: str
    digest: str
    reply: str


class StoredReplies:
    """Owns `protocol_replies`: the last replies, so that a retry after a restart gets the same."""

    def __init__(self, unit: Unit, most: int) -> None:
        self._unit = unit
        self._most = most
        self._untrimmed = TRIM_EVERY  # the first write of a process trims too
        self._writes = GroupCommit(self._write_all)

    async def add(self, reply: StoredReply) -> None:
        try:
            await self._writes(reply)
        except SeasonedError as error:  # the request itself is done, and counts once
            log.warning("a reply cannot be stored for a retry after a restart: %s", error)

    async def find(self, session: AgentSession, name: str, digest: str) -> bytes | None:
        """Find a reply of a session that began in another process; others are in memory."""
        if not session.resumed:
            return None
        stored = await self._unit.run(self._load(session.id, name))
        return stored.reply.encode("ascii") if stored and stored.digest == digest else None

    async def _load(self, session: str, name: str) -> StoredReply | None:
        async with self._unit.read() as tx:
            row = await tx.fetch_one(
                "SELECT session_id, message_id, digest, reply FROM protocol_replies "
                "WHERE session_id = ? AND message_id = ?",
                (session, name),
            )
        return StoredReply(*row) if row else None

    async def _write_all(self, replies: Sequence[StoredReply]) -> Sequence[None]:
        await self._unit.run(self._write(replies))
        return [None] * len(replies)

    async def _write(self, replies: Sequence[StoredReply]) -> None:
        self._untrimmed += len(replies)
        async with self._unit.db.write() as tx:
            await tx.execute_many(
                "INSERT INTO protocol_replies (session_id, message_id, digest, reply) "
                "VALUES (?, ?, ?, ?) ON CONFLICT (session_id, message_id) "
                "DO UPDATE SET digest = excluded.digest, reply = excluded.reply",
                [(each.session, each.message, each.digest, each.reply) for each in replies],
            )
            if self._untrimmed >= TRIM_EVERY:
                await tx.execute(
                    "DELETE FROM protocol_replies "
                    "WHERE seq <= (SELECT max(seq) FROM protocol_replies) - ?",
                    (self._most,),
                )
                self._untrimmed = 0
