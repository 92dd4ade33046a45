"""Waits for something slow without holding up more than it must: in a thread of its own.

SQLite's work is driven inline and may not suspend; elsewhere an event loop goes on meanwhile.
"""

import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_inline: ContextVar[bool] = ContextVar("seasoned_inline", default=False)


def driven(work: Coroutine[Any, Any, T]) -> T:
    """Drives a coroutine to its end, right here: inside, waiting blocks the thread."""
    token = _inline.set(True)
    try:
        work.send(None)
    except StopIteration as finished:
        return finished.value
    finally:
        _inline.reset(token)
    work.close()
    raise RuntimeError("work that is driven inline suspended; it must not")


def begun(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    """Starts work in a thread that does not keep the process alive.

    >>> begun(sum, [1, 2]).result()
    3
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # whoever stops waiting cannot take the result's place

    def run() -> None:
        try:
            future.set_result(work(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - it goes to whoever waits
            future.set_exception(error)

    threading.Thread(target=run, name="seasoned-waiting", daemon=True).start()
    return future


async def waited(future: Future[T], seconds: float) -> T:
    """The result, or `TimeoutError` when it takes longer; what is there already is never late."""
    if future.done() or _inline.get() or not _has_loop():
        return future.result(max(0.0, seconds))
    import asyncio

    return await asyncio.wait_for(asyncio.wrap_future(future), max(0.0, seconds))


def _has_loop() -> bool:
    if "asyncio" not in sys.modules:  # it takes a while to load, and then there is no loop
        return False
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
