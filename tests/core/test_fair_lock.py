"""A lock for threads and tasks: in order, nothing lost when a waiter gives up, no deadlock."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from seasoned.core.fair_lock import FairLock, SelfDeadlockError
from seasoned.core.threads import drive_inline, may_block

SOON = 20.0


def eventually(true: Callable[[], bool]) -> None:
    until = time.monotonic() + SOON
    while not true():
        assert time.monotonic() < until
        time.sleep(0.001)


async def queued(lock: FairLock, waiters: int) -> None:
    until = time.monotonic() + SOON
    while lock.waiting < waiters and time.monotonic() < until:  # noqa: ASYNC110 - threads wait, too
        await asyncio.sleep(0.001)
    assert lock.waiting == waiters


def test_threads_and_tasks_get_it_in_the_order_they_came() -> None:
    lock, order = FairLock(), list[str]()
    assert lock.acquire_now()

    def thread(name: str) -> None:
        drive_inline(lock.acquire())
        order.append(name)
        lock.release()

    async def task(name: str) -> None:
        async with lock:
            order.append(name)

    async def main() -> None:
        tasks: list[asyncio.Task[None]] = []
        for number in range(3):
            tasks.append(asyncio.create_task(task(f"task {number}")))
            await queued(lock, 2 * number + 1)
            threading.Thread(target=thread, args=(f"thread {number}",)).start()
            await queued(lock, 2 * number + 2)
        lock.release()
        await asyncio.wait_for(asyncio.gather(*tasks), SOON)

    asyncio.run(main())
    eventually(lambda: len(order) == 6)
    assert order == [f"{kind} {number}" for number in range(3) for kind in ("task", "thread")]


@pytest.mark.parametrize("granted", [False, True])
def test_a_task_that_is_cancelled_leaves_its_place_to_the_next(granted: bool) -> None:
    async def main() -> None:
        lock = FairLock()
        assert lock.acquire_now()
        first, second = (asyncio.create_task(lock.acquire()) for _ in range(2))
        await queued(lock, 2)
        if granted:
            lock.release()
        first.cancel()
        if not granted:
            lock.release()
        await asyncio.wait_for(second, SOON)
        assert first.cancelled()
        assert not lock.acquire_now()
        lock.release()
        assert lock.acquire_now()

    asyncio.run(main())


def test_synchronous_code_goes_before_the_tasks_of_the_loop_that_it_blocks() -> None:
    async def main() -> None:
        lock = FairLock()
        assert lock.acquire_now()
        task = asyncio.create_task(lock.acquire())
        await queued(lock, 1)
        lock.release()  # to the task, which has no chance to run
        drive_inline(lock.acquire())
        lock.release()
        await asyncio.wait_for(task, SOON)
        assert not lock.acquire_now()

    asyncio.run(main())


def test_synchronous_code_overtakes_tasks_that_wait_for_another_thread() -> None:
    lock, held, go = FairLock(), threading.Event(), threading.Event()

    def hold() -> None:
        drive_inline(lock.acquire())
        held.set()
        go.wait(SOON)
        lock.release()

    async def main() -> None:
        threading.Thread(target=hold).start()
        held.wait(SOON)
        task = asyncio.create_task(lock.acquire())
        await queued(lock, 1)
        threading.Timer(0.05, go.set).start()
        drive_inline(lock.acquire())  # behind the task it would wait forever
        lock.release()
        await asyncio.wait_for(task, SOON)

    asyncio.run(main())


def test_waiting_for_a_task_that_cannot_run_is_refused() -> None:
    async def main() -> None:
        lock = FairLock()
        async with lock:
            with pytest.raises(SelfDeadlockError):
                drive_inline(lock.acquire())

    asyncio.run(main())


def test_a_task_whose_loop_is_gone_is_skipped() -> None:
    lock = FairLock()
    assert lock.acquire_now()
    left_behind = lock.acquire()

    async def main() -> None:
        left_behind.send(None)

    asyncio.run(main())
    lock.release()
    assert lock.acquire_now()
    left_behind.close()


def test_one_holder_at_a_time_among_threads_and_tasks() -> None:
    lock, inside, most = FairLock(), 0, 0
    counts = dict.fromkeys("abcd", 0)

    def enter(name: str) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        counts[name] += 1

    def leave() -> None:
        nonlocal inside
        inside -= 1
        lock.release()

    def thread(name: str) -> None:
        for _ in range(300):
            drive_inline(lock.acquire())
            enter(name)
            time.sleep(0)
            leave()

    async def task(name: str) -> None:
        for number in range(300):
            await lock.acquire()
            enter(name)
            if number % 3 == 0:
                await asyncio.sleep(0)
            leave()

    async def impatient() -> None:
        for _ in range(100):
            try:
                await asyncio.wait_for(lock.acquire(), 0.0005)
            except TimeoutError:
                continue
            lock.release()

    async def main() -> None:
        await asyncio.gather(task("c"), task("d"), impatient())

    threads = [threading.Thread(target=thread, args=(name,)) for name in "ab"]
    for one in threads:
        one.start()
    asyncio.run(asyncio.wait_for(main(), SOON))
    for one in threads:
        one.join(SOON)
    assert counts == dict.fromkeys("abcd", 300)
    assert most == 1
    assert lock.acquire_now()


def test_a_task_that_inline_work_starts_does_not_block_its_loop() -> None:
    async def main() -> None:
        blocks: list[bool] = []

        async def later() -> None:
            blocks.append(may_block())

        async def now() -> "asyncio.Task[None]":
            assert may_block()
            return asyncio.create_task(later())

        await drive_inline(now())
        assert blocks == [False]

    asyncio.run(main())
