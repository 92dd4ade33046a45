"""Waiting holds up no more than it must: the thread where nothing else can be done, else nobody."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from seasoned.core.waiting import begun, driven, waited


def held(release: threading.Event, value: str = "late") -> Callable[[], str]:
    def work() -> str:
        release.wait(20)
        return value

    return work


def failing() -> str:
    raise ValueError("no such thing")


def test_work_that_is_driven_comes_to_its_end_without_a_loop() -> None:
    async def both() -> str:
        return await waited(begun(str.upper, "a"), 20) + await waited(begun(str.upper, "b"), 20)

    assert driven(both()) == "AB"


def test_work_that_suspends_is_refused_when_it_is_driven() -> None:
    with pytest.raises(RuntimeError, match="suspended"):
        driven(asyncio.sleep(0))


def test_an_error_reaches_whoever_waits() -> None:
    with pytest.raises(ValueError, match="no such thing"):
        driven(waited(begun(failing), 20))
    with pytest.raises(ValueError, match="no such thing"):
        asyncio.run(waited(begun(failing), 20))


@pytest.mark.parametrize("drive", [driven, asyncio.run], ids=["inline", "in a loop"])
def test_what_is_late_is_cut_off_and_may_end_in_peace(drive: Callable[..., str]) -> None:
    release = threading.Event()
    future = begun(held(release))
    with pytest.raises(TimeoutError):
        drive(waited(future, 0.05))
    release.set()
    assert future.result(20) == "late"  # its thread did not stumble over the caller that left


@pytest.mark.parametrize("seconds", [0.0, -3.0])
@pytest.mark.parametrize("drive", [driven, asyncio.run], ids=["inline", "in a loop"])
def test_what_is_there_already_is_never_late(drive: Callable[..., str], seconds: float) -> None:
    future = begun(str.upper, "a")
    future.result(20)
    assert drive(waited(future, seconds)) == "A"


def test_a_loop_goes_on_while_one_task_waits() -> None:
    release = threading.Event()

    async def ticking() -> int:
        driven(waited(begun(str.upper, "a"), 20))  # what was driven before leaves no trace
        waiting = asyncio.create_task(waited(begun(held(release)), 20))
        ticks = 0
        while not waiting.done():
            ticks += 1
            if ticks == 20:
                release.set()
            await asyncio.sleep(0.001)
        assert await waiting == "late"
        return ticks

    assert asyncio.run(ticking()) >= 20


def test_inside_a_loop_what_is_driven_blocks_and_never_suspends() -> None:
    async def story() -> str:
        return driven(waited(begun(str.upper, "a"), 20))

    assert asyncio.run(story()) == "A"


def test_a_task_that_is_cancelled_stops_waiting() -> None:
    release = threading.Event()

    async def story() -> bool:
        task = asyncio.create_task(waited(begun(held(release)), 20))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelled()

    assert asyncio.run(story())
    release.set()
