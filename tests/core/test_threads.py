"""Background workers, and waiting with a deadline, with and without an event loop."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from seasoned.core.threads import Buffer, BufferConfig, drive_inline, run_in_thread, wait_for


def eventually(true: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.005)
    return true()


class Store:
    """A counter of pending work, in place of a database."""

    def __init__(self, waiting: int = 0, failures: int = 0) -> None:
        self.waiting = waiting
        self.failures = failures
        self.batches: list[int] = []

    def work(self, most: int) -> int:
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the embedder is away")
        done = min(most, self.waiting)
        self.waiting -= done
        self.batches.append(done)
        return done


def test_a_full_batch_is_done_at_once() -> None:
    store = Store(waiting=4)
    buffer = Buffer("t", store.work, BufferConfig(4, 60, 100))
    buffer.start()
    for _ in range(4):
        buffer.enqueue()
    assert eventually(lambda: store.waiting == 0)
    buffer.stop()


def test_part_of_a_batch_is_done_when_its_time_is_over() -> None:
    store = Store(waiting=1)
    buffer = Buffer("t", store.work, BufferConfig(100, 0.05, 100))
    buffer.start()
    buffer.enqueue()
    assert eventually(lambda: store.batches == [1])
    buffer.stop()


def test_one_nudge_does_all_that_waits() -> None:
    store = Store(waiting=1000)
    buffer = Buffer("t", store.work, BufferConfig(32, 0.01, 100))
    buffer.start()
    buffer.enqueue()
    assert eventually(lambda: store.waiting == 0)
    buffer.stop()
    assert buffer.counters.processed == 1000


def test_stopping_does_what_was_enqueued() -> None:
    store = Store(waiting=10)
    buffer = Buffer("t", store.work, BufferConfig(3, 60, 100))
    buffer.start()
    buffer.enqueue(10)
    buffer.stop()
    assert store.waiting == 0
    assert buffer.counters.processed == 10


def test_enqueueing_never_blocks_and_counts_overflow() -> None:
    release = threading.Event()

    def held(most: int) -> int:
        release.wait(5)
        return 0

    buffer = Buffer("t", held, BufferConfig(1, 0.01, 2))
    buffer.start()
    took = [buffer.enqueue() for _ in range(50)]
    assert took.count(False) == buffer.counters.spilled > 0
    assert buffer.counters.enqueued + buffer.counters.spilled == 50
    release.set()
    buffer.stop()


def test_what_fails_is_counted_and_tried_again_until_it_works() -> None:
    store = Store(waiting=5, failures=3)
    config = BufferConfig(2, 0.01, 10, first_retry_seconds=0.01, longest_retry_seconds=0.05)
    buffer = Buffer("t", store.work, config)
    buffer.start()
    buffer.enqueue()
    assert eventually(lambda: store.waiting == 0)
    buffer.stop()
    assert (buffer.counters.failed, buffer.counters.processed) == (3, 5)
    assert buffer.counters.last_error == ""


def test_a_failure_is_shown_while_it_lasts() -> None:
    store = Store(waiting=1, failures=10**6)
    buffer = Buffer("t", store.work, BufferConfig(2, 0.01, 10, 0.01, 0.02))
    buffer.start()
    buffer.enqueue()
    assert eventually(lambda: "embedder is away" in buffer.counters.last_error)
    buffer.stop()
    assert store.waiting == 1


def held(release: threading.Event, value: str = "late") -> Callable[[], str]:
    def work() -> str:
        release.wait(20)
        return value

    return work


def failing() -> str:
    raise ValueError("no such thing")


def test_driven_work_finishes_without_a_loop() -> None:
    async def both() -> str:
        return await wait_for(run_in_thread(str.upper, "a"), 20) + await wait_for(
            run_in_thread(str.upper, "b"), 20
        )

    assert drive_inline(both()) == "AB"


def test_work_that_suspends_is_refused_when_it_is_driven() -> None:
    with pytest.raises(RuntimeError, match="suspended"):
        drive_inline(asyncio.sleep(0))


def test_an_error_reaches_whoever_waits() -> None:
    with pytest.raises(ValueError, match="no such thing"):
        drive_inline(wait_for(run_in_thread(failing), 20))
    with pytest.raises(ValueError, match="no such thing"):
        asyncio.run(wait_for(run_in_thread(failing), 20))


@pytest.mark.parametrize("drive", [drive_inline, asyncio.run], ids=["inline", "in a loop"])
def test_late_work_is_cut_off_and_may_finish(drive: Callable[..., str]) -> None:
    release = threading.Event()
    future = run_in_thread(held(release))
    with pytest.raises(TimeoutError):
        drive(wait_for(future, 0.05))
    release.set()
    assert future.result(20) == "late"  # the thread finishes although its caller gave up


@pytest.mark.parametrize("seconds", [0.0, -3.0])
@pytest.mark.parametrize("drive", [drive_inline, asyncio.run], ids=["inline", "in a loop"])
def test_a_finished_result_is_never_late(drive: Callable[..., str], seconds: float) -> None:
    future = run_in_thread(str.upper, "a")
    future.result(20)
    assert drive(wait_for(future, seconds)) == "A"


def test_a_loop_goes_on_while_one_task_waits() -> None:
    release = threading.Event()

    async def ticking() -> int:
        drive_inline(wait_for(run_in_thread(str.upper, "a"), 20))  # must not affect the loop
        waiting = asyncio.create_task(wait_for(run_in_thread(held(release)), 20))
        ticks = 0
        while not waiting.done():
            ticks += 1
            if ticks == 20:
                release.set()
            await asyncio.sleep(0.001)
        assert await waiting == "late"
        return ticks

    assert asyncio.run(ticking()) >= 20


def test_inside_a_loop_driven_work_blocks_and_never_suspends() -> None:
    async def story() -> str:
        return drive_inline(wait_for(run_in_thread(str.upper, "a"), 20))

    assert asyncio.run(story()) == "A"


def test_a_task_that_is_cancelled_stops_waiting() -> None:
    release = threading.Event()

    async def story() -> bool:
        task = asyncio.create_task(wait_for(run_in_thread(held(release)), 20))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelled()

    assert asyncio.run(story())
    release.set()
