"""Group commit: requests that arrive at the same time share one transaction.

Each caller waits until its own part is done, so a reply still means that the data is durable. If
the whole batch fails, each item runs by itself, so that one bad item fails alone; unless the
database is busy or away, which each of them would wait for in turn.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from seasoned.core.errors import DatabaseBusy, DatabaseUnavailable

I = TypeVar("I")  # noqa: E741 - an item
R = TypeVar("R")


class GroupCommit(Generic[I, R]):
    """Calls `work` with the waiting items; it returns one result per item, in the same order."""

    def __init__(
        self,
        work: Callable[[Sequence[I]], Awaitable[Sequence[R]]],
        *,
        weight: Callable[[I], int] = lambda _: 1,
        most: int = 1000,
    ) -> None:
        self._work = work
        self._weight = weight
        self._most = most
        self._waiting: list[tuple[I, asyncio.Future[R]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def __call__(self, item: I) -> R:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        self._waiting.append((item, future))
        if self._worker is None:
            # The task starts after this round of the loop, so all items of the round go together.
            self._worker = loop.create_task(self._run())
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._settle(self._next())
        finally:
            self._worker = None
            for _, future in self._waiting:
                future.cancel()
            self._waiting.clear()

    def _next(self) -> list[tuple[I, "asyncio.Future[R]"]]:
        weight = taken = 0
        for item, _ in self._waiting:
            weight += self._weight(item)
            if taken and weight > self._most:
                break
            taken += 1
        batch, self._waiting = self._waiting[:taken], self._waiting[taken:]
        return batch

    async def _settle(self, batch: list[tuple[I, "asyncio.Future[R]"]]) -> None:
        try:
            results = await self._work([item for item, _ in batch])
        except asyncio.CancelledError:
            for _, future in batch:
                future.cancel()
            raise
        except (DatabaseBusy, DatabaseUnavailable) as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        except Exception as error:  # noqa: BLE001 - the caller gets it
            if len(batch) > 1:
                for one in batch:
                    await self._settle([one])
            elif not batch[0][1].done():
                batch[0][1].set_exception(error)
            return
        for (_, future), result in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(result)
