"""One way to change state: the transaction, its audit entries and its events belong together.

Work that changes what was learned gets a `Change`: a connection that also takes notes. When the
work returns, its notes are appended to the audit inside the same transaction; after the commit,
its events are published.

Work is a function, not the body of an `async with`, because it may run again: when two writers
collide, one is rolled back and its work is repeated. So it must keep no state of its own.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import CoroutineType
from typing import Any, NamedTuple, Protocol, TypeVar

from seasoned.core.actor import actor
from seasoned.core.clock import Clock
from seasoned.core.errors import DatabaseConflict
from seasoned.core.events import Bus, Event
from seasoned.core.ids import canonical
from seasoned.db.connection import Connection, Params, Row
from seasoned.db.database import Database

T = TypeVar("T")

TRIES = 4


class AuditEntry(NamedTuple):  # quicker to make than a dataclass: every observed call needs one
    """An entry that is not chained yet; `subject` is the id of the thing it is about."""

    kind: str
    subject: str
    detail: str  # canonical JSON


def signed(entries: Sequence[AuditEntry], by: str) -> Sequence[AuditEntry]:
    """Name the actor in each entry's detail, inside of what the chain's digests cover.

    >>> signed([AuditEntry("lesson.changed", "k3x9", '{"after":1}')], "key:ab ci")[0].detail
    '{"actor":"key:ab ci","after":1}'
    """
    if not by:
        return entries
    return [one._replace(detail=_with_actor(one.detail, by)) for one in entries]


def _with_actor(detail: str, by: str) -> str:
    known: Any = json.loads(detail)
    return canonical(
        {**known, "actor": by} if isinstance(known, dict) else {"actor": by, "is": known}
    )


class AuditTrail(Protocol):
    """Appends audit entries; `security.audit` implements it."""

    async def add(self, tx: Connection, at: int, entries: Sequence[AuditEntry]) -> None: ...


class Run(Protocol):
    """Runs work on the database from any event loop, or from none."""

    def __call__(self, work: Coroutine[Any, Any, T], /) -> Awaitable[T]: ...


class Change:
    """A transaction that collects audit entries for its end and events for after the commit."""

    __slots__ = ("at", "entries", "events", "tx")

    def __init__(self, tx: Connection, at: int) -> None:
        self.tx = tx
        self.at = at
        self.entries: list[AuditEntry] = []
        self.events: list[Event] = []

    def record(self, kind: str, subject: str, detail: Mapping[str, Any] | str) -> None:
        """Note an audit entry; a string as detail must be canonical JSON."""
        text = detail if isinstance(detail, str) else canonical(detail)
        self.entries.append(AuditEntry(kind, subject, text))

    def tell(self, event: Event) -> None:
        """Note an event to publish after the commit."""
        self.events.append(event)

    # A Connection: each method returns the coroutine of the real one, which costs next to nothing.
    @property
    def writes(self) -> bool:
        return self.tx.writes

    def execute(self, sql: str, params: Params = ()) -> CoroutineType[Any, Any, int]:
        return self.tx.execute(sql, params)

    def send(self, sql: str, params: Params = ()) -> CoroutineType[Any, Any, None]:
        return self.tx.send(sql, params)

    def script(self, sql: str) -> CoroutineType[Any, Any, None]:
        return self.tx.script(sql)

    def execute_many(self, sql: str, rows: Iterable[Params]) -> CoroutineType[Any, Any, None]:
        return self.tx.execute_many(sql, rows)

    def insert(
        self, table: str, columns: Sequence[str], rows: Sequence[Params]
    ) -> CoroutineType[Any, Any, None]:
        return self.tx.insert(table, columns, rows)

    def fetch(self, sql: str, params: Params = ()) -> CoroutineType[Any, Any, list[Row]]:
        return self.tx.fetch(sql, params)

    def fetch_one(self, sql: str, params: Params = ()) -> CoroutineType[Any, Any, Row | None]:
        return self.tx.fetch_one(sql, params)


class Unit:
    """The database with its audit, bus and clock, which every change of state needs."""

    __slots__ = ("audit", "bus", "clock", "db")

    def __init__(self, db: Database, audit: AuditTrail, bus: Bus, clock: Clock) -> None:
        self.db = db
        self.audit = audit
        self.bus = bus
        self.clock = clock

    def now(self) -> int:
        return self.clock.now()

    def read(self) -> AbstractAsyncContextManager[Connection]:
        return self.db.read()

    async def change(self, work: Callable[[Change], Awaitable[T]], *, at: int | None = None) -> T:
        """Do work in one transaction, append its audit entries, then publish its events."""
        for left in reversed(range(TRIES)):  # written out, not by `transact`: this is the hot path
            try:
                async with self.db.write() as tx:
                    change = Change(tx, self.clock.now() if at is None else at)
                    result = await work(change)
                    if change.entries:  # at the end, because writers queue for the end of the chain
                        await self.audit.add(tx, change.at, signed(change.entries, actor()))
            except DatabaseConflict:
                if not left:
                    raise
            else:
                for event in change.events:
                    self.bus.publish(event)
                return result
        raise AssertionError("the last try returns or raises")

    async def run(self, work: Coroutine[Any, Any, T], /) -> T:
        """Await work from any event loop, then deliver the events it published."""
        result = await self.db.run_async(work)
        if not self.db.is_here():  # inside the database's own loop the outer caller delivers
            self.bus.deliver()
        return result

    def drive(self, work: Coroutine[Any, Any, T], /) -> T:
        """Run work from synchronous code, then deliver the events it published."""
        result = self.db.run(work)
        self.bus.deliver()
        return result


async def transact(db: Database, work: Callable[[Connection], Awaitable[T]]) -> T:
    """Do work in one transaction that needs no audit; repeat it when writers collide."""
    for left in reversed(range(TRIES)):
        try:
            async with db.write() as tx:
                return await work(tx)
        except DatabaseConflict:
            if not left:
                raise
    raise AssertionError("the last try returns or raises")
