"""Run coroutines in one long-lived background event loop, from synchronous code or any loop."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Portal:
    """A background thread with one event loop, until closed.

    >>> portal = Portal("example")
    >>> portal.run(asyncio.sleep(0, "done"))
    'done'
    >>> portal.close()
    """

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name=f"seasoned-{name}", daemon=True
        )
        self._thread.start()

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in the portal's own thread."""
        return threading.current_thread() is self._thread

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        if self.is_here:
            work.close()
            raise RuntimeError("called from inside the loop that it would wait for; await instead")
        future = asyncio.run_coroutine_threadsafe(_outcome(work), self._loop)
        try:
            value, stopped = future.result()
        except BaseException:
            future.cancel()  # the caller was interrupted, so nobody wants the work any more
            raise
        if stopped is not None:
            raise stopped
        return cast("T", value)

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run work without waiting for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, function: Callable[[], object]) -> None:
        """Call a function in the loop, soon; a signal handler may use this."""
        self._loop.call_soon_threadsafe(function)

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        if asyncio.get_running_loop() is self._loop:
            return await work
        future = asyncio.run_coroutine_threadsafe(_outcome(work), self._loop)
        value, stopped = await asyncio.wrap_future(future)
        if stopped is not None:
            raise stopped
        return cast("T", value)

    def close(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


async def _outcome(work: Coroutine[Any, Any, T]) -> tuple[T | None, BaseException | None]:
    """Return the result, or the exception that ends the process: raised here, it ends the loop."""
    try:
        return await work, None
    except (KeyboardInterrupt, SystemExit) as stop:
        return None, stop
