"""The SQLite dialect: one file, no server.

Statements run inline. Only the turn on a connection may have to be waited for, because another
thread or another process has it: an event loop runs on meanwhile, synchronous code blocks.
"""

import os
import random
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import apsw

from seasoned.core.clock import SystemClock
from seasoned.core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseError,
    DatabaseUnavailable,
)
from seasoned.core.fair_lock import FairLock, SelfDeadlockError
from seasoned.core.private_files import create_private, tighten
from seasoned.core.threads import drive_inline, may_block, pause
from seasoned.db.connection import Clean, storable_values, unchanged
from seasoned.db.database import Params, Row
from seasoned.db.migrations import LATEST, migrate
from seasoned.db.search.index import VectorIndex
from seasoned.db.search.sqlite_vectors import SqliteVectors
from seasoned.db.search.sqlite_words import SqliteWords

T = TypeVar("T")

MEMORY = ":memory:"
PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)  # between attempts at a locked database
# NORMAL in WAL mode: a commit survives the process; only checkpoints call fsync.
SETTINGS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -16000;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA mmap_size = 268435456;
"""


class Cursor(Protocol):
    def fetchall(self) -> list[Row]: ...
    def fetchone(self) -> Row | None: ...


class RawConnection(Protocol):
    """The part of `apsw.Connection` that is used (its own types need Python 3.12)."""

    in_transaction: bool

    def execute(self, sql: str, params: Params = (), /) -> Cursor: ...
    def executemany(self, sql: str, rows: Iterable[Params], /) -> Cursor: ...
    def changes(self) -> int: ...
    def set_busy_handler(self, handler: Callable[[int], bool], /) -> None: ...
    def close(self) -> None: ...


class SqliteConnection:
    """Runs statements at once; `async` only to look like any connection."""

    def __init__(self, raw: RawConnection, clean: Clean) -> None:
        self.raw = raw
        self.clean = clean

    @property
    def writes(self) -> bool:
        return self.raw.in_transaction

    async def execute(self, sql: str, params: Params = ()) -> int:
        self._run(sql, params)
        return self.raw.changes()

    async def send(self, sql: str, params: Params = ()) -> None:
        self._run(sql, params)

    async def script(self, sql: str) -> None:
        self.raw.execute(sql).fetchall()

    async def execute_many(self, sql: str, rows: Iterable[Params]) -> None:
        self.raw.executemany(sql, map(self.clean, rows))

    async def insert(self, table: str, columns: Sequence[str], rows: Sequence[Params]) -> None:
        marks = ", ".join("?" for _ in columns)
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
        self.raw.executemany(sql, map(self.clean, rows))

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]:
        return self._run(sql, params).fetchall()

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None:
        return self._run(sql, params).fetchone()

    def _run(self, sql: str, params: Params) -> Cursor:
        params = self.clean(params)
        try:
            return self.raw.execute(sql, params)
        except UnicodeEncodeError:  # a lone surrogate
            return self.raw.execute(sql, storable_values(params))


class SqliteDatabase:
    """One connection that writes, one that reads; each serves one thread at a time."""

    dialect = "sqlite"
    overlaps = False

    def __init__(self, path: str, *, busy_seconds: float = 5.0, clean: Clean = unchanged) -> None:
        self.where = path
        self.clean = clean
        self.busy_seconds = busy_seconds
        self._opening = FairLock()
        self._writing = FairLock()
        self._reading = self._writing if path == MEMORY else FairLock()
        self._writer: SqliteConnection | None = None
        self._reader: SqliteConnection | None = None
        self._vectors: list[SqliteVectors] = []
        self.used_at = time.monotonic()
        self._pid = 0
        self._checking = False
        self._read_until = 0.0

    async def open(self) -> None:
        async with self._opening:
            if self._writer is not None:
                return
            try:
                await self._connect()
                if await self._is_current():
                    return  # without waiting for another writer
                async with self.write() as tx:
                    await migrate(tx, self.dialect, SystemClock().now, self.where)
            except BaseException as error:
                self._disconnect()  # or the next attempt would take it for open
                if isinstance(error, apsw.Error):
                    raise translated_error(error, self) from error
                raise

    async def _is_current(self) -> bool:
        async with self.read() as tx:
            there = "SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'"
            if not await tx.fetch_one(there):
                return False
            row = await tx.fetch_one("SELECT max(version) FROM schema_migrations")
            return row == (LATEST,)

    async def close(self) -> None:
        for vectors in self._vectors:
            vectors.close()
        async with self._writing:
            if self._reading is self._writing:
                self._disconnect()
                return
            async with self._reading:
                self._disconnect()

    def _disconnect(self) -> None:
        for connection in {self._writer, self._reader} - {None}:
            assert connection is not None
            connection.raw.close()
        self._writer = self._reader = None

    def write(self) -> "ConnectionTurn":
        return ConnectionTurn(self, self._writing, "_writer", transaction=True)

    def read(self) -> "ConnectionTurn":
        return ConnectionTurn(self, self._reading, "_reader", transaction=False)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return drive_inline(work)

    def is_here(self) -> bool:
        return False  # no thread of its own

    def shutdown(self) -> None:
        """Do nothing: `close` ends everything."""

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        return await work

    def text_search(self, table: str) -> str:
        return f"SELECT rowid, -rank AS score FROM {table}(?)"

    def text_query(self, words: Sequence[str]) -> str:
        return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)

    def vectors(self, kind: str, columns: Sequence[str]) -> SqliteVectors:
        vectors = SqliteVectors(kind, columns, self)
        self._vectors.append(vectors)
        return vectors

    def words(self, table: str, vectors: VectorIndex) -> SqliteWords:
        assert isinstance(vectors, SqliteVectors)
        return SqliteWords(table, vectors)

    def using(self, index: str) -> str:
        return f" INDEXED BY {index}"

    def own(self, name: str) -> SqliteConnection:
        """Return a connection if it is open and this process opened it, as SQLite demands."""
        connection: SqliteConnection | None = getattr(self, name)
        if connection is not None and self._pid == os.getpid():
            return connection
        if connection is None:
            raise DatabaseUnavailable(f"{self.where} is closed; open a new Seasoned to go on")
        raise DatabaseUnavailable(
            f"{self.where} was opened before this process was forked; "
            "create the Seasoned object after the fork (in the worker)"
        )

    def open_beside(self) -> RawConnection | None:
        """Open another connection for reading; None for a database in memory."""
        seconds = self.busy_seconds
        return None if self.where == MEMORY else self._connection(busy_seconds=seconds).raw

    def check_readable(self, connection: SqliteConnection) -> None:
        """Raise `apsw.BusyError` if reading would have to wait now."""
        self._checking = True
        try:
            connection.raw.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        finally:
            self._checking = False

    def _wait_to_read(self, attempts: int) -> bool:
        """Block until the next attempt at a statement; False if the time is over."""
        if self._checking:
            return False
        if attempts == 0:
            self._read_until = time.monotonic() + self.busy_seconds
        time.sleep(PAUSES[min(attempts, len(PAUSES) - 1)])
        return time.monotonic() < self._read_until

    def idle_seconds(self) -> float:
        """Return the seconds since the last use."""
        return time.monotonic() - self.used_at

    async def _connect(self) -> None:
        if self.where != MEMORY:
            _make_folder(Path(self.where).parent)
            create_private(Path(self.where))
            for file in files_of(self.where):
                tighten(file)
        self._pid = os.getpid()
        patience = Patience(self.busy_seconds)
        while self._writer is None:
            try:
                self._writer = self._connection()
            except apsw.BusyError:  # while another process creates it
                if not await patience.wait():
                    raise
        self._reader = self._writer if self.where == MEMORY else self._connection()
        self._reader.raw.set_busy_handler(self._wait_to_read)

    def _connection(self, *, busy_seconds: float = 0) -> SqliteConnection:
        opened = apsw.Connection(self.where, statementcachesize=200)
        try:
            # Or SQLite plans a cached statement again for each new value.
            opened.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            opened.set_busy_timeout(int(busy_seconds * 1000))
            raw = cast(RawConnection, opened)
            raw.execute(SETTINGS).fetchall()  # a statement runs on only when its answer is read
        except BaseException:
            opened.close()
            raise
        return SqliteConnection(raw, self.clean)


class Patience:
    """Pauses between attempts at a lock of another process, until the time is over."""

    __slots__ = ("_attempts", "_until")

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._attempts = 0

    async def wait(self) -> bool:
        """Pause before the next attempt; False if the time is over."""
        left = self._until - time.monotonic()
        if left <= 0:
            return False
        longest = PAUSES[min(self._attempts, len(PAUSES) - 1)]
        self._attempts += 1
        await pause(min(left, longest * random.uniform(0.5, 1)))  # so that two don't stay in step
        return True


class ConnectionTurn:
    """One thread's or task's turn on a connection, as a transaction or only for reading.

    Nobody keeps the turn while waiting for another process: others of this process may have
    better luck, and synchronous code in the same event loop could not wait for it.
    """

    __slots__ = ("_connection", "_db", "_lock", "_name", "_transaction")

    def __init__(self, db: SqliteDatabase, lock: FairLock, name: str, *, transaction: bool) -> None:
        self._db = db
        self._lock = lock
        self._name = name
        self._transaction = transaction

    async def __aenter__(self) -> SqliteConnection:
        patience = None
        while True:
            if not self._lock.acquire_now():
                await self._queue_up()
            try:
                return self._begin()
            except apsw.BusyError as error:
                self._lock.release()
                patience = patience or Patience(self._db.busy_seconds)
                if not await patience.wait():
                    raise translated_error(error, self._db) from error
            except BaseException as error:
                self._lock.release()
                raise translated_error(error, self._db) from error

    async def _queue_up(self) -> None:
        try:
            await self._lock.acquire()
        except SelfDeadlockError as error:
            raise DatabaseBusy(
                f"{self._db.where} is in use by a task of the event loop that this synchronous "
                "call blocks; use AsyncSeasoned there, or call it in a thread of its own"
            ) from error

    def _begin(self) -> SqliteConnection:
        self._db.used_at = time.monotonic()
        self._connection = connection = self._db.own(self._name)
        if self._transaction:
            connection.raw.execute("BEGIN IMMEDIATE")
        elif not may_block():
            self._db.check_readable(connection)
        return connection

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if self._transaction and error is None:
                self._connection.raw.execute("COMMIT")
        except apsw.BusyError as busy:
            error = await self._commit_later(busy)
        except apsw.Error as refused:
            error = refused
        finally:
            self._leave()
        if isinstance(error, apsw.Error):
            raise translated_error(error, self._db) from error

    async def _commit_later(self, busy: apsw.BusyError) -> apsw.Error | None:
        """Commit when other processes have read on, which are in the way if there is no WAL."""
        patience = Patience(self._db.busy_seconds)
        while await patience.wait():
            try:
                self._connection.raw.execute("COMMIT")
            except apsw.BusyError:
                continue
            except apsw.Error as refused:
                return refused
            return None
        return busy

    def _leave(self) -> None:
        try:
            if self._connection.raw.in_transaction:  # or a full disk has ended it
                self._connection.raw.execute("ROLLBACK")
        finally:
            self._lock.release()


def translated_error(error: BaseException, db: SqliteDatabase) -> BaseException:
    """Translate an error of SQLite into ours; return other errors as they are."""
    for kinds, (ours, text) in COMPLAINTS.items():
        if isinstance(error, kinds):
            return ours(text.format(where=db.where, seconds=db.busy_seconds, error=error))
    return error


COMPLAINTS: dict[tuple[type[Exception], ...], tuple[type[DatabaseError], str]] = {
    (apsw.BusyError, apsw.LockedError): (
        DatabaseBusy,
        "{where} was locked by another process for more than {seconds:g} s; nothing was changed; "
        "try again, or end the process that holds it",
    ),
    (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, apsw.AuthError): (
        DatabaseUnavailable,
        "cannot write {where} ({error}); check its permissions and its folder's, "
        "or point SEASONED_HOME or --db at a place you may write",
    ),
    (apsw.NotADBError, apsw.CorruptError): (
        DatabaseDamaged,
        "{where} is not a Seasoned database, or it is damaged ({error}); "
        "move it away, or restore it from a backup",
    ),
    (apsw.FullError,): (
        DatabaseUnavailable,
        "no space left for {where}; nothing was changed; free some and try again",
    ),
    (apsw.Error,): (DatabaseError, "{where}: {error}"),
}


def files_of(path: str) -> list[Path]:
    """Return the files of a database; SQLite gives the later ones the permissions of the first."""
    return [Path(path + suffix) for suffix in ("", "-wal", "-shm")]


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise DatabaseUnavailable(
            f"cannot make the folder {folder} ({error.strerror or error}); "
            "point SEASONED_HOME or --db at a place you may write"
        ) from error
