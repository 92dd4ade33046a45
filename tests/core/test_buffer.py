import threading
import time
from collections.abc import Callable, Sequence

from seasoned.core.buffer import Buffer, BufferConfig


def eventually(true: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.005)
    return true()


def test_a_full_batch_is_processed_at_once() -> None:
    batches: list[list[int]] = []
    buffer = Buffer[int]("t", lambda b: batches.append(list(b)), BufferConfig(4, 60, 100))
    buffer.start()
    for number in range(4):
        buffer.enqueue(number)
    assert eventually(lambda: batches == [[0, 1, 2, 3]])
    buffer.stop()


def test_a_part_of_a_batch_is_processed_when_its_time_is_over() -> None:
    batches: list[list[int]] = []
    buffer = Buffer[int]("t", lambda b: batches.append(list(b)), BufferConfig(100, 0.05, 100))
    buffer.start()
    buffer.enqueue(1)
    assert eventually(lambda: batches == [[1]])
    buffer.stop()


def test_stopping_drains_what_is_queued() -> None:
    done: list[int] = []
    buffer = Buffer[int]("t", done.extend, BufferConfig(3, 60, 100))
    for number in range(10):
        buffer.enqueue(number)
    buffer.stop()
    assert done == list(range(10))
    assert buffer.counters.processed == 10


def test_enqueueing_never_blocks_and_counts_what_spilled() -> None:
    release = threading.Event()
    buffer = Buffer[int]("t", lambda _: release.wait(5), BufferConfig(1, 0.01, 2))
    buffer.start()
    took = [buffer.enqueue(number) for number in range(50)]
    assert took.count(False) == buffer.counters.spilled > 0
    assert buffer.counters.enqueued + buffer.counters.spilled == 50
    release.set()
    buffer.stop()


def test_a_batch_that_fails_is_counted_and_the_worker_goes_on() -> None:
    seen: list[int] = []

    def process(batch: Sequence[int]) -> None:
        if 0 in batch:
            raise ValueError("no zeros")
        seen.extend(batch)

    buffer = Buffer[int]("t", process, BufferConfig(1, 0.01, 10))
    buffer.start()
    for number in (0, 1, 2):
        buffer.enqueue(number)
    assert eventually(lambda: seen == [1, 2])
    buffer.stop()
    assert (buffer.counters.failed, buffer.counters.processed) == (1, 2)
