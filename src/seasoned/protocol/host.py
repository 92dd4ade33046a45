"""The learn host: reads a message, has it done, answers it. Every request gets an answer, once.

Transports bring bytes and carry bytes away; what stands here knows neither HTTP nor pipes.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from seasoned.core.clock import SECOND, Clock
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.protocol.answers import Answers
from seasoned.protocol.complaints import complaint
from seasoned.protocol.flight import Flight
from seasoned.protocol.host_config import HostConfig
from seasoned.protocol.messages import REQUESTS, Reply, Shutdown
from seasoned.protocol.plugin import LearnPlugin
from seasoned.protocol.plugins import Plugins
from seasoned.protocol.replies import Replies
from seasoned.protocol.session import Session
from seasoned.protocol.sessions import Sessions
from seasoned.protocol.store import KeptReply
from seasoned.protocol.wire import LONGEST_ID, BadMessage, decoded, encoded
from seasoned.protocol.work import Run

log = logging.getLogger("seasoned.protocol")

LASTING = ("learn/feedback/resp", "learn/experience/resp", "learn/adapt/resp")
MADE_AGAIN = ("error", "learn/stats/resp")  # a retry gets the state of now


class Host:
    """Has messages answered by the plugins, and remembers the answers."""

    def __init__(
        self,
        plugins: Sequence[LearnPlugin],
        db: Database,
        run: Run,
        scope: Scope,
        clock: Clock,
        config: HostConfig | None = None,
    ) -> None:
        self.config = config or HostConfig()
        self.flight = Flight(self.config)
        self.sessions = Sessions(db, run, scope, clock, self.config)
        self._replies = Replies(db, run, self.config.kept_replies)
        self._plugins = Plugins(plugins, self.config.hook_seconds)
        self._answers = Answers(self._plugins, self.config, clock, time.monotonic())
        self._clock = clock

    async def answer(self, session: Session, raw: bytes) -> bytes | None:
        """The reply to one message; None for a shutdown, which has none."""
        try:
            message = decoded(raw)
        except BadMessage as bad:
            return self.refusal(bad)
        name = message.get("id")
        if not isinstance(name, str) or not name or len(name) > LONGEST_ID:
            return (await self._done(session, message))[1]
        return await self._once(session, message, name, blake2b(raw, digest_size=16).hexdigest())

    def refusal(self, bad: BadMessage) -> bytes:
        """The answer to what no message can be made of."""
        return self._stamped(complaint(bad), bad.req_id)

    def close(self) -> None:
        self._plugins.close()

    async def _once(
        self, session: Session, message: dict[str, Any], name: str, digest: str
    ) -> bytes | None:
        """A retry gets the reply that there was, or that there will be in a moment."""
        known = session.reply_to(name, digest) or await self._replies.find(session, name, digest)
        if known is not None:
            return known
        if not self.config.concurrent:
            return await self._remembered(session, message, name, digest)
        key = (name, digest)
        running = session.running.get(key)
        if running is not None:
            return await asyncio.shield(running)
        running = session.running[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._remembered(session, message, name, digest)
            running.set_result(reply)
            return reply
        finally:
            del session.running[key]
            if not running.done():
                running.cancel()

    async def _remembered(
        self, session: Session, message: dict[str, Any], name: str, digest: str
    ) -> bytes | None:
        kind, reply = await self._done(session, message)
        if reply is None or kind in MADE_AGAIN:
            return reply
        if kind in LASTING and self.config.concurrent:  # else the agent ends with this process
            await self._replies.keep(KeptReply(session.id, name, digest, reply.decode("ascii")))
        session.remember(name, digest, reply)
        return reply

    async def _done(self, session: Session, message: dict[str, Any]) -> tuple[str, bytes | None]:
        """Has a message done, whatever it is; whatever goes wrong becomes an error message."""
        given = message.get("id")
        req_id = given if isinstance(given, str) else "" if given is None else str(given)
        try:
            reply = await self._reply(session, message)
        except Exception as error:  # whatever a plugin raises, its sender gets an answer
            reply = complaint(error, message)
            if reply.code == "internal_error":
                log.exception("a message of type %.80r could not be answered", message.get("type"))
        return (reply.type, self._stamped(reply, req_id)) if reply is not None else ("", None)

    async def _reply(self, session: Session, message: dict[str, Any]) -> Reply | None:
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
        await self.sessions.seen(session)
        proof = session.proof
        reply = await self._answers.answer(session, request)
        if session.proof != proof:
            await self.sessions.update(session)
        return reply

    def _stamped(self, reply: Reply, req_id: str) -> bytes:
        reply.id = secrets.token_hex(16)
        reply.req_id = req_id
        reply.ts = self._clock.now() / SECOND
        return encoded(reply.model_dump())


def _unsupported(kind: Any) -> BadMessage:
    if not isinstance(kind, str) or not kind:
        return BadMessage("a message needs a type, such as learn/feedback/req")
    return BadMessage(f"unsupported {kind[:200]}")
