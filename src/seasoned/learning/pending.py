"""Corrections that wait to be learned from: none is lost, what fails is tried again later."""

import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from seasoned.core.clock import HOUR, MINUTE, SECOND
from seasoned.core.errors import BadInput, DatabaseError, Unsupported
from seasoned.core.ids import digest
from seasoned.db.connection import Connection
from seasoned.db.database import Database
from seasoned.db.queue import Depth, Queue, Waiting
from seasoned.db.queue_opening import NAME, open_queue
from seasoned.db.queue_sql import SqlQueue
from seasoned.rules.case import Case
from seasoned.transcripts.decoding import decode

log = logging.getLogger("seasoned.learning.pending")

FIRST_DELAY = 30 * SECOND
LONGEST_DELAY = HOUR
JITTER = 0.1  # a delay is up to this share shorter, so that what failed together comes apart
LEASE = 10 * MINUTE  # more than an analysis takes; after it a killed worker's cases are free
BURST = 10 * SECOND  # of evictions that are said together
MOVED_AT_ONCE = 1000
AWAY = (DatabaseError, Unsupported)  # the server, or its driver
NOTHING = Depth(0, 0, 0, 0, None, 0)
# From which share of the cap on, in fifths: 20 and 40 of 50.
COLOURS = ((4, "red"), (2, "yellow"), (0, "green"))


@dataclass(frozen=True, slots=True)
class Claimed:
    """A case to work on, and its place in the queue; both have the same id."""

    item: Waiting
    case: Case


class Pending:
    """The cases in a queue; `queue` itself lists, retries and clears them.

    `aside` keeps new cases while the queue does not take them; they move when it does again.
    """

    def __init__(self, queue: Queue, aside: Queue | None = None) -> None:
        self.queue = queue
        self.aside = aside
        self._trimmed = 0  # by the cap, and not said yet
        self._trimmed_since = 0

    async def push(self, case: Case, now: int) -> int:
        """Keeps a case until it is learned from; how many older ones the cap evicted for it.

        A burst of them is said in one line: when it has lasted a while, or somebody looks.
        """
        evicted = await self._keep(case, now)
        self._trimmed_since = self._trimmed_since if self._trimmed else now
        self._trimmed += evicted
        if now - self._trimmed_since > BURST:
            self.say_trimmed()
        return evicted

    async def push_all(self, cases: Iterable[Case], now: int) -> int:
        """The same for several, the oldest first."""
        evicted = 0
        try:
            for case in cases:
                evicted += await self._keep(case, now)
        finally:
            self.say_trimmed(evicted)
        return evicted

    async def _keep(self, case: Case, now: int) -> int:
        try:
            return await self.queue.push(case.id, case.to_json(), now)
        except AWAY as error:
            if self.aside is None:
                raise
            evicted = await self.aside.push(case.id, case.to_json(), now)
            log.warning("correction %s waits in %s: %s", case.id, self.aside.where, error)
            return evicted

    async def push_within(self, tx: Connection, case: Case, now: int) -> int:
        """The same in a transaction, which may yet fail: after it, call `say_trimmed`.

        With a Redis it goes aside first: nobody waits for a network inside a transaction.
        """
        place = self.aside or self.queue
        return await place.push_within(tx, case.id, case.to_json(), now)

    def say_trimmed(self, more: int = 0) -> None:
        """One line, however many there were."""
        evicted, self._trimmed = self._trimmed + more, 0
        if evicted:
            log.warning(
                "behavioral.queue_cap_trimmed count=%d cap=%d; the oldest went to the archive",
                evicted,
                self.queue.cap,
            )

    async def close(self) -> None:
        self.say_trimmed()
        await self.queue.close()

    async def claim(self, most: int, now: int, lease: int = LEASE) -> Sequence[Claimed]:
        """The oldest that are due; what cannot be read stays, with its error, in nobody's way."""
        await self._move()
        claimed: list[Claimed] = []
        while len(claimed) < most:
            items = await self.queue.claim(most - len(claimed), now, lease)
            for item in items:
                try:
                    claimed.append(Claimed(item, case_from(item)))
                except BadInput as error:
                    await self.fail(item, str(error), now)
            if not items:
                break
        return claimed

    async def _move(self) -> None:
        """Pushes what was kept aside; a kill in between has it pushed again, as the same item."""
        evicted = 0
        try:
            while self.aside and (items := await self.aside.list(limit=MOVED_AT_ONCE)):
                for item in reversed(items):
                    evicted += await self.queue.push(item.id, item.body, item.added_at)
                    await self.aside.finish(item.id)
        finally:
            self.say_trimmed(evicted)

    async def fail(self, item: Waiting, error: str, now: int) -> int:
        """It stays, and its error can be seen; when it is due again."""
        due_at = now + backoff(item.attempts + 1, item.id)
        await self.queue.fail(item.id, error, due_at)
        log.warning(
            "correction %s stays pending after attempt %d: %s", item.id, item.attempts + 1, error
        )
        return due_at

    async def status(self, now: int) -> dict[str, Any]:
        """Numbers, also while the queue is away: then `error` says why."""
        self.say_trimmed()
        aside = await self.aside.depth(now) if self.aside else NOTHING
        try:
            depth, error = await self.queue.depth(now), ""
        except AWAY as unknown:
            depth, error = NOTHING, str(unknown)
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


def open_pending(url: str, db: Database, cap: int) -> Pending:
    """The corrections behind `queue.url`; the database keeps them while that is away.

    So what waits in the database when the address is first set moves there, too.
    """
    return Pending(open_queue(url, db, cap), SqlQueue(db, cap, NAME) if url else None)


def colour(depth: int, cap: int) -> str:
    """How full it is, as a light.

    >>> [colour(depth, 50) for depth in (0, 19, 20, 39, 40, 50)]
    ['green', 'green', 'yellow', 'yellow', 'red', 'red']
    """
    return next(name for fifths, name in COLOURS if 5 * depth >= fifths * cap)


def backoff(attempts: int, item_id: str) -> int:
    """How long to wait after so many attempts, in microseconds: doubling, the same for each id.

    >>> [round(backoff(n, "a") / SECOND) for n in (1, 2, 3, 50)]
    [29, 55, 111, 3561]
    """
    delay = min(FIRST_DELAY * 2 ** min(attempts - 1, 20), LONGEST_DELAY)
    share = int(digest(item_id, str(attempts))[:8], 16) / 2**32
    return delay - int(delay * JITTER * share)


def case_from(item: Waiting) -> Case:
    """The case in an item. What another program may leave out is known from the item."""
    try:
        fields = cast("dict[str, Any]", decode(item.body))
        known: dict[str, Any] = {"at": item.added_at, "scope": {}, **fields, "id": item.id}
    except (ValueError, TypeError) as error:
        raise BadInput(f"this is no JSON object ({error}): {item.body[:80]!r}") from error
    for name in ("message", "kind"):
        if not isinstance(known.get(name), str):
            raise BadInput(f"this correction has no text as its {name}: {item.body[:80]!r}")
    return Case.from_json(json.dumps(known))
