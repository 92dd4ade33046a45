"""The queues of what is to be learned from: nothing is lost, and failures are retried later."""

import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from seasoned.core.clock import HOUR, MINUTE, SECOND
from seasoned.core.errors import BadInput, DatabaseError, Unsupported
from seasoned.core.ids import digest
from seasoned.core.safe_json import decode
from seasoned.db.connection import Connection
from seasoned.db.database import Database
from seasoned.db.queue.opening import NAME, open_queue
from seasoned.db.queue.queue import Queue, QueueDepth, QueueItem
from seasoned.db.queue.sql_queue import SqlQueue
from seasoned.rules.case import Case

log = logging.getLogger("seasoned.rules.pending")

FIRST_DELAY = 30 * SECOND
LONGEST_DELAY = HOUR
JITTER = 0.1  # share by which a delay may be shorter, so that simultaneous failures spread out
LEASE = 10 * MINUTE  # longer than an analysis; then a killed worker's cases are free again
BURST = 10 * SECOND  # evictions within it are logged together
MOVED_AT_ONCE = 1000
REMARKS = "remarks"
REMARKS_PER_CORRECTION = 10  # about one message in eight corrects
UNAVAILABLE = (DatabaseError, Unsupported)  # the server, or its driver
EMPTY = QueueDepth(0, 0, 0, 0, None, 0)
# Lower bound of each colour in fifths of the cap: 20 and 40 of 50.
COLOURS = ((4, "red"), (2, "yellow"), (0, "green"))


@dataclass(frozen=True, slots=True)
class ClaimedCase:
    """A case to work on, and its queue item, which has the same id."""

    item: QueueItem
    case: Case
    pending: "Pending"


class Pending:
    """Pushes and claims cases in a queue; `queue` itself lists, retries and clears them.

    `aside` holds new cases while the queue is unavailable; they move to it afterwards.
    """

    def __init__(self, queue: Queue, aside: Queue | None = None) -> None:
        self.queue = queue
        self.aside = aside
        self._evicted = 0  # evicted by the cap, and not logged yet
        self._evicted_since = 0

    async def push(self, case: Case, now: int) -> int:
        """Queue a case; return how many older ones the cap evicted for it.

        Evictions are logged together: after BURST, or when somebody asks for the status.
        """
        evicted = await self._push(case, now)
        self._count_evictions(evicted, now)
        return evicted

    async def push_all(self, cases: Iterable[Case], now: int) -> int:
        """Queue several cases, the oldest first; return how many the cap evicted."""
        evicted = 0
        try:
            for case in cases:
                evicted += await self._push(case, now)
        finally:
            self.log_evictions(evicted)
        return evicted

    async def _push(self, case: Case, now: int) -> int:
        try:
            return await self.queue.push(case.id, case.to_json(), now)
        except UNAVAILABLE as error:
            if self.aside is None:
                raise
            evicted = await self.aside.push(case.id, case.to_json(), now)
            log.warning("correction %s waits in %s: %s", case.id, self.aside.where, error)
            return evicted

    async def push_within(self, tx: Connection, case: Case, now: int) -> int:
        """Queue a case within a transaction; pass the result to `forward` after the commit.

        With Redis the case goes aside first, because a transaction must not wait for a network.
        """
        place = self.aside or self.queue
        return await place.push_within(tx, case.id, case.to_json(), now)

    async def forward(self, evicted: int, now: int) -> None:
        """Move committed cases on to Redis, and count what the cap evicted.

        While Redis is unavailable they stay aside: a later call or the learner moves them.
        """
        try:
            evicted += await self._move_from_aside()
        except UNAVAILABLE as error:
            log.warning("corrections wait in the database: %s", error)
        self._count_evictions(evicted, now)

    def _count_evictions(self, evicted: int, now: int) -> None:
        self._evicted_since = self._evicted_since if self._evicted else now
        self._evicted += evicted
        if now - self._evicted_since > BURST:
            self.log_evictions()

    def log_evictions(self, more: int = 0) -> None:
        """Log all evictions since the last time in one line."""
        evicted, self._evicted = self._evicted + more, 0
        if evicted:
            log.warning(
                "behavioral.queue_cap_trimmed count=%d cap=%d; the oldest went to the archive",
                evicted,
                self.queue.cap,
            )

    async def close(self) -> None:
        self.log_evictions()
        await self.queue.close()

    async def claim(self, most: int, now: int, lease: int = LEASE) -> Sequence[ClaimedCase]:
        """Claim the oldest cases that are due; an unreadable one fails without blocking others."""
        self.log_evictions(await self._move_from_aside())
        claimed: list[ClaimedCase] = []
        while len(claimed) < most:
            items = await self.queue.claim(most - len(claimed), now, lease)
            for item in items:
                try:
                    claimed.append(ClaimedCase(item, case_from(item), self))
                except BadInput as error:
                    await self.fail(item, str(error), now)
            if not items:
                break
        return claimed

    async def _move_from_aside(self) -> int:
        """Move cases from aside into the queue; return how many the cap evicted there.

        After a crash the same item is pushed again.
        """
        evicted = 0
        while self.aside and (items := await self.aside.list(limit=MOVED_AT_ONCE)):
            for item in reversed(items):
                evicted += await self.queue.push(item.id, item.body, item.added_at)
                await self.aside.finish(item.id)
        return evicted

    async def fail(self, item: QueueItem, error: str, now: int) -> int:
        """Keep a failed item with its error; return when it is due again."""
        due_at = now + backoff(item.attempts + 1, item.id)
        await self.queue.fail(item.id, error, due_at)
        log.warning(
            "correction %s stays pending after attempt %d: %s", item.id, item.attempts + 1, error
        )
        return due_at

    async def status(self, now: int) -> dict[str, Any]:
        """Return the figures of the queue; while it is unavailable, `error` says why."""
        self.log_evictions()
        aside = await self.aside.depth(now) if self.aside else EMPTY
        try:
            depth, error = await self.queue.depth(now), ""
        except UNAVAILABLE as unknown:
            depth, error = EMPTY, str(unknown)
        age = None if depth.oldest_at is None else max(0, now - depth.oldest_at) // SECOND
        return {
            "where": self.queue.where,
            "pending": depth.pending,
            "failing": depth.failing,
            "claimed": depth.claimed,
            "archived": depth.archived,
            "evicted": depth.evicted,
            "cap": self.queue.cap,
            "colour": "red" if error else colour(depth.pending, self.queue.cap),
            "oldest_at": depth.oldest_at,
            "oldest_age_seconds": age,
            "aside": aside.pending,
            "error": error,
        }


