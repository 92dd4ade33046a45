"""A queue of work that waits: capped, durable, shared by many processes. Two places can hold one.

Times are integer microseconds, and come from the caller.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.text import storable
from seasoned.db.connection import Connection

LONGEST_ERROR = 1000


@dataclass(frozen=True, slots=True)
class Waiting:
    """A piece of work; `body` is JSON. `added_at` is 0 while nobody has looked at a foreign one."""

    id: str
    body: str
    added_at: int
    due_at: int
    attempts: int = 0
    error: str = ""
    claimed_until: int = 0
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Depth:
    """How much waits: `failing` and `claimed` are part of `pending`; `evicted` counts all ever."""

    pending: int
    failing: int
    claimed: int
    archived: int
    oldest_at: int | None
    evicted: int


class Queue(ABC):
    """Newest first; what the cap evicts, the oldest, goes to the archive: nothing is lost.

    Whatever ends halfway may be done again: the same id twice is one item. A body has its id in
    it, so that no two items have the same text.
    """

    name: str
    cap: int
    where: str  # for people: an address without its password

    @abstractmethod
    async def push(self, item_id: str, body: str, now: int) -> int:
        """Adds an item, due at once; how many the cap evicted into the archive.

        One that is there already, pending or archived, stays as it is.
        """

    @abstractmethod
    async def push_within(self, tx: Connection, item_id: str, body: str, now: int) -> int:
        """The same in a transaction of the caller's, as far as the place allows."""

    @abstractmethod
    async def claim(self, most: int, now: int, lease_microseconds: int) -> Sequence[Waiting]:
        """The oldest that are due and that nobody is at, for the caller alone until the lease ends.

        Who is killed at work loses nothing: after that, another gets them.
        """

    @abstractmethod
    async def finish(self, item_id: str) -> bool:
        """Takes away an item that is done, be it archived meanwhile; whether it was there."""

    @abstractmethod
    async def finish_within(self, tx: Connection, item_id: str) -> bool:
        """The same in a transaction; False when somebody else has finished it: then do nothing.

        When the transaction is through, call `finish` too. In SQL there is nothing left to do
        then; elsewhere it happens only then.
        """

    @abstractmethod
    async def fail(self, item_id: str, error: str, due_at: int) -> bool:
        """One more attempt was in vain: the item is free again, and due later."""

    @abstractmethod
    async def list(self, *, archived: bool = False, limit: int = 50) -> Sequence[Waiting]:
        """What is pending, or what is archived, the newest first."""

    @abstractmethod
    async def find(self, beginning: str, most: int) -> Sequence[Waiting]:
        """Some of those whose id begins so, pending or archived, the shortest id first."""

    @abstractmethod
    async def depth(self, now: int) -> Depth: ...

    @abstractmethod
    async def close(self) -> None:
        """Lets go of what it holds open; it may be used again."""

    @abstractmethod
    async def _retry_all(self, now: int) -> int: ...

    @abstractmethod
    async def _retry_one(self, item_id: str, now: int) -> bool:
        """Makes it due; False when it is archived and there is no room."""

    @abstractmethod
    async def _clear_all(self, *, archived: bool) -> int: ...

    async def get(self, item_id: str) -> Waiting:
        """The item with this id, or with the only id that begins so."""
        found = await self.find(item_id, 2)
        if len(found) == 1 or (found and found[0].id == item_id):
            return found[0]
        if found:
            raise BadInput(
                f"several items of the queue begin with {item_id!r}; give more of the id"
            )
        raise NotFound(f"no {item_id!r} in the queue {self.name}; it may be done; list what waits")

    async def retry(self, item_id: str | None, now: int) -> int:
        """Makes those that failed due now; or one, which comes back if it was archived.

        What comes back counts as the newest, so that the cap does not take it again at once.
        """
        if item_id is None:
            return await self._retry_all(now)
        item = await self.get(item_id)
        if await self._retry_one(item.id, now):
            return 1
        raise BadInput(
            f"{item.id} stays in the archive: {self.cap} wait already, and more may not; "
            "let them be learned, clear some, or raise behavioral.queueCap"
        )

    async def clear(self, item_id: str | None = None, *, archived: bool = False) -> int:
        """Takes away the one that is named, wherever it is; or all that is pending, or archived."""
        if item_id is None:
            return await self._clear_all(archived=archived)
        return int(await self.finish((await self.get(item_id)).id))


def kept(item_id: str, body: str) -> tuple[str, str]:
    """An id and a body as every place can keep them.

    >>> kept("a", '{"id":"a"}')
    ('a', '{"id":"a"}')
    """
    if not item_id or not body:
        raise BadInput("an item of the queue needs an id and a body")
    return storable(item_id), storable(body)


def kept_error(error: str) -> str:
    return storable(error)[:LONGEST_ERROR] or "failed, and said nothing"
