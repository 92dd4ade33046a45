"""Read the SQLite database of another program without locking it or writing beside it.

SQLite would take a lock and create files for a log that is in use. So a database with a log is
copied first, and one without is opened as if nobody could change it.
"""

import shutil
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import apsw

from seasoned.core.errors import DatabaseDamaged

LOGS = ("-wal", "-journal")  # changes that are not in the database file yet, or no longer


class ForeignDatabase:
    """The tables of another program's database."""

    def __init__(self, path: Path, connection: apsw.Connection) -> None:
        self._path = path
        self._connection = connection

    def tables(self) -> set[str]:
        """Return the names of the tables."""
        found = self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {str(row["name"]) for row in found}

    def rows(self, sql: str, values: tuple[Any, ...] = ()) -> Iterator[dict[str, Any]]:
        """Yield rows by column name."""
        try:
            cursor = self._connection.execute(sql, values)  # pyright: ignore[reportUnknownMemberType]
            names: list[str] = []
            for row in cursor:
                names = names or [column[0] for column in cursor.getdescription()]
                yield dict(zip(names, row, strict=True))
        except (apsw.Error, UnicodeDecodeError) as error:
            raise DatabaseDamaged(f"cannot read {self._path}: {error}") from error


def logs_of(path: Path) -> list[Path]:
    """Return the logs beside a database that are not empty."""
    beside = (path.with_name(path.name + ending) for ending in LOGS)
    return [log for log in beside if log.is_file() and log.stat().st_size]


@contextmanager
def open_foreign(path: Path) -> Generator[ForeignDatabase]:
    """Open a database as it stands, also while its owner writes to it."""
    logs = logs_of(path)
    if not logs:
        yield from _opened(path, path, "mode=ro&immutable=1", apsw.SQLITE_OPEN_READONLY)
        return
    with TemporaryDirectory(prefix="seasoned-") as folder:
        copy = Path(folder, path.name)
        # The log first: what moves from it into the database meanwhile is then in both copies.
        for file in (*logs, path):
            shutil.copyfile(file, copy.with_name(file.name))
        yield from _opened(path, copy, "mode=rw", apsw.SQLITE_OPEN_READWRITE)


def _opened(path: Path, file: Path, mode: str, flags: int) -> Iterator[ForeignDatabase]:
    address = f"file:{quote(str(file.resolve()))}?{mode}"
    try:
        connection = apsw.Connection(address, flags=flags | apsw.SQLITE_OPEN_URI)
    except apsw.Error as error:
        raise DatabaseDamaged(f"cannot open {path}: {error}") from error
    with closing(connection):
        yield ForeignDatabase(path, connection)
