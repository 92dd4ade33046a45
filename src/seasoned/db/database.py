"""The database as the stores use it; SQLite and Postgres implement it."""

from collections.abc import Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

from seasoned.db.connection import Connection, Params, Row
from seasoned.db.search.index import VectorIndex, WordIndex

__all__ = ["Connection", "Database", "Params", "Row"]

T = TypeVar("T")


class Database(Protocol):
    """The storage of everything that was learned."""

    dialect: str
    overlaps: bool  # whether several reads can run at once
    where: str  # for people: a path, or an address without its password

    async def open(self) -> None:
        """Connect and migrate the schema, once, however often it is called."""
        ...

    async def close(self) -> None: ...

    def write(self) -> AbstractAsyncContextManager[Connection]:
        """Begin a transaction: all of it happens, or nothing."""
        ...

    def read(self) -> AbstractAsyncContextManager[Connection]: ...

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end from synchronous code."""
        ...

    def is_here(self) -> bool:
        """Whether the caller runs in the database's own thread."""
        ...

    def shutdown(self) -> None:
        """End the portal's thread, which `close` cannot end from inside."""
        ...

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine from any event loop."""
        ...

    def text_search(self, table: str) -> str:
        """Return SQL for `(rowid, score)` of all texts that share words with `?`.

        A higher score is a better match; scores are comparable within one answer only. The caller
        joins, filters by scope, orders and limits, in this order.
        """
        ...

    def text_query(self, words: Sequence[str]) -> str:
        """Return the parameter of `text_search` that matches any of these words."""
        ...

    def vectors(self, kind: str, columns: Sequence[str]) -> VectorIndex:
        """Return the vectors of one kind of thing, filtered by these columns."""
        ...

    def words(self, table: str, vectors: VectorIndex) -> WordIndex:
        """Return the words of the texts that have these vectors."""
        ...

    def using(self, index: str) -> str:
        """Return SQL to put after a table's name, to force the use of an index."""
        ...
