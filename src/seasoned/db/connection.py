"""One conversation with a database, as the stores see it."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

Row = tuple[Any, ...]
Params = Sequence[Any]


class Connection(Protocol):
    """One conversation with the database. SQL has `?` for values, on every dialect."""

    @property
    def writes(self) -> bool:
        """Whether it is a transaction, whose changes may yet be undone."""
        ...

    async def execute(self, sql: str, params: Params = ()) -> int:
        """Runs a statement; how many rows it touched."""
        ...

    async def send(self, sql: str, params: Params = ()) -> None:
        """The same, where nobody waits for the answer: it may fail as late as the next statement,
        or when the transaction ends."""
        ...

    async def script(self, sql: str) -> None:
        """Runs several statements that take no values."""
        ...

    async def execute_many(self, sql: str, rows: Iterable[Params]) -> None: ...

    async def insert(self, table: str, columns: Sequence[str], rows: Sequence[Params]) -> None:
        """Adds many rows in the quickest way there is; none of them may be there already."""
        ...

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]: ...

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None: ...
