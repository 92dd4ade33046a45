"""Group commits: what arrives at the same time is done in one piece of work.

Whoever asked waits until its own part is done, so a reply still means that it is durable. When the
whole fails, each is done by itself: one that cannot be done spoils nothing for the others.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

I = TypeVar("I")  # noqa: E741 - what comes in
R = TypeVar("R")

Waiting = tuple[I, "asyncio.Future[R]"]


class Together(Generic[I, R]):
    """`work` gets what waits and returns as many results, in the same order."""

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
            # It starts when this round of the loop is over: all that came in it go together.
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
        except Exception as error:  # noqa: BLE001 - it goes to whoever waits
            if len(batch) > 1:
                for one in batch:
                    await self._settle([one])
            elif not batch[0][1].done():
                batch[0][1].set_exception(error)
            return
        for (_, future), result in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(result)
