"""The Postgres dialect, for many processes and machines; needs the extra `postgres`."""

import asyncio
import functools
import threading
from collections.abc import AsyncGenerator, Coroutine, Generator, Iterable, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, LiteralString, TypeVar, cast

from seasoned.core.clock import SystemClock
from seasoned.core.errors import (
    DatabaseBusy,
    DatabaseConflict,
    DatabaseError,
    DatabaseUnavailable,
    SeasonedError,
)
from seasoned.core.extras import missing_extra
from seasoned.core.portal import Portal
from seasoned.db.address import without_password
from seasoned.db.connection import Clean, storable_values, unchanged
from seasoned.db.database import Params, Row
from seasoned.db.migrations import migrate
from seasoned.db.search.index import VectorIndex
from seasoned.db.search.postgres_vectors import PostgresVectors
from seasoned.db.search.postgres_words import PostgresWords

try:
    import psycopg
    from psycopg.errors import DeadlockDetected, ForeignKeyViolation, SerializationFailure
    from psycopg_pool import AsyncConnectionPool, PoolTimeout
except ImportError as missing:
    raise missing_extra("postgres", "Postgres needs its driver") from missing

T = TypeVar("T")

CONNECT_SECONDS = 5
# Our statements take milliseconds; compiling one or starting workers for it takes longer.
# A search by meaning goes on until enough rows pass its filters.
TUNED = """
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET hnsw.ef_search = 100;
SET hnsw.iterative_scan = strict_order
"""
MIGRATION_LOCK = 0x5EA50ED  # any number, the same in every process


class PostgresConnection:
    writes = True

    def __init__(self, raw: "psycopg.AsyncConnection[Row]", clean: Clean) -> None:
        self.raw = raw
        self.clean = clean
        self._unsent: list[tuple[str, Params]] = []

    async def execute(self, sql: str, params: Params = ()) -> int:
        return (await self._run(sql, params)).rowcount

    async def send(self, sql: str, params: Params = ()) -> None:
        self._unsent.append((sql, self.clean(params)))

    async def script(self, sql: str) -> None:
        await self.flush()
        await self.raw.execute(_placed(sql))

    async def execute_many(self, sql: str, rows: Iterable[Params]) -> None:
        await self.flush()
        async with self.raw.cursor() as cursor:
            await cursor.executemany(_placed(sql), map(self.clean, rows))

    async def insert(self, table: str, columns: Sequence[str], rows: Sequence[Params]) -> None:
        await self.flush()
        copy_sql = _placed(f"COPY {table} ({', '.join(columns)}) FROM STDIN")
        async with self.raw.cursor() as cursor, cursor.copy(copy_sql) as copy:
            for row in rows:
                await copy.write_row(self.clean(row))

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]:
        return await (await self._run(sql, params)).fetchall()

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None:
        return await (await self._run(sql, params)).fetchone()

    async def flush(self) -> None:
        """Run what was sent but not yet executed."""
        if self._unsent:
            sql, params = self._unsent.pop()
            await self._run(sql, params)

    async def _run(self, sql: str, params: Params) -> "psycopg.AsyncCursor[Row]":
        """Run a statement, in one pipeline with those sent before."""
        params = self.clean(params)
        if not self._unsent:
            return await self._execute(sql, params)
        unsent, self._unsent = self._unsent, []
        async with self.raw.pipeline():
            for earlier, values in unsent:
                await self._execute(earlier, values)
            return await self._execute(sql, params)

    async def _execute(self, sql: str, params: Params) -> "psycopg.AsyncCursor[Row]":
        try:
            return await self.raw.execute(_placed(sql), params or None)
        except (UnicodeEncodeError, psycopg.DataError) as error:
            # The driver refuses NUL and lone surrogates before anything is sent.
            if isinstance(error, psycopg.DataError) and error.sqlstate:
                raise
            return await self.raw.execute(_placed(sql), storable_values(params))


