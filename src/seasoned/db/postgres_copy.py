"""Copy all tables of a Postgres database out of one moment, and back in one transaction."""

import asyncio
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString, cast

from seasoned.core.clock import SystemClock
from seasoned.core.errors import BadInput, DatabaseUnavailable
from seasoned.core.extras import missing_extra
from seasoned.db.address import without_password
from seasoned.db.connection import unchanged
from seasoned.db.migrations import migrate, own_tables
from seasoned.db.postgres import MIGRATION_LOCK, PostgresConnection

try:
    import psycopg
except ImportError as missing:
    raise missing_extra("postgres", "Postgres needs its driver") from missing

BLOCK = 2**20
TABLES: LiteralString = (
    "SELECT relname::text FROM pg_class "
    "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname"
)
COLUMNS: LiteralString = (
    "SELECT attname::text FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
    "AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"
)
SEQUENCES: LiteralString = (
    "SELECT s.sequencename::text, t.relname::text, s.last_value FROM pg_sequences s "
    "JOIN pg_depend d ON d.objid = format('%I.%I', s.schemaname, s.sequencename)::regclass "
    "AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass "
    "JOIN pg_class t ON t.oid = d.refobjid "
    "WHERE s.schemaname = 'public' AND s.last_value IS NOT NULL"
)
REFERENCES: LiteralString = (
    "SELECT a.relname::text, b.relname::text FROM pg_constraint c "
    "JOIN pg_class a ON a.oid = c.conrelid JOIN pg_class b ON b.oid = c.confrelid "
    "WHERE c.contype = 'f' AND a.relnamespace = 'public'::regnamespace AND a.oid <> b.oid"
)
VECTOR_AT: LiteralString = (
    "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
    "WHERE e.extname = 'vector'"
)


@dataclass(frozen=True, slots=True)
class Dump:
    schema: int
    counts: dict[str, int]
    columns: dict[str, list[str]]
    sequences: dict[str, int]
    others: tuple[str, ...] = ()  # tables of another program, which are not in it


def dump(url: str, folder: Path) -> Dump:
    """Write each of our tables to a file, all of them as they are at one moment."""
    counts: dict[str, int] = {}
    columns: dict[str, list[str]] = {}
    with _errors(url), psycopg.connect(url, connect_timeout=5) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        row = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
        schema = int(row[0]) if row else 0
        there = [str(row[0]) for row in connection.execute(TABLES).fetchall()]
        own = own_tables("postgres")
        for table in (one for one in there if one in own):
            found = connection.execute(COLUMNS, (f'public."{table}"',)).fetchall()
            columns[table] = [str(one[0]) for one in found]
            sql = f"COPY {_named(table, columns[table])} TO STDOUT"
            cursor = connection.cursor()
            with cursor.copy(_sql(sql)) as copy, (folder / f"{table}.copy").open("xb") as file:
                for block in copy:
                    file.write(block)
            counts[table] = cursor.rowcount
        sequences = {
            str(name): int(last)
            for name, table, last in connection.execute(SEQUENCES)
            if table in own
        }
    others = tuple(table for table in there if table not in own)
    return Dump(schema, counts, columns, sequences, others)


def load(url: str, folder: Path, dumped: Dump, aside: str, telling: Sequence[str]) -> str:
    """Load a dump in one transaction; what was there goes into the schema `aside`.

    Return that schema's name, or nothing if there was nothing; an empty `aside` refuses to replace
    a store that has a row in one of the `telling` tables.
    """
    with _errors(url):
        return asyncio.run(_load(url, folder, dumped, aside, telling))


async def _load(url: str, folder: Path, dumped: Dump, aside: str, telling: Sequence[str]) -> str:
    connection = await psycopg.AsyncConnection.connect(url, connect_timeout=5, autocommit=True)
    async with connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
        filled = await _is_filled(connection, telling, dumped.columns)
        if filled and not aside:
            raise BadInput(
                f"{without_password(url)} is not empty; nothing was changed; add --replace to "
                "replace it (its content is kept aside in a schema), or give another database"
            )
        old = aside or "seasoned_before"
        await _make_room(connection, old)
        tx = PostgresConnection(connection, unchanged)
        where = without_password(url)
        await migrate(tx, "postgres", SystemClock().now, where, dumped.schema)
        await _fill(connection, folder, dumped)
        await migrate(tx, "postgres", SystemClock().now, where)
        if not filled:
            await connection.execute(_sql(f"DROP SCHEMA {old} CASCADE"))
        return old if filled else ""


