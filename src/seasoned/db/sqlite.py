"""SQLite: one file, no server, answers inline and never suspends."""

import os
import threading
from collections.abc import AsyncGenerator, Coroutine, Generator, Iterable, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import apsw

from seasoned.core.clock import SystemClock
from seasoned.core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseError,
    DatabaseUnavailable,
    SeasonedError,
)
from seasoned.db.database import Params, Row
from seasoned.db.migrations import migrate

T = TypeVar("T")

MEMORY = ":memory:"
# NORMAL in WAL mode: a commit outlives the process, an fsync happens at checkpoints.
SETTINGS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -16000;
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
    """Runs statements at once; `async` only so that stores need not know."""

    def __init__(self, raw: RawConnection) -> None:
        self.raw = raw

    async def execute(self, sql: str, params: Params = ()) -> int:
        self.raw.execute(sql, params)
        return self.raw.changes()

    async def execute_many(self, sql: str, rows: Iterable[Params]) -> None:
        self.raw.executemany(sql, rows)

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]:
        return self.raw.execute(sql, params).fetchall()

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None:
        return self.raw.execute(sql, params).fetchone()


class SqliteDatabase:
    """One connection that writes, one that reads; each serves one thread at a time."""

    dialect = "sqlite"

    def __init__(self, path: str, *, busy_seconds: float = 5.0) -> None:
        self.where = path
        self.busy_seconds = busy_seconds
        self._writing = threading.Lock()
        self._reading = self._writing if path == MEMORY else threading.Lock()
        self._writer: SqliteConnection | None = None
        self._reader: SqliteConnection | None = None
        self._pid = 0

    async def open(self) -> None:
        with self._explained():
            self._connect()
            async with self.write() as tx:
                await migrate(tx, self.dialect, SystemClock().now, self.where)

    async def close(self) -> None:
        with self._writing:
            for connection in {self._writer, self._reader} - {None}:
                assert connection is not None
                connection.raw.close()
            self._writer = self._reader = None

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[SqliteConnection]:
        with self._writing, self._explained():
            connection = self._own(self._writer)
            connection.raw.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.raw.in_transaction:
                    connection.raw.execute("ROLLBACK")
                raise
            connection.raw.execute("COMMIT")

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[SqliteConnection]:
        with self._reading, self._explained():
            yield self._own(self._reader)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            work.send(None)
        except StopIteration as finished:
            return finished.value
        work.close()
        raise RuntimeError("a SQLite operation suspended; it must run inline")

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        return await work

    def text_search(self) -> str:
        return (
            "SELECT rowid, -bm25(lessons_text, 2.0, 1.0) AS score FROM lessons_text "
            "WHERE lessons_text MATCH ? ORDER BY bm25(lessons_text, 2.0, 1.0) LIMIT ?"
        )

    def text_query(self, words: Sequence[str]) -> str:
        return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)

    def _own(self, connection: SqliteConnection | None) -> SqliteConnection:
        """The connection, if it is open and this process opened it: SQLite forbids others'."""
        if connection is not None and self._pid == os.getpid():
            return connection
        if connection is None:
            raise DatabaseUnavailable(f"{self.where} is closed; open a new Seasoned to go on")
        raise DatabaseUnavailable(
            f"{self.where} was opened before this process was forked; "
            "create the Seasoned object after the fork (in the worker)"
        )

    def _connect(self) -> None:
        if self.where != MEMORY:
            _make_folder(Path(self.where).parent)
        self._pid = os.getpid()
        self._writer = self._connection()
        self._reader = self._writer if self.where == MEMORY else self._connection()

    def _connection(self) -> SqliteConnection:
        opened = apsw.Connection(self.where, statementcachesize=200)
        opened.set_busy_timeout(int(self.busy_seconds * 1000))
        raw = cast(RawConnection, opened)
        raw.execute(SETTINGS)
        return SqliteConnection(raw)

    @contextmanager
    def _explained(self) -> Generator[None]:
        """Says in our words what SQLite said in its own."""
        try:
            yield
        except SeasonedError:
            raise
        except apsw.BusyError as error:
            raise DatabaseBusy(
                f"{self.where} is locked by another process for more than {self.busy_seconds:g} s; "
                "nothing was changed; try again, or end the process that holds it"
            ) from error
        except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
            raise DatabaseUnavailable(
                f"cannot write {self.where} ({error}); check its permissions and its folder's, "
                "or point SEASONED_HOME or --db at a place you may write"
            ) from error
        except (apsw.NotADBError, apsw.CorruptError) as error:
            raise DatabaseDamaged(
                f"{self.where} is not a Seasoned database, or it is damaged ({error}); "
                "move it away, or restore it from a backup"
            ) from error
        except apsw.FullError as error:
            raise DatabaseUnavailable(
                f"no space left for {self.where}; nothing was changed; free some and try again"
            ) from error
        except apsw.Error as error:
            raise DatabaseError(f"{self.where}: {error}") from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise DatabaseUnavailable(
            f"cannot make the folder {folder} ({error.strerror or error}); "
            "point SEASONED_HOME or --db at a place you may write"
        ) from error
