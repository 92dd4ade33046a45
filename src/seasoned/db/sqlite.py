"""The SQLite dialect: one file, no server; it answers inline and never suspends."""

import os
import threading
import time
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import ExitStack
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
from seasoned.core.threads import drive_inline
from seasoned.db.database import Params, Row
from seasoned.db.migrations import LATEST, migrate
from seasoned.db.search.index import VectorIndex
from seasoned.db.search.sqlite_vectors import SqliteVectors
from seasoned.db.search.sqlite_words import SqliteWords

T = TypeVar("T")

MEMORY = ":memory:"
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
    def close(self) -> None: ...


class SqliteConnection:
    """Runs statements at once; `async` only to look like any connection."""

    def __init__(self, raw: RawConnection) -> None:
        self.raw = raw

    @property
    def writes(self) -> bool:
        return self.raw.in_transaction

    async def execute(self, sql: str, params: Params = ()) -> int:
        self.raw.execute(sql, params)
        return self.raw.changes()

    async def send(self, sql: str, params: Params = ()) -> None:
        self.raw.execute(sql, params)

    async def script(self, sql: str) -> None:
        self.raw.execute(sql).fetchall()

    async def execute_many(self, sql: str, rows: Iterable[Params]) -> None:
        self.raw.executemany(sql, rows)

    async def insert(self, table: str, columns: Sequence[str], rows: Sequence[Params]) -> None:
        marks = ", ".join("?" for _ in columns)
        self.raw.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]:
        return self.raw.execute(sql, params).fetchall()

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None:
        return self.raw.execute(sql, params).fetchone()


class SqliteDatabase:
    """One connection that writes, one that reads; each serves one thread at a time."""

    dialect = "sqlite"
    overlaps = False

    def __init__(self, path: str, *, busy_seconds: float = 5.0) -> None:
        self.where = path
        self.busy_seconds = busy_seconds
        self._opening = threading.Lock()
        self._writing = threading.Lock()
        self._reading = self._writing if path == MEMORY else threading.Lock()
        self._writer: SqliteConnection | None = None
        self._reader: SqliteConnection | None = None
        self._vectors: list[SqliteVectors] = []
        self.used_at = time.monotonic()
        self._pid = 0

    async def open(self) -> None:
        with self._opening:
            if self._writer is not None:
                return
            try:
                self._connect()
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
        with ExitStack() as turns:
            for lock in {self._writing, self._reading}:
                turns.enter_context(lock)
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
        return None if self.where == MEMORY else self._connection().raw

    def idle_seconds(self) -> float:
        """Return the seconds since the last use."""
        return time.monotonic() - self.used_at

    def _connect(self) -> None:
        if self.where != MEMORY:
            _make_folder(Path(self.where).parent)
        self._pid = os.getpid()
        self._writer = self._connection()
        self._reader = self._writer if self.where == MEMORY else self._connection()

    def _connection(self) -> SqliteConnection:
        opened = apsw.Connection(self.where, statementcachesize=200)
        # Or SQLite plans a cached statement again for each new value.
        opened.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        opened.set_busy_timeout(int(self.busy_seconds * 1000))
        raw = cast(RawConnection, opened)
        raw.execute(SETTINGS).fetchall()  # a statement runs on only when its answer is read
        return SqliteConnection(raw)


class ConnectionTurn:
    """One thread's turn on a connection, as a transaction or only for reading."""

    __slots__ = ("_connection", "_db", "_lock", "_name", "_transaction")

    def __init__(
        self, db: SqliteDatabase, lock: threading.Lock, name: str, *, transaction: bool
    ) -> None:
        self._db = db
        self._lock = lock
        self._name = name
        self._transaction = transaction

    async def __aenter__(self) -> SqliteConnection:
        self._lock.acquire()
        self._db.used_at = time.monotonic()
        try:
            self._connection = self._db.own(self._name)
            if self._transaction:
                self._connection.raw.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            self._lock.release()
            raise translated_error(error, self._db) from error
        return self._connection

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        raw = self._connection.raw
        try:
            if self._transaction:
                raw.execute("COMMIT" if error is None else "ROLLBACK")
        except apsw.Error as refused:
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            raise translated_error(error or refused, self._db) from (error or refused)
        finally:
            self._lock.release()
        if isinstance(error, apsw.Error):
            raise translated_error(error, self._db) from error


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


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise DatabaseUnavailable(
            f"cannot make the folder {folder} ({error.strerror or error}); "
            "point SEASONED_HOME or --db at a place you may write"
        ) from error
