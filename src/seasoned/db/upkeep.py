"""Tidy a database while it is used: statistics for the planner, and room that was freed."""

from contextlib import closing
from typing import Any, cast

import apsw

from seasoned.core.errors import DatabaseUnavailable

BUSY_SECONDS = 30
# 0x10002: all tables, also those that this connection has not read.
STEPS = ("PRAGMA optimize(0x10002)", "PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(PASSIVE)")


def tidy(dialect: str, where: str, url: str) -> str:
    """Do what the dialect needs, on a connection of its own; return what was done."""
    if dialect == "postgres":
        from seasoned.db.postgres_copy import vacuum

        return f"VACUUM (ANALYZE) of {vacuum(url)} tables"
    if where == ":memory:":
        return "nothing to do in memory"
    return _tidy_sqlite(where)


def _tidy_sqlite(path: str) -> str:
    try:
        with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
            connection.set_busy_timeout(1000 * BUSY_SECONDS)
            execute = cast("Any", connection).execute
            for step in STEPS:
                list(execute(step))
            ((pages,),) = execute("PRAGMA page_count")
            ((free,),) = execute("PRAGMA freelist_count")
    except apsw.Error as error:
        raise DatabaseUnavailable(f"{path} could not be tidied: {error}") from error
    return f"PRAGMA optimize; {free} of {pages} pages are free"