class PostgresDatabase:
    """A pool of connections in an event loop of its own, behind a portal."""

    dialect = "postgres"
    overlaps = True

    def __init__(self, url: str, *, connections: int = 8, clean: Clean = unchanged) -> None:
        self.clean = clean
        self.url = url
        self.where = without_password(url)
        self._connections = connections
        self._making = threading.Lock()
        self._opening: asyncio.Lock | None = None
        self._portal: Portal | None = None
        self._pool: AsyncConnectionPool[psycopg.AsyncConnection[Row]] | None = None

    async def open(self) -> None:
        """Open the pool; runs inside the portal, like everything below."""
        if self._opening is None:
            self._opening = asyncio.Lock()
        async with self._opening:
            if self._pool is None:
                with self._translated_errors():
                    await self._open()

    async def _open(self) -> None:
        first = await psycopg.AsyncConnection.connect(self.url, connect_timeout=CONNECT_SECONDS)
        await first.close()
        self._pool = AsyncConnectionPool(
            self.url,
            kwargs={"autocommit": True},
            configure=_configure,
            min_size=1,
            max_size=self._connections,
            open=False,
            timeout=30,
        )
        try:
            await self._pool.open()
            async with self.write() as tx:
                await tx.execute("SELECT pg_advisory_xact_lock(?)", (MIGRATION_LOCK,))
                await migrate(tx, self.dialect, SystemClock().now, self.where)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[PostgresConnection]:
        with self._translated_errors():
            async with self._connection() as raw, raw.transaction():
                tx = PostgresConnection(raw, self.clean)
                yield tx
                await tx.flush()

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[PostgresConnection]:
        with self._translated_errors():
            async with self._connection() as raw:
                yield PostgresConnection(raw, self.clean)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._running_portal().run(work)

    def is_here(self) -> bool:
        return self._portal is not None and self._portal.is_here

    def shutdown(self) -> None:
        with self._making:
            portal, self._portal = self._portal, None
        if portal is not None:
            portal.close()

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        return await self._running_portal().run_async(work)

    def text_search(self, table: str) -> str:
        return (
            "SELECT t.rowid, ts_rank_cd(t.document, q, 1)::float8 AS score "
            f"FROM {table} t, to_tsquery('english', ?) q "
            "WHERE t.document @@ q"
        )

    def text_query(self, words: Sequence[str]) -> str:
        plain = (word.replace("\\", "").replace("'", "''") for word in words)
        return " | ".join(f"'{word}'" for word in plain if word)

    def vectors(self, kind: str, columns: Sequence[str]) -> PostgresVectors:
        return PostgresVectors(kind, columns)

    def words(self, table: str, vectors: VectorIndex) -> PostgresWords:
        return PostgresWords(table, vectors.table)

    def using(self, index: str) -> str:
        return ""  # Postgres has statistics to choose by

    def _running_portal(self) -> Portal:
        with self._making:
            if self._portal is None:
                self._portal = Portal("postgres")
            return self._portal

    def _connection(self) -> Any:
        if self._pool is None:
            raise DatabaseUnavailable(f"{self.where} is closed; open a new Seasoned to go on")
        return self._pool.connection()

    @contextmanager
    def _translated_errors(self) -> Generator[None]:
        """Translate the driver's errors into ours."""
        try:
            yield
        except SeasonedError:
            raise
        except PoolTimeout as error:
            raise DatabaseBusy(
                f"all connections to {self.where} are in use; nothing was changed; try again"
            ) from error
        except (DeadlockDetected, ForeignKeyViolation, SerializationFailure) as error:
            raise DatabaseConflict(
                f"two writers to {self.where} collided; nothing was changed; try again"
            ) from error
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(
                f"cannot reach {self.where} ({_first_line(error)}); nothing was changed; "
                "check that Postgres is running and that the address is right"
            ) from error
        except psycopg.Error as error:
            raise DatabaseError(f"{self.where}: {_first_line(error)}") from error


async def _configure(raw: "psycopg.AsyncConnection[Row]") -> None:
    await raw.execute(TUNED)


@functools.lru_cache(maxsize=512)
def _placed(sql: str) -> LiteralString:
    """Replace `?` by psycopg's `%s`. SQL comes from the stores only, never from data."""
    return cast("LiteralString", sql.replace("%", "%%").replace("?", "%s") if "?" in sql else sql)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
