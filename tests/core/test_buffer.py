import threading
import time
from collections.abc import Callable

from seasoned.core.buffer import Buffer, BufferConfig


def eventually(true: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.005)
    return true()


class Store:
    """Work that waits, as it would in a database."""

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


def test_enqueueing_never_blocks_and_counts_what_spilled() -> None:
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
