"""Work in other threads: one slow call that the caller waits for, or a worker for batches.

Synchronous code drives SQLite's coroutines inline: they must not suspend, so waiting blocks the
thread. In an event loop waiting suspends, and the loop runs on.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

log = logging.getLogger("seasoned.buffer")

P = ParamSpec("P")
T = TypeVar("T")


class _Driver(threading.local):
    """Of a thread, not of a context: a task that starts meanwhile inherits its context."""

    inline = False


_driver = _Driver()


def drive_inline(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in this thread; waiting blocks inside it."""
    outer, _driver.inline = _driver.inline, True
    try:
        work.send(None)
    except StopIteration as finished:
        return finished.value
    finally:
        _driver.inline = outer
    work.close()
    raise RuntimeError("a coroutine that is driven inline suspended; it must not")


def may_block() -> bool:
    """Whether to wait by blocking the thread: no event loop runs the current coroutine."""
    return _driver.inline or not _has_loop()


async def pause(seconds: float) -> None:
    """Sleep; an event loop runs on meanwhile."""
    if may_block():
        time.sleep(seconds)  # noqa: ASYNC251 - no event loop runs it
        return
    import asyncio  # late: it is slow to load, and SQLite does without

    await asyncio.sleep(seconds)


def run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    """Start work in a daemon thread of its own.

    >>> run_in_thread(sum, [1, 2]).result()
    3
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # so that a waiter who gives up cannot cancel it

    def run() -> None:
        try:
            future.set_result(work(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - the waiter gets it
            future.set_exception(error)

    threading.Thread(target=run, name="seasoned-waiting", daemon=True).start()
    return future


async def wait_for(future: Future[T], seconds: float) -> T:
    """Return the result, or raise `TimeoutError`; a result that is there is never late."""
    if future.done() or may_block():
        return future.result(max(0.0, seconds))
    import asyncio  # late: it is slow to load, and SQLite does without

    return await asyncio.wait_for(asyncio.wrap_future(future), max(0.0, seconds))


def _has_loop() -> bool:
    if "asyncio" not in sys.modules:
        return False
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class BufferConfig:
    batch: int = 32
    flush_seconds: float = 2.0
    capacity: int = 256
    first_retry_seconds: float = 0.5
    longest_retry_seconds: float = 60.0
    every_seconds: float | None = None  # also look for work this often, after the first nudge


@dataclass(slots=True)
class BufferCounters:
    """Figures for health; a spilled nudge loses no work, because the work is in the database."""

    enqueued: int = 0
    spilled: int = 0
    processed: int = 0
    failed: int = 0
    batches: int = 0
    last_error: str = ""


class Buffer:
    """A background worker that does waiting work in batches, soon after a nudge.

    The queue is the state of the database itself (a lesson without a vector), so an item here is
    only a nudge: work that overflows, fails or is cut short by a crash is found there later.

    `work(most)` does up to `most` pieces and returns how many it did; fewer than `most` means
    that none is left. If it raises, the worker tries again, after longer and longer pauses.
    """

    def __init__(
        self, name: str, work: Callable[[int], int], config: BufferConfig | None = None
    ) -> None:
        self.name = name
        self.config = config or BufferConfig()
        self.counters = BufferCounters()
        self._work = work
        self._nudges = 0
        self._changed = threading.Condition()  # its lock can be taken again
        self._hurried = False
        self._busy = False
        self._stopping = False
        self._worker: threading.Thread | None = None
        self._look_in = self.config.every_seconds  # without a nudge

    def start(self, look_in: float | None = None) -> None:
        """Start the worker; `look_in` is when it first looks for work, if nothing nudges it."""
        with self._changed:
            if self._worker is None:
                self._stopping = False
                self._look_in = look_in or self.config.every_seconds
                self._worker = threading.Thread(
                    target=self._run, name=f"seasoned-{self.name}", daemon=True
                )
                self._worker.start()

    def enqueue(self, pieces: int = 1) -> bool:
        """Nudge the worker; never blocks. False if the buffer was full."""
        with self._changed:
            room = self._nudges + pieces <= self.config.capacity
            if room:
                self._nudges += pieces
                self.counters.enqueued += pieces
            else:
                self._nudges = self.config.capacity
                self.counters.spilled += pieces
            self._changed.notify_all()
        return room

    def hurry(self) -> None:
        """Let the worker begin now with what was enqueued; never blocks."""
        with self._changed:
            self._hurried = self._nudges > 0
            self._changed.notify_all()

    def settle(self, seconds: float) -> bool:
        """Hurry, and wait until what was enqueued is done or has failed; False if it takes longer.

        Not in the worker's own thread: what it does may ask for what it has done.
        """
        with self._changed:
            if self._worker is None or self._worker is threading.current_thread():
                return False
            self.hurry()
            return self._changed.wait_for(
                lambda: not (self._nudges or self._busy) or self._stopping, seconds
            )

    def stop(self, *, drain: bool = True) -> None:
        """End the worker, then do what was enqueued; work that fails stays in the database.

        With `drain=False` all of it stays there: for work that takes long.
        """
        with self._changed:
            worker, self._worker = self._worker, None
            self._stopping = True
            self._changed.notify_all()
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
            done = self._drain()
            with self._changed:
                self._busy = False
                self._changed.notify_all()
            if done:
                retry = 0.0
            else:
                longer = max(self.config.first_retry_seconds, 2 * retry)
                retry = min(longer, self.config.longest_retry_seconds)

    def _wait(self, retry_seconds: float) -> bool:
        """Wait for a full batch, an old enough nudge, or a retry; False when stopping."""
        with self._changed:
            if retry_seconds:
                self._changed.wait_for(lambda: self._stopping, retry_seconds)
            else:
                nudged = self._changed.wait_for(
                    lambda: self._nudges or self._stopping, self._look_in
                )
                self._changed.wait_for(
                    lambda: self._nudges >= self.config.batch or self._hurried or self._stopping,
                    self.config.flush_seconds if nudged else 0,
                )
            if self._stopping:
                return False
            self._nudges, self._hurried, self._busy = 0, False, True
            self._look_in = self.config.every_seconds
        return True

    def _drain(self) -> bool:
        """Do all waiting work; False if a batch failed."""
        done: int | None = self.config.batch
        while done == self.config.batch and not self._stopping:
            done = self._one_batch()
        return done is not None

    def _one_batch(self) -> int | None:
        """Do one batch and return its size; None if it failed."""
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
