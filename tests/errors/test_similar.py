"""Links between errors with the same meaning, on both databases."""

import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Generator
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.embedding_service import EmbeddingService

from seasoned import Seasoned
from seasoned.core.clock import FixedClock
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database
from seasoned.errors.error_store import ErrorStore, KnownError
from seasoned.errors.similar import LocalErrorEmbedder
from seasoned.llm.embed.wordllama import WordLlama

T = TypeVar("T")
Opened = Callable[..., Seasoned]

WORDS_ALONE = {"SEASONED_EMBEDDING__PROVIDER": "none"}
SESSIONS = count()
LIMITED = "HTTP 429 Too Many Requests"
THROTTLED = "The rate limit was exceeded, please slow down"


def write(db: Database, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
    async def done() -> T:
        async with db.write() as tx:
            return await work(tx)

    return db.run(done())


def rows(db: Database, sql: str) -> list[tuple[Any, ...]]:
    return write(db, lambda tx: tx.fetch(sql))


@pytest.fixture
def store(db: Database) -> ErrorStore:
    return ErrorStore(db, LocalErrorEmbedder(WordLlama(), FixedClock()))


def see(db: Database, store: ErrorStore, message: str, tool: str = "http") -> KnownError:
    return write(db, lambda tx: store.see(tx, Scope(), tool, message, 5))


def hinted(seasoned: Seasoned, tool: str, error: str) -> str | None:
    hint = seasoned.observe(tool, error=error, session=f"s{next(SESSIONS)}")
    return hint.text if hint else None


def test_another_vendors_wording_gets_the_fix_that_was_told(seasoned: Seasoned) -> None:
    seasoned.teach(LIMITED, fix="One request a second.", tool="http")
    seasoned.teach("no such table: orders", fix="Name the schema too.", tool="sql")
    assert hinted(seasoned, "http", THROTTLED) == "One request a second."
    relation = 'ERROR: relation "bills" does not exist'
    assert hinted(seasoned, "sql", relation) == "Name the schema too."


def test_an_unrelated_error_gets_no_fix_however_many_words_it_shares(seasoned: Seasoned) -> None:
    seasoned.teach("the bucket 'x1' was not found", fix="Create it first.", tool="cloud")
    assert hinted(seasoned, "cloud", "the bucket 'x2' was not found") == "Create it first."
    assert hinted(seasoned, "cloud", "the bucket 'x1' was not empty") is None
    assert hinted(seasoned, "cloud", "the table 'x1' was not found") is None


def test_a_fix_that_speaks_of_one_name_is_not_told_for_another(seasoned: Seasoned) -> None:
    seasoned.teach("No module named 'yaml'", fix="pip install pyyaml", tool="python")
    assert hinted(seasoned, "python", "No module named 'yaml'") == "pip install pyyaml"
    assert hinted(seasoned, "python", "No module named 'requests'") is None
    seasoned.teach("No module named 'attr'", fix="Activate .venv first.", tool="python")
    assert hinted(seasoned, "python", "No module named 'rich'") == "Activate .venv first."


def test_a_fix_reaches_no_other_tenant_and_no_other_tool(database_url: str, opened: Opened) -> None:
    opened(database_url, tenant="acme").teach(LIMITED, fix="Slower.", tool="http")
    assert hinted(opened(database_url, tenant="acme"), "http", THROTTLED) == "Slower."
    assert hinted(opened(database_url, tenant="acme"), "mail", THROTTLED) is None
    assert hinted(opened(database_url, tenant="other"), "http", THROTTLED) is None


def test_what_is_told_for_any_tool_helps_errors_that_were_seen_before(seasoned: Seasoned) -> None:
    assert hinted(seasoned, "http", THROTTLED) is None
    seasoned.teach(LIMITED, fix="Slower.")
    assert hinted(seasoned, "http", THROTTLED) == "Slower."


def test_a_new_error_has_its_vector_at_once_and_a_reworded_one_another(
    db: Database, store: ErrorStore
) -> None:
    vectors = "SELECT key FROM error_vectors WHERE space = 1"
    keys = "SELECT vector_key FROM errors"
    names = ("alice", "bobby", "carol", "david", "erika", "frank")
    see(db, store, f"Invalid user {names[0]} from 10.0.0.7")
    first = rows(db, vectors)
    assert first == rows(db, keys) != []
    for name in names:
        see(db, store, f"Invalid user {name} from 10.0.0.7")
    assert len(rows(db, keys)) == 1
    assert rows(db, vectors) == rows(db, keys) != first


def test_an_error_that_is_erased_or_undone_leaves_nothing_behind(
    seasoned: Seasoned, db: Database, store: ErrorStore
) -> None:
    lesson = seasoned.teach(LIMITED, fix="Slower.", tool="http")
    seasoned.forget(lesson.id, erase=True)

    async def undone(tx: Connection) -> None:
        await store.see(tx, Scope(), "http", THROTTLED, 5)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        write(db, undone)
    for table in ("errors", "errors_text", "error_vectors", "similar_errors"):
        assert rows(db, f"SELECT 1 FROM {table}") == []


def test_links_within_one_transaction_see_each_other(db: Database, store: ErrorStore) -> None:
    async def both(tx: Connection) -> tuple[str, str]:
        one = await store.see(tx, Scope(), "http", LIMITED, 5)
        other = await store.see(tx, Scope(), "http", THROTTLED, 6)
        return one.id, other.id

    one, other = write(db, both)
    linked = rows(db, "SELECT error_id, other_id FROM similar_errors WHERE similarity >= 0.7")
    assert sorted(linked) == sorted([(one, other), (other, one)])


def test_without_an_embedder_words_must_do_and_vectors_follow_when_there_is_one(
    database_url: str, opened: Opened
) -> None:
    plain = opened(database_url, environment=WORDS_ALONE)
    plain.teach(LIMITED, fix="Slower.", tool="http")
    plain.teach("too many requests in a row", fix="Fewer.", tool="http")
    assert hinted(plain, "http", "requests limit: too many requests") is not None
    assert hinted(plain, "http", THROTTLED) is None
    plain.close()
    with Seasoned(database_url) as later:  # embeds and links the pending errors
        later.inner.app.embedding.work(100)
        assert hinted(later, "http", THROTTLED) is not None


@pytest.fixture
def service() -> Generator[EmbeddingService]:
    one = EmbeddingService()
    yield one
    one.stop()


def test_with_a_service_the_links_come_a_little_later(
    database_url: str, opened: Opened, service: EmbeddingService
) -> None:
    seasoned = opened(database_url, environment=service.settings())
    seasoned.teach(LIMITED, fix="Slower.", tool="http")
    assert hinted(seasoned, "http", THROTTLED) is None
    until = time.monotonic() + 20
    while (found := hinted(seasoned, "http", THROTTLED)) is None and time.monotonic() < until:
        time.sleep(0.05)
    assert found == "Slower."


def test_errors_of_an_older_version_are_indexed_when_the_database_is_opened(
    database_url: str, opened: Opened
) -> None:
    before = opened(database_url)
    before.teach(LIMITED, fix="Slower.", tool="http")
    assert hinted(before, "http", THROTTLED) == "Slower."
    before.close()
    db = open_database(database_url)
    db.run(db.open())
    for statement in (
        "DELETE FROM similar_errors",
        "DELETE FROM error_vectors",
        "UPDATE errors SET vector_key = NULL",
    ):
        write(db, lambda tx, sql=statement: tx.execute(sql))
    db.run(db.close())
    assert hinted(opened(database_url), "http", THROTTLED) == "Slower."


def test_a_postgres_without_pgvector_goes_by_words(postgres_url: str, opened: Opened) -> None:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE error_vectors DROP COLUMN vector")
        connection.execute("ALTER TABLE lesson_vectors DROP COLUMN vector")
        connection.execute("DROP EXTENSION vector")
        connection.execute("DROP ROLE IF EXISTS plain")
        connection.execute("CREATE ROLE plain")
        connection.execute("GRANT USAGE, CREATE ON SCHEMA public TO plain")
        connection.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO plain")
        connection.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO plain")
    seasoned = opened(f"{postgres_url}{'&' if '?' in postgres_url else '?'}options=-crole%3Dplain")
    seasoned.teach("connection to the server was lost", fix="Again.", tool="sql")
    assert hinted(seasoned, "sql", "lost the connection to the server") == "Again."
    assert "pgvector" in seasoned.status()["embedding"]["note"]


SECOND = """
import sys
from seasoned import Seasoned

with Seasoned(sys.argv[1]) as s:
    s.observe("http", error="HTTP 503 from 10.0.0.9: try again later", session="b")
print("numpy" in sys.modules)
"""


def test_an_error_that_is_known_loads_no_model(tmp_path: Path) -> None:
    path = tmp_path / "seasoned.db"
    with Seasoned(path) as seasoned:
        seasoned.observe("http", error="HTTP 503 from 10.0.0.7: try again later", session="a")
    answer = subprocess.run(
        [sys.executable, "-c", SECOND, str(path)], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "False"
