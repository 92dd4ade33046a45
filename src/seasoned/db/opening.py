"""Open the database that an address names; its driver is imported only then."""

from seasoned.db.address import is_postgres, sqlite_path
from seasoned.db.connection import Clean, unchanged
from seasoned.db.database import Database


def open_database(url: str, *, busy_seconds: float = 5.0, clean: Clean = unchanged) -> Database:
    """Return the database at an address: a path, ":memory:", or "postgresql://…".

    All values go through `clean`, those that are asked for, too: so a name is found again.
    """
    if is_postgres(url):
        from seasoned.db.postgres import PostgresDatabase

        return PostgresDatabase(url, clean=clean)
    from seasoned.db.sqlite import SqliteDatabase

    return SqliteDatabase(sqlite_path(url), busy_seconds=busy_seconds, clean=clean)
