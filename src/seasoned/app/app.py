"""`App`: the services with their background workers; the API, the CLI and the host use it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from seasoned.app.health import status_of
from seasoned.app.services import AppServices
from seasoned.app.startup import Startup
from seasoned.app.workers import Workers
from seasoned.config import Configuration
from seasoned.core.clock import Clock
from seasoned.core.scope import Scope

if TYPE_CHECKING:
    from seasoned.app.canary import Canary
    from seasoned.protocol.host.host import Host
    from seasoned.protocol.host.host_config import HostConfig
    from seasoned.recall.context import Context
    from seasoned.recall.tool_notes import ToolNotes

INDEX_BATCH = 1000


class App(AppServices):
    """The services of one database, and the workers that learn in the background."""

    def __init__(
        self, config: Configuration, database_url: str, clock: Clock | None = None
    ) -> None:
        super().__init__(config, database_url, clock)
        self.workers = Workers(self)
        self.startup = Startup(self, self.workers)

    @cached_property
    def canary(self) -> Canary:
        """The one canary of this process: health and jobs look at the same flights."""
        from seasoned.app.canary import Canary

        return Canary(self)

    def nudge(self, worker: str) -> None:
        """Wake a background worker; the first nudge starts it."""
        self.workers.nudge(worker)

    def hand(self, context: Context, session: Scope) -> None:
        """Note which lessons an agent was given: their number, and rules a correction may blame."""
        lessons = [entry.lesson for entry in context.entries if entry.lesson is not None]
        if self.handouts.note(lessons, session):
            self.nudge("given")

    def hand_notes(self, notes: ToolNotes, session: Scope) -> None:
        """Note which lessons a session's tool descriptions hold; each counts once a session."""
        new = self.notebook.give(session, notes)
        if new:
            self.handouts.count(new, session)
            self.nudge("given")

    async def start(self) -> None:
        """After opening: index what an older version stored, and resume unfinished work."""
        done = INDEX_BATCH
        while done == INDEX_BATCH and await self._has_unindexed():
            async with self.db.write() as tx:
                done = await self.lessons.index_missing(tx, INDEX_BATCH)
                done = max(done, await self.errors.similar.index_missing(tx, INDEX_BATCH))
        await self.workers.resume()

    async def _has_unindexed(self) -> bool:
        async with self.db.read() as tx:
            lacking = await self.lessons.is_missing_some(tx)
            return lacking or await self.errors.similar.is_missing_some(tx)

    def stop(self) -> None:
        """Before closing: finish what is enqueued, and stop the workers."""
        # A model takes seconds to answer, so work that needs one waits for the next start.
        self.workers.stop(drain_models=not self.config.settings.llm.model)
        if self.notices is not None:
            self.notices.stop()

    def learn_host(
        self, scope: Scope, config: HostConfig | None = None, *, concurrent: bool = True
    ) -> Host:
        """Build a host of the learn protocol: concurrent in an event loop, or inline."""
        from seasoned.protocol.host.builtin import BuiltinPlugin
        from seasoned.protocol.host.builtin import Services as HostServices
        from seasoned.protocol.host.host import Host
        from seasoned.protocol.host.host_config import HostConfig
        from seasoned.protocol.plugin import installed_plugins

        config = config or HostConfig(concurrent=concurrent)
        services = cast(HostServices, self)  # pyright matches no cached property with a protocol
        builtin = BuiltinPlugin(services, scope, self.unit.run, concurrent=config.concurrent)
        return Host((*installed_plugins(), builtin), self.unit, scope, config)

    async def status(self, scope: Scope) -> dict[str, Any]:
        """Return counts for a scope, and failures of workers and listeners."""
        return await status_of(self, self.workers, scope)
