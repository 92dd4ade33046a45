"""The parts joined: what is done when a database is opened and closed, how workers are woken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seasoned.app.parts import Parts
from seasoned.core.buffer import Buffer
from seasoned.core.clock import MINUTE
from seasoned.core.scope import Scope

if TYPE_CHECKING:
    from seasoned.protocol.host import Host
    from seasoned.recall.context import Context

MIGRATED_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class App(Parts):
    """The parts, built and joined; the facade, the CLI and the servers work on these."""

    async def begin(self) -> None:
        """After opening: indexes what an older version stored, and takes up work left behind."""
        done = MIGRATED_AT_ONCE
        while done == MIGRATED_AT_ONCE and await self._unindexed():
            async with self.db.write() as tx:
                done = await self.lessons.index_missing(tx, MIGRATED_AT_ONCE)
                done = max(done, await self.errors.similar.index_missing(tx, MIGRATED_AT_ONCE))
        if await self.embedding.behind():
            self.nudge("embedding")
        if self.config.settings.graph.enabled and await self.graph.writer.behind():
            self.nudge("graph")
        if self.config.settings.behavioral.enabled and await self._has_pending():
            self._buffer("corrections").start()
        if self.config.settings.knowledge.enabled and await self._has_sessions():
            self.nudge("conversations")
        await self._take_up_memory()

    def end(self) -> None:
        """Before closing: the workers do what was enqueued, and stop."""
        # To ask a model takes seconds: what it is to be asked waits for the next time.
        for name in ("corrections", "conversations", "skills", "memory", "librarian"):
            self._buffer(name).stop(drain=not self.config.settings.llm.model)
        for buffer in self.buffers:
            buffer.stop()
        if self.notices is not None:
            self.notices.stop()

    def nudge(self, name: str) -> None:
        """Wakes a buffer's worker, which is started by the first nudge."""
        buffer = self._buffer(name)
        buffer.enqueue()
        buffer.start()

    def hand(self, context: Context, session: Scope) -> None:
        """Notes what was handed to an agent: how often, and which rules a correction may blame."""
        lessons = [entry.lesson for entry in context.entries if entry.lesson is not None]
        if self.given.note(lessons, session):
            self.nudge("given")

    def remember(self) -> None:
        """From now on recall is told what sessions amount to; until there are any, none asks."""
        from seasoned.memory.context import MemoryContext
        from seasoned.memory.inquiry_store import InquiryStore
        from seasoned.memory.memory_store import MemoryStore

        tokens = self.config.settings.memory.budget_tokens
        context = MemoryContext(MemoryStore(), InquiryStore(), tokens)
        self.retriever.read("observations", context.observations)
        self.retriever.read("reflections", context.reflections)

    async def _take_up_memory(self) -> None:
        """Recalls what sessions amount to, if there is any, and goes on where a crash ended it."""
        from seasoned.memory.inquiry_store import InquiryStore
        from seasoned.memory.memory_store import MemoryStore

        settings = self.config.settings
        async with self.db.read() as tx:
            if await MemoryStore().has_some(tx) or await InquiryStore().has_some(tx):
                self.remember()
            tokens = settings.memory.observe_tokens
            waiting = await MemoryStore().waiting(tx, "observed_to", tokens, 1)
        if settings.memory.enabled and waiting:
            self.nudge("memory")

    async def _has_pending(self) -> bool:
        """Whether corrections wait; of a queue elsewhere nobody asks before there is time."""
        if self.config.settings.queue.url:
            return True
        return (await self.pending.queue.depth(self.clock.now())).pending > 0

    async def _has_sessions(self) -> bool:
        """Whether sessions are over, or were left alone, that nobody has learned from."""
        from seasoned.memory.session_store import SessionStore

        settings, store = self.config.settings.session, SessionStore()
        before = self.clock.now() - int(settings.idle_minutes * MINUTE)
        async with self.db.read() as tx:
            over = await store.unlearned(tx, settings.min_messages, 1)
            return bool(over or await store.idle(tx, before, 1))

    async def _unindexed(self) -> bool:
        async with self.db.read() as tx:
            lacking = await self.lessons.is_missing_some(tx)
            return lacking or await self.errors.similar.is_missing_some(tx)

    def _buffer(self, name: str) -> Buffer:
        return next(buffer for buffer in self.buffers if buffer.name == name)

    def learn_host(self, scope: Scope, *, token: str = "", concurrent: bool = True) -> Host:
        """Serves the learn protocol; `concurrent` in an event loop, else inline for one agent."""
        from seasoned.protocol.builtin import Builtin
        from seasoned.protocol.host import Host
        from seasoned.protocol.host_config import HostConfig
        from seasoned.protocol.plugins import installed_plugins
        from seasoned.protocol.work import Work

        work = Work(self.db, self.bus)
        plugins = (*installed_plugins(), Builtin(self, scope, work, concurrent=concurrent))
        config = HostConfig(token=token, concurrent=concurrent)
        return Host(plugins, self.db, work, scope, self.clock, config)

    async def status(self, scope: Scope) -> dict[str, Any]:
        """What this scope has, in numbers, and whether a part has failed."""
        from seasoned.app.status import status_of

        return await status_of(self, scope)
