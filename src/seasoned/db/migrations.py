"""Brings a database's schema up to date: numbered files, each applied once, in one transaction."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from seasoned.core.errors import DatabaseDamaged
from seasoned.db.database import Connection

FILES = Path(__file__).parent / "schema"
NAME = re.compile(r"(\d{4})_(\w+)\.sql")
LATEST = 1


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str


def migrations(dialect: str) -> list[Migration]:
    """Every migration: what both dialects share, then what this one adds."""
    found: list[Migration] = []
    for path in sorted(FILES.glob("*.sql")):
        if match := NAME.fullmatch(path.name):
            own = path.with_suffix(f".{dialect}.sql")
            sql = path.read_text("utf-8") + (own.read_text("utf-8") if own.exists() else "")
            found.append(Migration(int(match[1]), match[2], sql))
    return found


async def migrate(tx: Connection, dialect: str, now: Callable[[], int], where: str) -> int:
    """Applies what is missing; returns how many were applied."""
    await tx.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations "
        "(version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)"
    )
    row = await tx.fetch_one("SELECT coalesce(max(version), 0) FROM schema_migrations")
    current = int(row[0]) if row else 0
    if current > LATEST:
        raise DatabaseDamaged(
            f"{where} was written by a newer Seasoned (schema {current}, this one knows {LATEST}); "
            "upgrade Seasoned, or open another database"
        )
    if current == LATEST:
        return 0
    missing = [migration for migration in migrations(dialect) if migration.version > current]
    for migration in missing:
        await tx.execute(migration.sql)
        await tx.execute(
            "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)",
            (migration.version, migration.name, now()),
        )
    return len(missing)
