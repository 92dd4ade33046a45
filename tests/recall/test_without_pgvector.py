"""A Postgres without pgvector is searched by words, and recall says why."""

import uuid
from collections.abc import Callable, Generator

import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from tests.postgres_copies import named

from seasoned import Seasoned

from .conftest import contents


@pytest.fixture
def poor_url(postgres_server: str) -> Generator[str]:
    """A database whose user may read and write, but not enable extensions."""
    name = f"poor_{uuid.uuid4().hex[:10]}"
    user = Identifier(name)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(SQL("CREATE ROLE {} LOGIN").format(user))
        connection.execute(SQL("CREATE DATABASE {}").format(user))
    own = named(postgres_server, name)
    Seasoned(own, environment={"SEASONED_EMBEDDING__PROVIDER": "none"}).close()
    with psycopg.connect(own, autocommit=True) as connection:
        for what in ("SCHEMA public", "ALL TABLES IN SCHEMA public"):
            connection.execute(SQL(f"GRANT ALL ON {what} TO {{}}").format(user))  # pyright: ignore
        grant = SQL("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {}").format(user)
        connection.execute(grant)
    yield own.replace("//postgres", f"//{name}", 1)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(user))
        connection.execute(SQL("DROP ROLE {}").format(user))


def test_without_pgvector_recall_uses_words(poor_url: str, opened: Callable[..., Seasoned]) -> None:
    s = opened(poor_url)
    s.teach("invoices", fact="Invoices are numbered per year.")
    why = "pgvector is not enabled; let an administrator run: CREATE EXTENSION vector"
    for _ in range(2):
        assert contents(s, "which number does an invoice get?") == [
            "Invoices are numbered per year."
        ]
        assert s.recall("invoices").notes == [f"went by words alone: {why}"]
    status = s.status()
    assert (status["embedding"]["note"], status["embedding"]["waiting"]) == (why, 1)
    assert status["buffers"]["embedding"]["failed"] == 0
    s.observe("shell", {"command": "x"}, error="no such command: x")  # everything else works
    assert s.status()["errors"] == 1
