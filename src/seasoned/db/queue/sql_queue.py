"""The queue in the lessons' own database: no server, and one transaction with them."""

from collections.abc import Sequence
from typing import Any

from seasoned.core.text import storable
from seasoned.db.connection import Connection, Row
from seasoned.db.database import Database
from seasoned.db.queue.queue import Queue, QueueDepth, QueueItem, storable_error, storable_item
from seasoned.db.unit import transact

SELECT = (
    "SELECT id, body, added_at, due_at, attempts, error, claimed_until, archived_at "
    "FROM queue_items"
)
PENDING = "queue = ? AND archived_at IS NULL"
ARCHIVED = "queue = ? AND archived_at IS NOT NULL"
ALL = 2**62  # a LIMIT that is none, on both dialects


class SqlQueue(Queue):
    """Owns `queue_items` and `queues`."""

    def __init__(self, db: Database, cap: int, name: str) -> None:
        self.db = db
        self.cap = cap
        self.name = name
        self.where = db.where
        self._skip = " FOR UPDATE SKIP LOCKED" if db.dialect == "postgres" else ""

    async def push(self, item_id: str, body: str, now: int) -> int:
        return await transact(self.db, lambda tx: self.push_within(tx, item_id, body, now))

    async def push_within(self, tx: Connection, item_id: str, body: str, now: int) -> int:
        item_id, body = storable_item(item_id, body)
        added = await tx.execute(
            "INSERT INTO queue_items (queue, id, seq, body, added_at, due_at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (queue, id) DO NOTHING",
            (self.name, item_id, await self._next(tx), body, now, now),
        )
        return await self._evict(tx, now) if added else 0

    async def _next(self, tx: Connection) -> int:
        """Return the next number in the order; other pushes wait until the transaction ends."""
        row = await tx.fetch_one(
            "INSERT INTO queues (name, seq) VALUES (?, 1) "
            "ON CONFLICT (name) DO UPDATE SET seq = queues.seq + 1 RETURNING seq",
            (self.name,),
        )
        assert row is not None
        return int(row[0])

    async def _evict(self, tx: Connection, now: int) -> int:
        evicted = await tx.execute(
            f"UPDATE queue_items SET archived_at = ? WHERE {PENDING} AND id IN ("
            f"SELECT id FROM queue_items WHERE {PENDING} ORDER BY seq DESC LIMIT {ALL} OFFSET ?)",
            (now, self.name, self.name, self.cap),
        )
        if evicted:
            await tx.execute(
                "UPDATE queues SET evicted = evicted + ? WHERE name = ?", (evicted, self.name)
            )
        return evicted

    async def claim(self, most: int, now: int, lease_microseconds: int) -> Sequence[QueueItem]:
        async def claimed(tx: Connection) -> list[QueueItem]:
            rows = await tx.fetch(
                f"{SELECT} WHERE {PENDING} AND due_at <= ? AND claimed_until <= ? "
                f"ORDER BY seq LIMIT ?{self._skip}",
                (self.name, now, now, max(0, most)),
            )
            until = now + lease_microseconds
            for row in rows:
                await tx.execute(
                    "UPDATE queue_items SET claimed_until = ? WHERE queue = ? AND id = ?",
                    (until, self.name, row[0]),
                )
            return [_waiting((*row[:6], until, row[7])) for row in rows]

        return await transact(self.db, claimed)

    async def finish(self, item_id: str) -> bool:
        return await transact(self.db, lambda tx: self.finish_within(tx, item_id))

    async def finish_within(self, tx: Connection, item_id: str) -> bool:
        sql = "DELETE FROM queue_items WHERE queue = ? AND id = ?"
        return await tx.execute(sql, (self.name, storable(item_id))) > 0

    async def fail(self, item_id: str, error: str, due_at: int) -> bool:
        return await self._changed(
            "UPDATE queue_items SET attempts = attempts + 1, error = ?, due_at = ?, "
            "claimed_until = 0 WHERE queue = ? AND id = ?",
            (storable_error(error), due_at, self.name, storable(item_id)),
        )

    async def list(self, *, archived: bool = False, limit: int = 50) -> Sequence[QueueItem]:
        which = ARCHIVED if archived else PENDING
        return await self._found(
            f"{SELECT} WHERE {which} ORDER BY seq DESC LIMIT ?", (self.name, limit)
        )

    async def find(self, beginning: str, most: int) -> Sequence[QueueItem]:
        return await self._found(
            f"{SELECT} WHERE queue = ? AND substr(id, 1, ?) = ? ORDER BY length(id), id LIMIT ?",
            (self.name, len(beginning), storable(beginning), most),
        )

    async def depth(self, now: int) -> QueueDepth:
        async with self.db.read() as tx:
            row = await tx.fetch_one(
                "SELECT count(*), count(CASE WHEN attempts > 0 THEN 1 END), "
                "count(CASE WHEN claimed_until > ? THEN 1 END), min(added_at), "
                f"(SELECT count(*) FROM queue_items WHERE {ARCHIVED}), "
                "(SELECT evicted FROM queues WHERE name = ?) "
                f"FROM queue_items WHERE {PENDING}",
                (now, self.name, self.name, self.name),
            )
        pending, failing, claimed, oldest_at, archived, evicted = row or (0, 0, 0, None, 0, 0)
        return QueueDepth(pending, failing, claimed, archived, oldest_at, evicted or 0)

    async def close(self) -> None:
        """Do nothing: the queue does not own the database."""

    async def _retry_all(self, now: int) -> int:
        async def made_due(tx: Connection) -> int:
            await self._next(tx)  # a push that evicts must not meet it halfway
            return await tx.execute(
                f"UPDATE queue_items SET due_at = ? WHERE {PENDING} AND attempts > 0 "
                "AND claimed_until <= ?",
                (now, self.name, now),
            )

        return await transact(self.db, made_due)

    async def _retry_one(self, item_id: str, now: int) -> bool:
        async def made_due(tx: Connection) -> bool:
            named = (self.name, item_id)
            seq = await self._next(tx)  # and from here on nobody else fills the room
            sql = f"UPDATE queue_items SET due_at = ? WHERE {PENDING} AND id = ?"
            if await tx.execute(sql, (now, *named)):
                return True
            row = await tx.fetch_one(
                f"SELECT count(*) FROM queue_items WHERE {PENDING}", (self.name,)
            )
            if row is None or row[0] >= self.cap:
                return False
            await tx.execute(
                "UPDATE queue_items SET archived_at = NULL, seq = ?, due_at = ?, claimed_until = 0 "
                f"WHERE {ARCHIVED} AND id = ?",
                (seq, now, *named),
            )
            return True

        return await transact(self.db, made_due)

    async def _clear_all(self, *, archived: bool) -> int:
        async def cleared(tx: Connection) -> int:
            await self._next(tx)  # a push that evicts must not meet it halfway
            which = ARCHIVED if archived else PENDING
            return await tx.execute(f"DELETE FROM queue_items WHERE {which}", (self.name,))

        return await transact(self.db, cleared)

    async def _changed(self, sql: str, params: Sequence[Any]) -> bool:
        async def changed(tx: Connection) -> bool:
            return await tx.execute(sql, params) > 0

        return await transact(self.db, changed)

    async def _found(self, sql: str, params: Sequence[Any]) -> Sequence[QueueItem]:
        async with self.db.read() as tx:
            return [_waiting(row) for row in await tx.fetch(sql, params)]


def _waiting(row: Row) -> QueueItem:
    return QueueItem(*row[:7], archived=row[7] is not None)
