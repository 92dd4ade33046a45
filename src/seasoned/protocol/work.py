"""How work gets done on the database, from whatever loop (or none) the caller is in."""

from collections.abc import Awaitable, Coroutine
from typing import Any, Protocol, TypeVar

from seasoned.core.bus import Bus
from seasoned.db.database import Database

T = TypeVar("T")


class Run(Protocol):
    def __call__(self, work: Coroutine[Any, Any, T], /) -> Awaitable[T]: ...


class Work:
    """Runs work where the database lives, and then tells listeners what came of it."""

    def __init__(self, db: Database, bus: Bus) -> None:
        self._db = db
        self._bus = bus

    async def __call__(self, work: Coroutine[Any, Any, T], /) -> T:
        result = await self._db.run_async(work)
        if not self._db.is_here():  # there, whoever waits for the whole delivers
            self._bus.deliver()
        return result
