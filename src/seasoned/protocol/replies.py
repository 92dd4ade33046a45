"""The last replies of a host, kept so that a retry after a restart gets the same one again."""

import logging
from collections.abc import Sequence

from seasoned.core.errors import SeasonedError
from seasoned.db.database import Database
from seasoned.protocol.session import Session
from seasoned.protocol.store import KeptReply, ProtocolStore
from seasoned.protocol.together import Together
from seasoned.protocol.work import Run

log = logging.getLogger("seasoned.protocol")

TRIM_EVERY = 1000


class Replies:
    def __init__(self, db: Database, run: Run, most: int) -> None:
        self._db = db
        self._run = run
        self._most = most
        self._store = ProtocolStore()
        self._untrimmed = TRIM_EVERY  # so that the first one of a process trims too
        self._keeping = Together(self._keep_all)

    async def keep(self, reply: KeptReply) -> None:
        try:
            await self._keeping(reply)
        except SeasonedError as error:  # what it answers is done all the same, and counts once
            log.warning("a reply cannot be kept for a retry after a restart: %s", error)

    async def find(self, session: Session, name: str, digest: str) -> bytes | None:
        """Of a session that began in another process; its own replies a session remembers."""
        if not session.resumed:
            return None
        kept = await self._run(self._found(session.id, name))
        return kept.reply.encode("ascii") if kept and kept.digest == digest else None

    async def _found(self, session: str, name: str) -> KeptReply | None:
        async with self._db.read() as tx:
            return await self._store.reply(tx, session, name)

    async def _keep_all(self, replies: Sequence[KeptReply]) -> Sequence[None]:
        await self._run(self._kept(replies))
        return [None] * len(replies)

    async def _kept(self, replies: Sequence[KeptReply]) -> None:
        self._untrimmed += len(replies)
        async with self._db.write() as tx:
            await self._store.keep(tx, replies)
            if self._untrimmed >= TRIM_EVERY:
                await self._store.trim_replies(tx, self._most)
                self._untrimmed = 0
