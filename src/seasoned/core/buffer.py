"""Wakes a background worker early: work that waits in the database is done in batches.

The queue is the state itself (a lesson without a vector), so an item here is only a nudge. What
overflows, fails, or is cut short by a crash still waits in the database, and is found there.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger("seasoned.buffer")


@dataclass(frozen=True, slots=True)
class BufferConfig:
    batch: int = 32
    flush_seconds: float = 2.0
    capacity: int = 256
    first_retry_seconds: float = 0.5
    longest_retry_seconds: float = 60.0
    every_seconds: float | None = None  # looks by itself so often, once it was nudged at all


@dataclass(slots=True)
class BufferCounters:
    """What went through; a `spilled` nudge is no lost work, it waits in the database."""

    enqueued: int = 0
    spilled: int = 0
    processed: int = 0
    failed: int = 0
    batches: int = 0
    last_error: str = ""


class Buffer:
    """One worker that does what waits, `batch` pieces at a time, soon after it was nudged.

    `work(most)` does up to so many pieces and says how many it did; fewer than it was asked for
    means that none is left. When it raises, it is tried again, later each time.
    """

    def __init__(
        self, name: str, work: Callable[[int], int], config: BufferConfig | None = None
    ) -> None:
        self.name = name
        self.config = config or BufferConfig()
        self.counters = BufferCounters()
        self._work = work
        self._nudges = 0
        self._changed = threading.Condition()
        self._stopping = False
        self._worker: threading.Thread | None = None

    def start(self) -> None:
        with self._changed:
            if self._worker is None:
                self._stopping = False
                self._worker = threading.Thread(
                    target=self._run, name=f"seasoned-{self.name}", daemon=True
                )
                self._worker.start()

    def enqueue(self, pieces: int = 1) -> bool:
        """Says that work has come in; never blocks. False when it was full already."""
        with self._changed:
            room = self._nudges + pieces <= self.config.capacity
            if room:
                self._nudges += pieces
                self.counters.enqueued += pieces
            else:
                self._nudges = self.config.capacity
                self.counters.spilled += pieces
            self._changed.notify()
        return room

    def stop(self, *, drain: bool = True) -> None:
        """Ends the worker once it has done what was enqueued; what fails then waits on.

        Without `drain` all that is enqueued waits on: where a piece of work takes long.
        """
        with self._changed:
            worker, self._worker = self._worker, None
            self._stopping = True
            self._changed.notify()
        if worker is not None:
            worker.join()
        left, self._nudges = self._nudges if drain else 0, 0
        while left > 0 and self._one_batch() == self.config.batch:
            left -= self.config.batch

    @property
    def waiting(self) -> int:
        return self._nudges

    def _run(self) -> None:
        retry = 0.0
        while self._wait(retry):
            if self._drain():
                retry = 0.0
            else:
                longer = max(self.config.first_retry_seconds, 2 * retry)
                retry = min(longer, self.config.longest_retry_seconds)

    def _wait(self, retry_seconds: float) -> bool:
        """Until a batch is full, the first nudge is old enough, a retry or a look is due."""
        with self._changed:
            if retry_seconds:
                self._changed.wait_for(lambda: self._stopping, retry_seconds)
            else:
                nudged = self._changed.wait_for(
                    lambda: self._nudges or self._stopping, self.config.every_seconds
                )
                self._changed.wait_for(
                    lambda: self._nudges >= self.config.batch or self._stopping,
                    self.config.flush_seconds if nudged else 0,
                )
            if self._stopping:
                return False
            self._nudges = 0
        return True

    def _drain(self) -> bool:
        """Does all that waits; False when it could not."""
        done: int | None = self.config.batch
        while done == self.config.batch and not self._stopping:
            done = self._one_batch()
        return done is not None

    def _one_batch(self) -> int | None:
        """How many pieces were done; None when the batch failed."""
        self.counters.batches += 1
        try:
            done = self._work(self.config.batch)
        except Exception as error:  # noqa: BLE001 - counted and shown; the work still waits
            self.counters.failed += 1
            self.counters.last_error = f"{type(error).__name__}: {error}"
            log.warning("%s: a batch failed and will be retried (%s)", self.name, error)
            return None
        self.counters.processed += done
        self.counters.last_error = ""
        return done
