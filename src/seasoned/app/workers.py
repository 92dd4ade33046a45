"""Background workers: their buffers, and which event wakes which.

Modules are imported when a worker first needs them, as `services.py` explains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from seasoned.app.unlearned import Unlearned
from seasoned.core.clock import MINUTE
from seasoned.core.events import (
    Corrected,
    HintGiven,
    LessonChanged,
    LessonLearned,
    Remarked,
    RuleConflicted,
    RuleLearned,
    SessionEnded,
    ToolFinished,
    TurnEnded,
)
from seasoned.core.threads import Buffer, BufferConfig

if TYPE_CHECKING:
    from seasoned.app.services import AppServices
    from seasoned.config.settings import Settings

IDLE_CHECK_SECONDS = 60.0  # how often to look for sessions that became idle
SESSIONS_PER_BATCH = 8
FIXES_PER_BATCH = 8  # that a model is asked about in one question
USES_A_MODEL = ("corrections", "conversations", "fixes", "skills", "memory", "librarian")


class Worker(Protocol):
    def work(self, most: int) -> int: ...


class Workers:
    """The buffers by name; each has a thread, which its first nudge starts."""

    def __init__(self, app: AppServices) -> None:
        self.app = app
        self.unlearned = Unlearned(lambda: self.buffers["corrections"])
        built = build_buffers(app, self.nudge, self.unlearned)
        self.buffers = {buffer.name: buffer for buffer in built}
        self._subscribe()

    def nudge(self, name: str) -> None:
        buffer = self.buffers[name]
        buffer.enqueue()
        buffer.start()

    def counters(self, name: str) -> dict[str, Any]:
        """Return a worker's counters; empty if there is no such worker."""
        buffer = self.buffers.get(name)
        return asdict(buffer.counters) | {"nudges": buffer.waiting} if buffer else {}

    def stop(self, *, drain_models: bool) -> None:
        """Finish what is enqueued and stop; `drain_models` includes work that needs a model."""
        for name in USES_A_MODEL:
            self.buffers[name].stop(drain=drain_models)
        for buffer in self.buffers.values():
            buffer.stop()

    def cancel(self) -> None:
        """Stop without finishing; the work stays in the database."""
        for buffer in self.buffers.values():
            buffer.stop(drain=False)

    async def resume(self) -> None:
        """Wake the workers that have unfinished work in the database."""
        app, settings = self.app, self.app.config.settings
        if await app.embedding.behind():
            self.nudge("embedding")
        if settings.graph.enabled and await app.graph.behind():
            self.nudge("graph")
        if settings.behavioral.enabled and await self._has_corrections():
            # No nudge, or a short command would learn from them before it ends.
            self.buffers["corrections"].start(self.buffers["corrections"].config.flush_seconds)
        if settings.knowledge.enabled and await self._has_sessions():
            self.nudge("conversations")
        if settings.llm.model and settings.knowledge.enabled and await self._has_fixes():
            self.nudge("fixes")
        await self._resume_memory()

    async def _has_fixes(self) -> bool:
        """Return whether a model has still to word a fix."""
        from seasoned.lessons.distilled import undistilled

        async with self.app.db.read() as tx:
            return bool(await undistilled(tx, 1))

    async def _has_corrections(self) -> bool:
        """Return whether corrections are pending; assume so for a remote queue, which is slow."""
        if self.app.config.settings.queue.url:
            return True
        now, queues = self.app.clock.now(), [self.app.pending.queue]
        if self.app.config.settings.llm.model:
            queues.append(self.app.remarks.queue)
        return any([(await queue.depth(now)).pending > 0 for queue in queues])

    async def _has_sessions(self) -> bool:
        """Return whether a session has ended or is idle, and was not learned from."""
        from seasoned.sessions.session_store import SessionStore

        settings, store = self.app.config.settings.session, SessionStore()
        before = self.app.clock.now() - int(settings.idle_minutes * MINUTE)
        async with self.app.db.read() as tx:
            over = await store.unlearned(tx, settings.min_messages, 1)
            return bool(over or await store.idle(tx, before, 1))

    async def _resume_memory(self) -> None:
        """Let recall read observations if there are any, and observe what a crash left."""
        from seasoned.memory.inquiries import InquiryStore
        from seasoned.memory.memory_store import MemoryStore

        settings = self.app.config.settings
        async with self.app.db.read() as tx:
            if await MemoryStore().has_some(tx) or await InquiryStore().has_some(tx):
                self.app.remember()
            tokens = settings.memory.observe_tokens
            waiting = await MemoryStore().waiting(tx, "observed_to", tokens, 1)
        if settings.memory.enabled and waiting:
            self.nudge("memory")

    def _subscribe(self) -> None:
        """Connect events to the workers they wake, and to the notifier."""
        app, bus, settings = self.app, self.app.bus, self.app.config.settings
        for said in (Corrected, Remarked):
            bus.subscribe(said, lambda _: self.nudge("corrections"))
        if learns_soon(settings):
            bus.subscribe(Corrected, self.unlearned.note)
            bus.subscribe(SessionEnded, lambda _: self.buffers["corrections"].hurry())
            app.retriever.before = self.unlearned.learn_from_others
        if settings.knowledge.enabled:
            for ended in (TurnEnded, SessionEnded):
                bus.subscribe(ended, lambda _: self.nudge("conversations"))
        if settings.skills.enabled:
            bus.subscribe(TurnEnded, lambda _: self.nudge("skills"))
            app.retriever.sources.provide(
                "skills",
                lambda request: app.skills.lines(request),  # noqa: PLW0108 - builds them late
                when=lambda: app.skills.may_have_some,
            )
        if settings.memory.enabled:
            bus.subscribe(TurnEnded, lambda _: self.nudge("memory"))
            bus.subscribe(TurnEnded, lambda _: app.remember())
        if settings.librarian.enabled and settings.llm.model:
            bus.subscribe(TurnEnded, lambda _: self.nudge("librarian"))
        # Only the first call of a batch wakes the worker: observing must stay cheap.
        bus.subscribe(
            ToolFinished,
            lambda call: self.nudge("performance") if app.performance.gather(call) else None,
        )
        self._count_progress()
        if app.notices is not None:
            from seasoned.channels.notice import conflict_notice, rule_notice

            notify = app.notices.notify
            bus.subscribe(RuleLearned, lambda event: notify(rule_notice(event)))
            bus.subscribe(RuleConflicted, lambda event: notify(conflict_notice(event)))
        self._follow_lessons()

    def _count_progress(self) -> None:
        progress, bus = self.app.progress, self.app.bus

        def counted(first: bool) -> None:
            if first:
                self.nudge("progress")

        bus.subscribe(ToolFinished, lambda event: counted(progress.on_tool(event)))
        bus.subscribe(HintGiven, lambda event: counted(progress.on_hint(event)))
        bus.subscribe(TurnEnded, lambda event: counted(progress.on_turn(event)))
        bus.subscribe(Corrected, lambda event: counted(progress.on_correction(event)))
        bus.subscribe(LessonLearned, lambda event: counted(progress.on_lesson(event)))

    def _follow_lessons(self) -> None:
        """Wake the workers that new lessons and errors concern."""
        app, bus, settings = self.app, self.app.bus, self.app.config.settings
        embedder = app.embedding.embedder
        for event in (LessonLearned, LessonChanged):
            if settings.llm.model and settings.knowledge.enabled:
                bus.subscribe(event, lambda _: self.nudge("fixes"))
            if embedder is not None:
                bus.subscribe(event, lambda _: self.nudge("embedding"))
            if settings.graph.enabled:
                bus.subscribe(event, lambda _: self.nudge("graph"))
        if embedder is not None and not embedder.local:
            bus.subscribe(
                ToolFinished, lambda call: self.nudge("embedding") if call.error else None
            )
        if settings.graph.enabled:
            bus.subscribe(ToolFinished, lambda call: self.nudge("graph") if call.error else None)


