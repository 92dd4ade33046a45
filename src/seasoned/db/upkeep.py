"""Tidy a database while it is used: statistics for the planner, and room that was freed."""

import sqlite3
from contextlib import closing

from seasoned.core.errors import DatabaseUnavailable

BUSY_SECONDS = 30


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
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as it:
            # 0x10002: all tables, also those that this connection has not read.
            it.execute("PRAGMA optimize(0x10002)").fetchall()
            it.execute("PRAGMA incremental_vacuum").fetchall()
            (pages,) = it.execute("PRAGMA page_count").fetchone()
            (free,) = it.execute("PRAGMA freelist_count").fetchone()
            it.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    except sqlite3.Error as error:
        raise DatabaseUnavailable(f"{path} could not be tidied: {error}") from error
    return f"PRAGMA optimize; {free} of {pages} pages are free"
