"""What the stores ask of a database: two dialects answer it, SQLite and Postgres."""

from collections.abc import Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

from seasoned.db.connection import Connection, Params, Row
from seasoned.db.vectors import Vectors
from seasoned.db.words import Words

__all__ = ["Connection", "Database", "Params", "Row"]

T = TypeVar("T")


class Database(Protocol):
    """A place for everything that was learned."""

    dialect: str
    overlaps: bool  # whether several reads can go on at once
    where: str  # for people: a path, or an address without its password

    async def open(self) -> None:
        """Connects, and brings the schema up to date; once, however many ask for it."""
        ...

    async def close(self) -> None: ...

    def write(self) -> AbstractAsyncContextManager[Connection]:
        """A transaction: all of it happens, or nothing."""
        ...

    def read(self) -> AbstractAsyncContextManager[Connection]: ...

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Drives a coroutine to its end from ordinary, synchronous code."""
        ...

    def is_here(self) -> bool:
        """Whether this very thread is the one that the database's own work is done on."""
        ...

    def shutdown(self) -> None:
        """Ends what `close` cannot end from inside: the thread of the portal."""
        ...

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        """Drives a coroutine from any event loop."""
        ...

    def text_search(self, table: str) -> str:
        """SQL for `(rowid, score)` of all texts that share words with `?`.

        A higher score is a better match; scores compare within one answer only. The caller
        joins, filters by scope, orders and limits, in this order.
        """
        ...

    def text_query(self, words: Sequence[str]) -> str:
        """Any of these words, as the search above wants it said."""
        ...

    def vectors(self, kind: str, columns: Sequence[str]) -> Vectors:
        """The vectors of one kind of thing, filtered by these columns."""
        ...

    def words(self, table: str, vectors: Vectors) -> Words:
        """The words of the texts that have these vectors."""
        ...

    def using(self, index: str) -> str:
        """What to say behind a table's name where this index must be taken, whatever it guesses."""
        ...
