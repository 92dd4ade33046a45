"""Open the database that an address names; its driver is imported only then."""

from seasoned.db.address import is_postgres, sqlite_path
from seasoned.db.database import Database


def open_database(url: str, *, busy_seconds: float = 5.0) -> Database:
    """Return the database at an address: a path, ":memory:", or "postgresql://…"."""
    if is_postgres(url):
        from seasoned.db.postgres import PostgresDatabase

        return PostgresDatabase(url)
    from seasoned.db.sqlite import SqliteDatabase

    return SqliteDatabase(sqlite_path(url), busy_seconds=busy_seconds)