def open_pending(url: str, db: Database, cap: int, name: str = NAME) -> Pending:
    """Open the queue at `queue.url`; the database holds new cases while that is unavailable.

    Cases that wait in the database when the address is first set therefore move there too.
    """
    return Pending(open_queue(url, db, cap, name), SqlQueue(db, cap, name) if url else None)


def open_remarks(url: str, db: Database, cap: int) -> Pending:
    """Open the queue of messages that a model is to judge, which nobody took for corrections.

    It has a cap of its own, so that chat never evicts a correction.
    """
    return open_pending(url, db, REMARKS_PER_CORRECTION * cap, REMARKS)


def colour(depth: int, cap: int) -> str:
    """Return how full the queue is, as a traffic light.

    >>> [colour(depth, 50) for depth in (0, 19, 20, 39, 40, 50)]
    ['green', 'green', 'yellow', 'yellow', 'red', 'red']
    """
    return next(name for fifths, name in COLOURS if 5 * depth >= fifths * cap)


def backoff(attempts: int, item_id: str) -> int:
    """Return the delay after so many attempts, in microseconds: doubling, jittered by the id.

    >>> [round(backoff(n, "a") / SECOND) for n in (1, 2, 3, 50)]
    [29, 55, 111, 3561]
    """
    delay = min(FIRST_DELAY * 2 ** min(attempts - 1, 20), LONGEST_DELAY)
    share = int(digest(item_id, str(attempts))[:8], 16) / 2**32
    return delay - int(delay * JITTER * share)


def case_from(item: QueueItem) -> Case:
    """Parse the case of an item; fields that other programs leave out come from the item."""
    try:
        fields = cast("dict[str, Any]", decode(item.body))
        known: dict[str, Any] = {"at": item.added_at, "scope": {}, **fields, "id": item.id}
    except (ValueError, TypeError) as error:
        raise BadInput(f"not a JSON object ({error}): {item.body[:80]!r}") from error
    for name in ("message", "kind"):
        if not isinstance(known.get(name), str):
            raise BadInput(f"this correction has no text as its {name}: {item.body[:80]!r}")
    return Case.from_json(json.dumps(known))
