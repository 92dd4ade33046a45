"""Does a piece of work in one transaction, and again when two writers stood in each other's way."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from seasoned.core.errors import DatabaseConflict
from seasoned.db.database import Connection, Database

T = TypeVar("T")

TRIES = 4


async def transact(db: Database, work: Callable[[Connection], Awaitable[T]]) -> T:
    """The result of the work. It must keep no state of its own: it may run more than once."""
    for left in reversed(range(TRIES)):
        try:
            async with db.write() as tx:
                return await work(tx)
        except DatabaseConflict:
            if not left:
                raise
    raise AssertionError("the last try returns or raises")
