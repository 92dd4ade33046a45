"""A queue of work: capped, durable, shared by many processes, in the database or in Redis.

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
class QueueItem:
    """A piece of work; `body` is JSON. `added_at` is 0 for a foreign item not read yet."""

    id: str
    body: str
    added_at: int
    due_at: int
    attempts: int = 0
    error: str = ""
    claimed_until: int = 0
    archived: bool = False

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in a list, newest first: `after` of the next page."""
        return (self.added_at, self.id)


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Counts of items; `failing` and `claimed` are part of `pending`, `evicted` counts all ever."""

    pending: int
    failing: int
    claimed: int
    archived: int
    oldest_at: int | None
    evicted: int


class Queue(ABC):
    """Newest first. The cap moves the oldest items to the archive, so nothing is lost.

    Every step can be repeated: the same id twice is one item. A body contains its id, so that no
    two items have the same text.
    """

    name: str
    cap: int
    where: str  # for people: an address without its password

    @abstractmethod
    async def push(self, item_id: str, body: str, now: int) -> int:
        """Add an item, due at once; return how many the cap moved to the archive.

        An item that exists, pending or archived, stays as it is.
        """

    @abstractmethod
    async def push_within(self, tx: Connection, item_id: str, body: str, now: int) -> int:
        """Push in the caller's transaction, if the queue is in the same database."""

    @abstractmethod
    async def claim(self, most: int, now: int, lease_microseconds: int) -> Sequence[QueueItem]:
        """Claim the oldest due items that nobody works on, until the lease ends.

        If the worker is killed, another gets them after that.
        """

    @abstractmethod
    async def finish(self, item_id: str) -> bool:
        """Remove a finished item, even if it was archived; return whether it existed."""

    @abstractmethod
    async def finish_within(self, tx: Connection, item_id: str) -> bool:
        """Finish in a transaction; False if another has finished it: then do nothing.

        After the transaction, call `finish` too: outside SQL, it happens only then.
        """

    @abstractmethod
    async def fail(self, item_id: str, error: str, due_at: int) -> bool:
        """Record a failed attempt: the item is free again, and due later."""

    @abstractmethod
    async def list(self, *, archived: bool = False, limit: int = 50) -> Sequence[QueueItem]:
        """Return pending or archived items, the newest first."""

    @abstractmethod
    async def find(self, beginning: str, most: int) -> Sequence[QueueItem]:
        """Return items whose id begins so, pending or archived, the shortest id first."""

    @abstractmethod
    async def depth(self, now: int) -> QueueDepth: ...

    @abstractmethod
    async def close(self) -> None:
        """Close connections; the queue may be used again."""

    @abstractmethod
    async def _retry_all(self, now: int) -> int: ...

    @abstractmethod
    async def _retry_one(self, item_id: str, now: int) -> bool:
        """Make an item due; False if it is archived and there is no room."""

    @abstractmethod
    async def _clear_all(self, *, archived: bool) -> int: ...

    async def get(self, item_id: str) -> QueueItem:
        """Return the item with this id, or with the only id that begins so."""
        found = await self.find(item_id, 2)
        if len(found) == 1 or (found and found[0].id == item_id):
            return found[0]
        if found:
            raise BadInput(
                f"several items of the queue begin with {item_id!r}; give more of the id"
            )
        raise NotFound(f"no {item_id!r} in the queue {self.name}; it may be done; list what waits")

    async def retry(self, item_id: str | None, now: int) -> int:
        """Make all failed items due now, or one item, which returns from the archive if need be.

        A returned item counts as the newest, so that the cap does not archive it again at once.
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
        """Remove one item, wherever it is; or all pending or all archived items."""
        if item_id is None:
            return await self._clear_all(archived=archived)
        return int(await self.finish((await self.get(item_id)).id))


def storable_item(item_id: str, body: str) -> tuple[str, str]:
    """Make an id and a body storable in every kind of queue.

    >>> storable_item("a", '{"id":"a"}')
    ('a', '{"id":"a"}')
    """
    if not item_id or not body:
        raise BadInput("an item of the queue needs an id and a body")
    return storable(item_id), storable(body)


def storable_error(error: str) -> str:
    return storable(error)[:LONGEST_ERROR] or "failed, and said nothing"
