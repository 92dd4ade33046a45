"""Copies of the migrated Postgres template, one per test, emptied and used again where possible.

Copying a database takes about 150 ms, emptying one about 20 ms. A copy is used again only if
its schema is exactly the template's; a test that created, altered or granted anything loses it.
"""

import uuid
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, LiteralString

import psycopg
from psycopg.sql import SQL, Identifier

# The newest row and the number of rows of each catalog: any DDL changes one of them. TRUNCATE
# touches pg_class only, therefore of that one only the names and the grants are compared.
CATALOGS = ("attribute", "constraint", "extension", "index", "namespace", "proc", "trigger")
NEWEST = ", ".join(
    f"(SELECT count(*) || ' ' || max(xmin::text::bigint) FROM pg_{name})" for name in CATALOGS
)
SCHEMA: Any = (
    f"SELECT {NEWEST}, (SELECT md5(string_agg(concat(relname, relacl), ' ' ORDER BY oid)) "
    "FROM pg_class WHERE relnamespace = 'public'::regnamespace)"
)
DISCONNECT: LiteralString = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"
)
TABLES: LiteralString = (
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
)
EMPTIED: LiteralString = """
DO $$
DECLARE name text; filled boolean; full_ones text[];
BEGIN
  FOR name IN SELECT oid::regclass FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
    EXECUTE 'SELECT EXISTS (SELECT FROM ' || name || ')' INTO filled;
    IF filled THEN full_ones := full_ones || name; END IF;
  END LOOP;
  EXECUTE 'TRUNCATE ' || array_to_string(full_ones, ', ') || ' CASCADE';
  -- TRUNCATE keeps the statistics of the last test's rows; the planner and word search read them.
  DELETE FROM pg_statistic WHERE starelid IN
    (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace);
  FOR name IN SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL LOOP
    EXECUTE 'ALTER SEQUENCE ' || quote_ident(name) || ' RESTART';
  END LOOP;
END $$
"""


class PostgresCopies:
    def __init__(self, server: str, template: str) -> None:
        self.server = server
        self.template = template
        self._spare: list[str] = []
        with psycopg.connect(named(server, template)) as connection:
            self._schema = connection.execute(SCHEMA).fetchone()
            tables = [str(row[0]) for row in connection.execute(TABLES).fetchall()]
            self._seeds = {table: seed for table in tables if (seed := _rows(connection, table))}

    @contextmanager
    def one(self) -> Generator[str]:
        """Hand out the address of a copy that nobody else uses."""
        name = self._spare.pop() if self._spare else self._copy()
        yield named(self.server, name)
        with psycopg.connect(self.server, autocommit=True) as connection:
            connection.execute(DISCONNECT, (name,))
            fresh = random_name()  # so that a pool left open by the test cannot reconnect
            rename = SQL("ALTER DATABASE {} RENAME TO {}")
            connection.execute(rename.format(Identifier(name), Identifier(fresh)))
            if self._reset(fresh):
                self._spare.append(fresh)
            else:
                drop(connection, fresh)

    def _copy(self) -> str:
        with psycopg.connect(self.server, autocommit=True) as connection:
            return create(connection, self.template)

    def _reset(self, name: str) -> bool:
        """Bring a copy back to the template's content; False if its schema has changed."""
        with psycopg.connect(named(self.server, name)) as connection:
            if connection.execute(SCHEMA).fetchone() != self._schema:
                return False
            connection.execute(EMPTIED)
            for table, rows in self._seeds.items():
                with connection.cursor().copy(_copying(table, "FROM STDIN")) as into:
                    into.write(rows)
        return True


def random_name() -> str:
    return f"test_{uuid.uuid4().hex[:12]}"


def create(connection: psycopg.Connection[Any], template: str) -> str:
    """Create a database, and return its random name."""
    name = random_name()
    parts = (Identifier(name), Identifier(template))
    connection.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(*parts))
    return name


def drop(connection: psycopg.Connection[Any], name: str) -> None:
    connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def _rows(connection: psycopg.Connection[Any], table: str) -> bytes:
    with connection.cursor().copy(_copying(table, "TO STDOUT")) as out:
        return b"".join(bytes(block) for block in out)


def _copying(table: str, direction: LiteralString) -> Any:
    return SQL("COPY {} " + direction).format(Identifier(table))


def named(url: str, database: str) -> str:
    """Return the server's address for another database."""
    before, _, after = url.partition("/postgres?")
    if after:
        return f"{before}/{database}?{after}"
    return f"{url.rpartition('/')[0]}/{database}"
