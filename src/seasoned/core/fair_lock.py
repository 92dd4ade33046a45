"""A lock that threads and the tasks of event loops wait for, first come, first served."""

import threading
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING

from seasoned.core.threads import may_block

if TYPE_CHECKING:
    import asyncio


class SelfDeadlockError(RuntimeError):
    """The caller would wait for a task that only the caller's own thread can run."""


class FairLock:
    """A lock whose waiters get it in order; a thread blocks, a task suspends.

    Whoever releases it hands it to the first waiter, so threads that come back at once cannot
    starve a task. Synchronous code inside an event loop blocks that loop, so it goes before the
    loop's own tasks: they cannot run until it is done. If one of them already holds the lock,
    `SelfDeadlockError` is raised at once.

    >>> from seasoned.core.threads import drive_inline
    >>> lock = FairLock()
    >>> drive_inline(lock.acquire())
    >>> lock.acquire_now()
    False
    >>> lock.release()
    """

    __slots__ = ("_granted", "_held", "_holder", "_queue", "_waiters")

    def __init__(self) -> None:
        self._held = threading.Lock()
        self._holder = 0  # the holder's thread, or that of the task it was granted to
        self._granted: _TaskWaiter | None = None  # has the lock, but has not run since
        self._queue = threading.Lock()  # guards the waiters; never held while waiting
        self._waiters: deque[_Waiter] = deque()

    @property
    def waiting(self) -> int:
        return len(self._waiters)

    def acquire_now(self) -> bool:
        """Take the lock if it is free."""
        if self._held.acquire(blocking=False):
            self._holder = threading.get_ident()
            return True
        return False

    async def acquire(self) -> None:
        if self.acquire_now():
            return
        if may_block():
            self._block()
        else:
            await self._suspend()

    def release(self) -> None:
        self._holder = 0
        if self._waiters:
            self._hand_over()
            return
        self._held.release()
        # Whoever queued up meanwhile saw the lock held, and waits to be woken.
        if self._waiters and self._held.acquire(blocking=False):
            self._hand_over()

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _block(self) -> None:
        waiter = _ThreadWaiter()
        if self._got_at_once(waiter):
            return
        try:
            waiter.parked.acquire()
        except BaseException:  # an interrupt
            self._withdraw(waiter)
            raise

    async def _suspend(self) -> None:
        waiter = _TaskWaiter()
        if self._got_at_once(waiter):
            return
        try:
            while not self._has_taken(waiter):
                await waiter.woken
        except BaseException:  # cancelled, or its loop was closed
            self._withdraw(waiter)
            raise

    def _got_at_once(self, waiter: "_Waiter") -> bool:
        """Queue up; True if that was not needed after all."""
        with self._queue:
            if isinstance(waiter, _ThreadWaiter) and self._holder == waiter.thread:
                self._take_over()
                return True
            self._waiters.insert(self._place(waiter), waiter)
            if self._held.acquire(blocking=False):
                self._waiters.remove(waiter)
                self._holder = waiter.thread
                return True
        return False

    def _take_over(self) -> None:
        """Take the lock from a task of this thread that was granted it and has not run yet."""
        task, self._granted = self._granted, None
        if task is None:
            raise SelfDeadlockError("another task of this event loop holds the lock and waits")
        task.has_lock = False
        self._waiters.appendleft(task)

    def _place(self, waiter: "_Waiter") -> int:
        if isinstance(waiter, _ThreadWaiter):
            for place, other in enumerate(self._waiters):
                if other.thread == waiter.thread:
                    return place
        return len(self._waiters)

    def _has_taken(self, waiter: "_TaskWaiter") -> bool:
        with self._queue:
            if waiter.has_lock:
                self._granted = None
                return True
            waiter.renew()
            return False

    def _hand_over(self) -> None:
        with self._queue:
            while self._waiters:
                waiter = self._waiters.popleft()
                waiter.has_lock = True
                self._holder = waiter.thread
                self._granted = waiter if isinstance(waiter, _TaskWaiter) else None
                if waiter.wake():
                    return
            self._holder, self._granted = 0, None
            self._held.release()

    def _withdraw(self, waiter: "_Waiter") -> None:
        with self._queue:
            if not waiter.has_lock:
                self._waiters.remove(waiter)
                return
            self._granted = None
        self.release()


class _Waiter:
    """A place in the queue."""

    __slots__ = ("has_lock", "thread")

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.has_lock = False

    def wake(self) -> bool:
        """Say that it has the lock; False if nobody is there any more."""
        raise NotImplementedError


class _ThreadWaiter(_Waiter):
    __slots__ = ("parked",)

    def __init__(self) -> None:
        super().__init__()
        self.parked = threading.Lock()
        self.parked.acquire()

    def wake(self) -> bool:
        self.parked.release()
        return True


class _TaskWaiter(_Waiter):
    __slots__ = ("_loop", "woken")

    def __init__(self) -> None:
        import asyncio  # late: it is slow to load, and whoever suspends has it

        super().__init__()
        self._loop = asyncio.get_running_loop()
        self.renew()

    def renew(self) -> None:
        self.woken: asyncio.Future[None] = self._loop.create_future()

    def wake(self) -> bool:
        woken = self.woken
        try:
            self._loop.call_soon_threadsafe(_finish, woken)
        except RuntimeError:  # the loop is closed
            return False
        return True


def _finish(woken: "asyncio.Future[None]") -> None:
    if not woken.done():
        woken.set_result(None)
