"""The queue as a list on Redis or Valkey, where other programs can push too; extra `redis`."""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import (
    BadInput,
    ConfigError,
    DatabaseError,
    DatabaseUnavailable,
)
from seasoned.core.extras import missing_extra
from seasoned.core.text import one_line, storable
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.address import without_password
from seasoned.db.connection import Connection
from seasoned.db.queue.queue import Queue, QueueDepth, QueueItem, storable_error, storable_item

if TYPE_CHECKING:
    import redis

SCHEMES = ("redis://", "rediss://", "unix://")
KEYS = ("pending", "archived", "items", "ids", "evicted")
SCRIPT = Path(__file__).with_suffix(".lua")
CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 5.0
LONGEST_SECONDS = 2 * (CONNECT_SECONDS + ANSWER_SECONDS)  # after this, give up


class RedisQueue(Queue):
    """`behavioral:pending` and its neighbours, for a queue that is named `behavioral`.

    Redis takes no part in a database's transaction, so the order is what keeps things whole:

    - `push_within` pushes at once. If the transaction fails after that, the item waits though its
      transaction did not happen: a correction that was made is learned from all the same, and a
      repetition is the same id, so the same item. The other way round, a kill in between would
      lose it. If Redis is away, the caller's transaction fails with the error.
    - `finish_within` does nothing; `finish` comes after the transaction. A kill in between leaves
      an item whose work is done: after its lease it is claimed again. Whoever works on it keeps
      its id with the result, in the transaction, and on meeting it again only finishes it.

    Inside a transaction it blocks instead of suspending, since SQLite's lock is the thread's; so
    better push before a transaction than within.
    """

    def __init__(self, url: str, cap: int, name: str) -> None:
        self.url = url
        self.cap = cap
        self.name = name
        self.where = without_password(url)
        self._keys = [f"{name}:{key}" for key in KEYS]
        self._making = threading.Lock()
        self._client: redis.Redis | None = None
        self._script: Any = None

    async def push(self, item_id: str, body: str, now: int) -> int:
        item_id, body = storable_item(item_id, body)
        return _pushed(await self._run("push", item_id, body, now, self.cap), item_id)

    async def push_within(self, tx: Connection, item_id: str, body: str, now: int) -> int:
        item_id, body = storable_item(item_id, body)
        return _pushed(self._answer("push", item_id, body, now, self.cap), item_id)

    async def claim(self, most: int, now: int, lease_microseconds: int) -> Sequence[QueueItem]:
        return _waiting(await self._run("claim", most, now, now + lease_microseconds))

    async def finish(self, item_id: str) -> bool:
        return bool(await self._run("finish", storable(item_id)))

    async def finish_within(self, tx: Connection, item_id: str) -> bool:
        return True

    async def fail(self, item_id: str, error: str, due_at: int) -> bool:
        return bool(await self._run("fail", storable(item_id), storable_error(error), due_at))

    async def list(self, *, archived: bool = False, limit: int = 50) -> Sequence[QueueItem]:
        return _waiting(await self._run("list", int(archived), limit))

    async def find(self, beginning: str, most: int) -> Sequence[QueueItem]:
        return _waiting(await self._run("find", storable(beginning), most))

    async def depth(self, now: int) -> QueueDepth:
        pending, failing, claimed, archived, oldest, evicted = map(
            int, await self._run("depth", now)
        )
        return QueueDepth(pending, failing, claimed, archived, oldest if pending else None, evicted)

    async def close(self) -> None:
        with self._making:
            client, self._client, self._script = self._client, None, None
        if client is not None:
            client.close()

    async def _retry_all(self, now: int) -> int:
        return int(await self._run("retry_all", now))

    async def _retry_one(self, item_id: str, now: int) -> bool:
        return bool(await self._run("retry_one", item_id, now, self.cap))

    async def _clear_all(self, *, archived: bool) -> int:
        return int(await self._run("clear_all", int(archived)))

    async def _run(self, operation: str, *values: str | int) -> Any:
        try:
            return await wait_for(run_in_thread(self._answer, operation, *values), LONGEST_SECONDS)
        except TimeoutError as error:
            raise DatabaseUnavailable(
                f"{self.where} did not answer within {LONGEST_SECONDS:g} s; whether it was done is "
                "not known, and doing it again does no harm; check that Redis is well"
            ) from error

    def _answer(self, operation: str, *values: str | int) -> Any:
        script = self._connected()
        with self._explained():
            return script(keys=self._keys, args=[operation, *values])

    def _connected(self) -> Any:
        with self._making:
            if self._script is None:
                self._client = _client(self.url, self.where)
                self._script = self._client.register_script(SCRIPT.read_text("utf-8"))
            return self._script

    @contextmanager
    def _explained(self) -> Generator[None]:
        """Translate the errors of Redis into ours."""
        from redis import exceptions

        try:
            yield
        except (exceptions.ConnectionError, exceptions.TimeoutError, OSError) as error:
            raise DatabaseUnavailable(
                f"cannot reach the queue at {self.where} ({one_line(str(error))}); what is in it "
                "is kept; check that Redis is running and that queue.url is right"
            ) from error
        except exceptions.RedisError as error:
            raise DatabaseError(f"the queue at {self.where}: {one_line(str(error))}") from error


def _client(url: str, where: str) -> "redis.Redis":
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as missing:
        raise missing_extra("redis", "a queue on Redis needs its driver") from missing
    limits: dict[str, Any] = {
        "socket_connect_timeout": CONNECT_SECONDS,
        "socket_timeout": ANSWER_SECONDS,
        "retry": Retry(NoBackoff(), 0),
    }
    try:
        return redis.Redis.from_url(url, **limits)  # pyright: ignore[reportUnknownMemberType]
    except (ValueError, TypeError):  # its message may contain part of the password
        raise ConfigError(
            f"queue.url is {where!r}, which is no address of a Redis; "
            "it must look like redis://user:password@host:6379/0"
        ) from None


def _pushed(evicted: Any, item_id: str) -> int:
    if int(evicted) < 0:
        raise BadInput(f"{item_id!r} has the same body as another item; put its id into the body")
    return int(evicted)


def _waiting(rows: Sequence[Sequence[bytes]]) -> Sequence[QueueItem]:
    return [_item(*(value.decode("utf-8", "replace") for value in row)) for row in rows]


def _item(
    item_id: str, body: str, added: str, due: str, tries: str, error: str, *rest: str
) -> QueueItem:
    lease, archived = rest
    return QueueItem(
        *(item_id, storable(body), int(added), int(due), int(tries), error, int(lease)),
        archived=archived == "1",
    )
