"""Open a queue: in this database, or in the Redis that an address names."""

from seasoned.core.errors import ConfigError
from seasoned.db.address import without_password
from seasoned.db.database import Database
from seasoned.db.queue.queue import Queue
from seasoned.db.queue.redis_queue import SCHEMES, RedisQueue
from seasoned.db.queue.sql_queue import SqlQueue

NAME = "behavioral"


def open_queue(url: str, db: Database, cap: int, name: str = NAME) -> Queue:
    """Return the queue at `queue.url`, without connecting."""
    return redis_queue(url, cap, name) if url else SqlQueue(db, cap, name)


def redis_queue(url: str, cap: int, name: str = NAME) -> RedisQueue:
    if not url.startswith(SCHEMES):
        raise ConfigError(
            f"queue.url is {without_password(url)!r}; it must begin with redis://, rediss:// or "
            "unix://, or be empty, for a queue in the database"
        )
    return RedisQueue(url, cap, name)
