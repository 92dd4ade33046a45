"""Know in which windows a person has a session open, across processes.

A window says every few seconds that it is open; one whose process was killed counts as closed soon.
"""

import asyncio
import logging

from seasoned.core.clock import SECOND, Clock
from seasoned.core.errors import SeasonedError
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact

log = logging.getLogger("seasoned.sessions")

BEAT_SECONDS = 5
OPEN_FOR = 4 * BEAT_SECONDS * SECOND  # a busy database may delay a beat


class WindowStore:
    """Owns `session_windows`."""

    async def keep_open(self, tx: Connection, window: str, scope: Scope, now: int) -> None:
        await tx.execute("DELETE FROM session_windows WHERE open_until < ?", (now,))
        await tx.execute(
            "INSERT INTO session_windows (id, tenant, project, user_id, session, open_until) "
            "VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET open_until = excluded.open_until",
            (window, *scope.fields(), now + OPEN_FOR),
        )

    async def close(self, tx: Connection, window: str) -> None:
        await tx.execute("DELETE FROM session_windows WHERE id = ?", (window,))


class SessionWindow:
    """One window on a session; open while `stay_open` runs."""

    def __init__(self, db: Database, clock: Clock, scope: Scope) -> None:
        self.db = db
        self.clock = clock
        self.scope = scope
        self.id = new_id()
        self.store = WindowStore()

    async def stay_open(self) -> None:
        """Say again and again that the window is open, until cancelled."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                await self.open()
            except SeasonedError as error:  # the database is busy; the next beat comes soon
                log.info("the window on %s could not say that it is open: %s", self.id, error)

    async def open(self) -> None:
        async def write(tx: Connection) -> None:
            await self.store.keep_open(tx, self.id, self.scope, self.clock.now())

        await self.db.run_async(transact(self.db, write))

    async def close(self) -> None:
        async def write(tx: Connection) -> None:
            await self.store.close(tx, self.id)

        await self.db.run_async(transact(self.db, write))
