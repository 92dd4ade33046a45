"""The servers that tests need: Postgres with pgvector, Valkey, Chromium."""

import http.server
import shutil
import threading
from collections.abc import Generator
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from tests.postgres_copies import TABLES, PostgresCopies


@pytest.fixture
def page() -> Generator[str]:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<title>lessons</title><p id=a></p><script>a.innerText=6*7</script>")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_postgres_has_pgvector(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        row = connection.execute("SELECT '[0,3]'::vector <-> '[4,0]'::vector").fetchone()
    assert row == (5.0,)


def test_a_copy_of_the_template_is_clean_when_it_is_used_again(
    postgres_copies: PostgresCopies,
) -> None:
    with postgres_copies.one() as first, psycopg.connect(first) as connection:
        tables = content(connection)
        connection.execute("INSERT INTO learned_calls (id) VALUES ('call')")
        connection.execute("DELETE FROM schema_migrations")
    with postgres_copies.one() as second, psycopg.connect(second) as connection:
        assert second != first
        assert content(connection) == tables


def test_a_copy_whose_schema_was_changed_is_not_used_again(
    postgres_copies: PostgresCopies,
) -> None:
    with (
        postgres_copies.one() as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        connection.execute("CREATE TABLE left_over (id INTEGER)")
    with postgres_copies.one() as url, psycopg.connect(url) as connection:
        assert "left_over" not in content(connection)


def content(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """Count the rows of every table."""
    names = [row[0] for row in connection.execute(TABLES).fetchall()]
    counts = SQL(", ").join(SQL("(SELECT count(*) FROM {})").format(Identifier(n)) for n in names)
    row = connection.execute(SQL("SELECT ") + counts).fetchone()
    assert row is not None
    return dict(zip(names, row, strict=True))


def test_valkey_keeps_a_list(valkey_url: str) -> None:
    import redis

    with redis.Redis.from_url(valkey_url) as client:  # pyright: ignore[reportUnknownMemberType]
        assert client.rpush("pending", "a", "b") == 2
        assert client.lrange("pending", 0, -1) == [b"a", b"b"]


@pytest.mark.skipif(shutil.which("chromium") is None, reason="`make browser` installs Chromium")
def test_chromium_runs_a_page(page: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page()
        tab.goto(page)
        assert tab.title() == "lessons"
        assert tab.inner_text("#a") == "42"
        browser.close()
