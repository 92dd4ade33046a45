"""A connection to the database, as the stores see it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from seasoned.core.text import storable

Row = tuple[Any, ...]
Params = Sequence[Any]
Clean = Callable[[Params], Params]  # takes out of values what must not be stored


def unchanged(params: Params) -> Params:
    return params


class Connection(Protocol):
    """One connection. SQL has `?` for values, on every dialect."""

    @property
    def writes(self) -> bool:
        """Whether it is in a transaction, which may still be rolled back."""
        ...

    async def execute(self, sql: str, params: Params = ()) -> int:
        """Run a statement; return how many rows it changed."""
        ...

    async def send(self, sql: str, params: Params = ()) -> None:
        """Run a statement without waiting; it may fail as late as the end of the transaction."""
        ...

    async def script(self, sql: str) -> None:
        """Run several statements that take no values."""
        ...

    async def execute_many(self, sql: str, rows: Iterable[Params]) -> None: ...

    async def insert(self, table: str, columns: Sequence[str], rows: Sequence[Params]) -> None:
        """Add many new rows in the fastest way; none may exist already."""
        ...

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]: ...

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None: ...


def storable_values(values: Params) -> Params:
    """Replace what no database accepts in the texts among these values."""
    return [storable(value) if isinstance(value, str) else value for value in values]