async def _is_filled(
    connection: "psycopg.AsyncConnection[Any]", telling: Sequence[str], ours: Mapping[str, object]
) -> bool:
    """Tell whether something would be lost; tables that the backup has not are somebody else's."""
    there = {row[0] for row in await (await connection.execute(TABLES)).fetchall()}
    if there - set(ours):
        return True
    for table in there & set(telling):
        cursor = await connection.execute(_sql(f"SELECT 1 FROM {table} LIMIT 1"))
        if await cursor.fetchone():
            return True
    return False


async def _make_room(connection: "psycopg.AsyncConnection[Any]", old: str) -> None:
    """Move the tables aside; pgvector's types stay where queries look for them."""
    at = await (await connection.execute(VECTOR_AT)).fetchone()
    await connection.execute(_sql(f"ALTER SCHEMA public RENAME TO {old}"))
    await connection.execute("CREATE SCHEMA public")
    if at and at[0] == "public":
        await connection.execute("ALTER EXTENSION vector SET SCHEMA public")


async def _fill(connection: "psycopg.AsyncConnection[Any]", folder: Path, dumped: Dump) -> None:
    cursor = await connection.execute(TABLES)
    there = [str(row[0]) for row in await cursor.fetchall()]
    unknown = set(dumped.columns) - set(there)
    if unknown:
        raise BadInput(
            f"the backup has a table {min(unknown)!r}, which schema "
            f"{dumped.schema} has not; nothing was changed"
        )
    await connection.execute(_sql(f"TRUNCATE {', '.join(there)}"))
    pairs = await (await connection.execute(REFERENCES)).fetchall()
    for table in _ordered(dumped.columns, pairs):
        columns = dumped.columns[table]
        found = await (await connection.execute(COLUMNS, (f'public."{table}"',))).fetchall()
        if "vector" in columns and ("vector",) not in found:
            await connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            await connection.execute(_sql(f"ALTER TABLE {table} ADD COLUMN vector halfvec"))
        sql = _sql(f"COPY {_named(table, columns)} FROM STDIN")
        async with connection.cursor() as one, one.copy(sql) as copy:
            with (folder / f"{table}.copy").open("rb") as file:
                while block := file.read(BLOCK):
                    await copy.write(block)
    for name, last in dumped.sequences.items():
        await connection.execute("SELECT setval(to_regclass(%s), %s)", (f'public."{name}"', last))


def _ordered(tables: Mapping[str, object], pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Put each table after those that its rows refer to.

    >>> _ordered({"a": 1, "b": 1}, [("a", "b")])
    ['b', 'a']
    """
    left, order = set(tables), list[str]()
    while left:
        needed = {child for child, parent in pairs if child in left and parent in left}
        ready = sorted(left - needed) or sorted(left)
        order += ready
        left -= set(ready)
    return order


def _named(table: str, columns: Sequence[str]) -> str:
    quoted = ", ".join('"' + one + '"' for one in columns)
    return f'public."{table}" ({quoted})'


def _sql(text: str) -> LiteralString:
    """Names come from the database's own catalog and from a checked manifest."""
    return cast("LiteralString", text)


def vacuum(url: str) -> int:
    """Vacuum and analyse all own tables, one by one; return how many."""
    from psycopg import sql

    with _errors(url), psycopg.connect(url, connect_timeout=5, autocommit=True) as connection:
        tables = [str(name) for (name,) in connection.execute(TABLES).fetchall()]
        for table in tables:
            connection.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))
    return len(tables)


@contextmanager
def _errors(url: str) -> Generator[None]:
    try:
        yield
    except psycopg.Error as error:
        line = str(error).strip().partition("\n")[0]
        raise DatabaseUnavailable(
            f"{without_password(url)}: {line}; nothing was changed"
        ) from error
