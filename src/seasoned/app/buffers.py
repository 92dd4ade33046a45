"""The workers of the background: what each does, how much at once, and how often it looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from seasoned.core.buffer import Buffer, BufferConfig

if TYPE_CHECKING:
    from seasoned.app.app import App

LOOK_SECONDS = 60.0  # after which it is seen that a session was left alone
SESSIONS_AT_ONCE = 8


class Worker(Protocol):
    def work(self, most: int) -> int: ...


def buffers_of(app: App) -> tuple[Buffer, ...]:
    settings = app.config.settings
    capacity, flush_seconds = settings.buffer.capacity, settings.buffer.flush_seconds
    # Corrections wait for their time, however many there are; sessions are looked after as well.
    corrected, looked = settings.behavioral.interval_seconds, LOOK_SECONDS
    waiting = BufferConfig(capacity, corrected, capacity, every_seconds=corrected)
    looking = BufferConfig(SESSIONS_AT_ONCE, flush_seconds, capacity, every_seconds=looked)

    def buffer(name: str, work: Callable[[int], int], batch: int) -> Buffer:
        return Buffer(name, work, BufferConfig(batch, flush_seconds, capacity))

    def later(worker: Callable[[], Worker]) -> Callable[[int], int]:
        """What it needs is loaded when it begins to work."""
        return lambda most: worker().work(most)

    buffers = (
        buffer("embedding", app.embedding.work, settings.embedding.batch),
        buffer("given", app.given.work, capacity),
        buffer("performance", app.performance.work, capacity),
        Buffer("corrections", later(lambda: app.learner), waiting),
        buffer("skills", later(lambda: app.distiller), SESSIONS_AT_ONCE),
        Buffer("conversations", later(lambda: app.conversations), looking),
        buffer("memory", lambda most: _remembered(app, most), SESSIONS_AT_ONCE),
        buffer("librarian", later(lambda: app.librarian), SESSIONS_AT_ONCE),
    )
    if not settings.graph.enabled:
        return buffers
    from seasoned.graph.store import GraphStore
    from seasoned.learning.graph_writer import GraphWriter

    writer = GraphWriter(app.db, GraphStore(app.db), app.clock)
    return (*buffers, buffer("graph", writer.work, settings.graph.batch))


def _remembered(app: App, most: int) -> int:
    """Memory's work; what it has observed, the librarian may have a question about."""
    done = app.memory.work(most)
    if done and app.config.settings.librarian.enabled and app.config.settings.llm.model:
        app.nudge("librarian")
    return done
