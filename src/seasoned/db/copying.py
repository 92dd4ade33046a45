"""Copy a SQLite database while others use it: to try something, to back it up, to bring it back."""

import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import apsw

from seasoned.core.errors import DatabaseBusy, DatabaseDamaged, DatabaseUnavailable
from seasoned.core.private_files import create_private

STEP_PAGES = 256  # 1 MB, so that a copy leaves the disk and the processor to others between steps
STEP_PAUSE = 0.001
LOCKED_PAUSE = 0.05
TABLES = (
    "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' "
    "AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
)


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database file as it stands, also while another process writes to it."""
    # Without a log nobody has it open: then not even the files beside it need to be made.
    mode = "mode=ro" if source.with_name(source.name + "-wal").exists() else "immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        there = apsw.Connection(f"file:{quote(str(source.resolve()))}?{mode}", flags=flags)
        create_private(target)
        here = apsw.Connection(str(target))
        with here.backup("main", there, "main") as backup:
            backup.step()
        there.close()
        here.close()
    except apsw.Error as error:
        raise DatabaseUnavailable(f"cannot copy {source}: {error}") from error


def snapshot_sqlite(source: Path, target: Path, busy_seconds: float = 5) -> None:
    """Copy a database as it is at this moment, in small steps; whoever writes goes on.

    The open transaction holds the moment: without it, each commit of another would begin the copy
    again.
    """
    create_private(target)
    with _errors(f"cannot back up {source}"):
        there = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
        with closing(there), closing(apsw.Connection(str(target))) as here:
            there.set_busy_timeout(int(busy_seconds * 1000))
            _rows(there, "BEGIN")
            _rows(there, "SELECT count(*) FROM sqlite_master")
            with here.backup("main", there, "main") as backup:
                while not backup.done:
                    backup.step(STEP_PAGES)
                    time.sleep(STEP_PAUSE)


def replace_content(source: Path, target: Path, busy_seconds: float = 30) -> None:
    """Give a database the content of another, in one transaction: all of it, or nothing."""
    create_private(target)
    until = time.monotonic() + busy_seconds
    with _errors(f"cannot write {target}"):
        there = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
        with closing(there), closing(apsw.Connection(str(target))) as here:
            _rows(here, "PRAGMA journal_mode = WAL")
            with here.backup("main", there, "main") as backup:
                while not backup.done:
                    try:
                        backup.step()
                    except (apsw.BusyError, apsw.LockedError):
                        if time.monotonic() > until:
                            raise
                        time.sleep(LOCKED_PAUSE)


def content_of(path: Path) -> tuple[int, dict[str, int]]:
    """Check a copy; return its schema, and how many rows each table has."""
    with _errors(f"{path.name} is no sound database"):
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        address = f"file:{quote(str(path.resolve()))}?immutable=1"
        with closing(apsw.Connection(address, flags=flags)) as there:
            found = _rows(there, "PRAGMA quick_check(1)")
            if found != [("ok",)]:
                raise DatabaseDamaged(f"{path.name} is damaged: {found[0][0]}")
            tables = [str(row[0]) for row in _rows(there, TABLES)]
            counts = {
                table: int(_rows(there, f'SELECT count(*) FROM "{table}"')[0][0])
                for table in tables
            }
            if "schema_migrations" not in tables:
                return 0, counts
            row = _rows(there, "SELECT max(version) FROM schema_migrations")[0]
            return int(row[0] or 0), counts


def _rows(connection: apsw.Connection, sql: str) -> list[tuple[Any, ...]]:
    return cast("Any", connection).execute(sql).fetchall()


@contextmanager
def _errors(what: str) -> Generator[None]:
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise DatabaseBusy(
            f"{what}: another process holds it; nothing was changed; try again"
        ) from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise DatabaseDamaged(f"{what}: {error}") from error
    except apsw.Error as error:
        raise DatabaseUnavailable(f"{what}: {error}; nothing was changed") from error
