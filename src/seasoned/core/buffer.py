"""Collects work in memory so that a background worker can do it in batches, without blocking."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

log = logging.getLogger("seasoned.buffer")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BufferConfig:
    batch: int = 32
    flush_seconds: float = 2.0
    capacity: int = 256


@dataclass(slots=True)
class BufferCounters:
    """What went through; a `spilled` item is not lost, it waits as state in the database."""

    enqueued: int = 0
    spilled: int = 0
    processed: int = 0
    failed: int = 0
    batches: int = 0


class Buffer(Generic[T]):
    """A bounded queue and one worker: batches of `batch`, or what came in `flush_seconds`."""

    def __init__(
        self,
        name: str,
        process: Callable[[Sequence[T]], object],
        config: BufferConfig | None = None,
    ) -> None:
        self.name = name
        self.config = config or BufferConfig()
        self.counters = BufferCounters()
        self._process = process
        self._queue: queue.Queue[T] = queue.Queue(self.config.capacity)
        self._stopping = threading.Event()
        self._worker: threading.Thread | None = None

    def start(self) -> None:
        if self._worker is None:
            self._stopping.clear()
            self._worker = threading.Thread(
                target=self._run, name=f"seasoned-{self.name}", daemon=True
            )
            self._worker.start()

    def enqueue(self, item: T) -> bool:
        """Never blocks; False when it was full: the item then waits in the database."""
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            self.counters.spilled += 1
            return False
        self.counters.enqueued += 1
        return True

    def stop(self) -> None:
        """Processes what is still queued, then ends the worker."""
        self._stopping.set()
        if self._worker is not None:
            self._worker.join()
            self._worker = None
        while batch := self._ready():
            self._handle(batch)

    def _run(self) -> None:
        while not self._stopping.is_set():
            if batch := self._gather():
                self._handle(batch)

    def _gather(self) -> list[T]:
        """Waits for a first item, then for more, until the batch is full or its time is over."""
        tick = min(0.05, self.config.flush_seconds)
        batch: list[T] = []
        deadline = None
        while len(batch) < self.config.batch and not self._stopping.is_set():
            if deadline is not None and time.monotonic() >= deadline:
                break
            try:
                batch.append(self._queue.get(timeout=tick))
            except queue.Empty:
                continue
            deadline = deadline or time.monotonic() + self.config.flush_seconds
        return batch

    def _ready(self) -> list[T]:
        batch: list[T] = []
        while len(batch) < self.config.batch:
            try:
                batch.append(self._queue.get_nowait())
            except queue.Empty:
                break
        return batch

    def _handle(self, batch: list[T]) -> None:
        self.counters.batches += 1
        try:
            self._process(batch)
        except Exception:  # counted and logged; the work still stands in the database
            self.counters.failed += len(batch)
            log.exception(
                "buffer %s: a batch of %d failed and will be retried", self.name, len(batch)
            )
        else:
            self.counters.processed += len(batch)