def learns_soon(settings: Settings) -> bool:
    """Whether corrections are learned from as they come, and not together at intervals."""
    behavioral = settings.behavioral
    soon = behavioral.delay_seconds < behavioral.interval_seconds
    return behavioral.enabled and soon and not settings.llm.model


def build_buffers(
    app: AppServices, nudge: Callable[[str], None], unlearned: Unlearned
) -> Sequence[Buffer]:
    settings = app.config.settings
    capacity, flush_seconds = settings.buffer.capacity, settings.buffer.flush_seconds
    # A model is asked about several corrections together; the grammar need not wait for more.
    interval = settings.behavioral.interval_seconds
    delay = settings.behavioral.delay_seconds if learns_soon(settings) else interval
    corrections = BufferConfig(capacity, delay, capacity, every_seconds=interval)
    # Idle sessions need a timer.
    conversations = BufferConfig(
        SESSIONS_PER_BATCH, flush_seconds, capacity, every_seconds=IDLE_CHECK_SECONDS
    )

    def buffer(name: str, work: Callable[[int], int], batch: int) -> Buffer:
        return Buffer(name, work, BufferConfig(batch, flush_seconds, capacity))

    def late(worker: Callable[[], Worker]) -> Callable[[int], int]:
        """Build the worker when its first batch is due."""
        return lambda most: worker().work(most)

    def learn(most: int) -> int:
        return unlearned.while_learning(app.learner.work, most)

    def observe(most: int) -> int:
        """Observe sessions; new observations may raise questions for the librarian."""
        done = app.memory.work(most)
        if done and settings.librarian.enabled and settings.llm.model:
            nudge("librarian")
        return done

    buffers = (
        buffer("embedding", app.embedding.work, settings.embedding.batch),
        buffer("given", app.handouts.work, capacity),
        buffer("performance", app.performance.work, capacity),
        buffer("progress", app.progress.work, capacity),
        Buffer("corrections", learn, corrections),
        buffer("fixes", late(lambda: app.fix_distiller), FIXES_PER_BATCH),
        buffer("skills", late(lambda: app.distiller), SESSIONS_PER_BATCH),
        Buffer("conversations", late(lambda: app.conversations), conversations),
        buffer("memory", observe, SESSIONS_PER_BATCH),
        buffer("librarian", late(lambda: app.librarian), SESSIONS_PER_BATCH),
    )
    if not settings.graph.enabled:
        return buffers
    from seasoned.fixes.graph_writer import GraphWriter
    from seasoned.graph.graph_store import GraphStore

    writer = GraphWriter(app.db, GraphStore(app.db), app.clock)
    return (*buffers, buffer("graph", writer.work, settings.graph.batch))
