"""The real servers that tests lean on are there: Postgres with pgvector, Valkey, Chromium."""

import http.server
import shutil
import threading
from collections.abc import Generator

import pytest


@pytest.fixture
def page() -> Generator[str]:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<title>lessons</title><p id=a></p><script>a.innerText=6*7</script>")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Says nothing: the test looks at the page."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_postgres_has_pgvector(postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        row = connection.execute("SELECT '[0,3]'::vector <-> '[4,0]'::vector").fetchone()
    assert row == (5.0,)


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
