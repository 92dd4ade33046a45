"""Remote embedders, with real servers that answer well, late, wrongly or not at all."""

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from seasoned.core.errors import ConfigError, EmbedderError, EmbedderUnavailable
from seasoned.llm.embed.remote import RemoteEmbedder

KEY = "sk-very-secret-key-0123456789"
Make = Callable[..., RemoteEmbedder]
Start = Callable[..., Any]


def always(status: int, body: Any, **headers: str) -> Callable[[Any], Any]:
    """Return a script that gives every request the same answer."""
    return lambda _: (
        status,
        body,
        {name.replace("_", "-"): value for name, value in headers.items()},
    )


def test_openai_is_asked_as_its_reference_says(speaking: Start, remote: Make) -> None:
    server = speaking("openai")
    embedder = remote("openai", f"{server.url}/v1", key=KEY, dimensions=4)
    assert embedder.embed(["one", "two"]).shape == (2, 4)
    (asked,) = server.asked
    assert asked.path == "/v1/embeddings"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "text-embedding-3-small",
        "input": ["one", "two"],
        "dimensions": 4,
    }


def test_gemini_is_asked_as_its_reference_says(speaking: Start, remote: Make) -> None:
    server = speaking("gemini")
    embedder = remote(
        "gemini", server.url, key=KEY, dimensions=4, model="models/gemini-embedding-2"
    )
    assert embedder.embed(["one", "two"]).shape == (2, 4)
    (asked,) = server.asked
    assert asked.path == "/v1beta/models/gemini-embedding-2:batchEmbedContents"
    assert asked.headers["x-goog-api-key"] == KEY
    assert asked.body["requests"][1] == {
        "model": "models/gemini-embedding-2",
        "content": {"parts": [{"text": "two"}]},
        "outputDimensionality": 4,
    }


def test_ollama_is_asked_as_its_reference_says(speaking: Start, remote: Make) -> None:
    server = speaking("ollama")
    assert remote("ollama", server.url, model="all-minilm").embed(["one"]).shape == (1, 6)
    (asked,) = server.asked
    assert asked.path == "/api/embed"
    assert "Authorization" not in asked.headers
    assert asked.body == {"model": "all-minilm", "input": ["one"]}


def test_texts_go_out_in_batches_over_one_connection(
    provider: str, speaking: Start, remote: Make
) -> None:
    server = speaking(provider)
    texts = [f"text {number}" for number in range(10)]
    vectors = remote(provider, server.url, batch=3).embed(texts)
    assert len(server.asked) == 4
    assert server.connections == 1
    assert np.array_equal(vectors, remote(provider, server.url).embed(texts))


def test_a_service_is_never_asked_for_more_than_it_takes(speaking: Start, remote: Make) -> None:
    server = speaking("gemini")
    remote("gemini", server.url, batch=1000).embed([f"text {number}" for number in range(250)])
    assert [len(asked.body["requests"]) for asked in server.asked] == [100, 100, 50]


def test_blank_texts_are_not_sent(provider: str, speaking: Start, remote: Make) -> None:
    server = speaking(provider)
    remote(provider, server.url, dimensions=6).embed(["", "  "])
    assert server.asked == []


def test_texts_are_cut_to_what_a_service_takes(speaking: Start, remote: Make) -> None:
    server = speaking("ollama")
    remote("ollama", server.url).embed(["東" * 100_000])
    assert server.asked[0].body["input"] == ["東" * 2666]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_service_is_asked_again(
    provider: str, speaking: Start, remote: Make, status: int
) -> None:
    server = speaking(provider)
    well = server.script
    busy = always(status, {"error": "busy"}, Retry_After="0")

    def at_first(question: Any) -> Any:
        return busy(question) if len(server.asked) == 1 else well(question)

    server.script = at_first
    assert remote(provider, server.url).embed(["a text"]).any()
    assert len(server.asked) == 2


def test_a_service_that_stays_busy_is_given_up_soon(loopback: Start, remote: Make) -> None:
    server = loopback(always(503, {"error": {"message": "overloaded"}}))
    with pytest.raises(EmbedderUnavailable, match=r"openai .* answered 503: 'overloaded'"):
        remote("openai", server.url).embed(["a text"])
    assert len(server.asked) == 3


def test_a_wait_beyond_the_deadline_is_not_begun(loopback: Start, remote: Make) -> None:
    server = loopback(always(429, {"error": "slow down"}, Retry_After="3600"))
    start = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="429"):
        remote("openai", server.url).embed(["a text"])
    assert time.monotonic() - start < 5
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 301])
def test_a_permanent_error_is_not_retried(loopback: Start, remote: Make, status: int) -> None:
    server = loopback(always(status, {"error": {"message": f"no {KEY}"}}, Location="/x"))
    with pytest.raises(EmbedderError, match=f"answered {status}") as told:
        remote("openai", server.url, key=KEY).embed(["a text"])
    assert not isinstance(told.value, EmbedderUnavailable)
    assert KEY not in str(told.value)
    assert len(server.asked) == 1


def test_texts_that_are_too_long_are_sent_in_parts(loopback: Start, remote: Make) -> None:
    """Batches are halved, then texts; each text still gets its vector."""

    def picky(question: Any) -> Any:
        size = sum(map(len, question.body["input"]))
        if size > 600:
            return 500, {"error": {"message": f"input ({size} tokens) is too large to process"}}, {}
        return (
            200,
            {"data": [{"embedding": [1.0, len(text)]} for text in question.body["input"]]},
            {},
        )

    server = loopback(picky)
    vectors = remote("openai", server.url).embed(["a" * 4000, "b" * 100, "c" * 500])
    assert np.allclose(vectors[:, 1] / vectors[:, 0], [500, 100, 500])


def test_a_service_that_refuses_every_text_is_an_error(loopback: Start, remote: Make) -> None:
    server = loopback(always(400, {"error": {"message": "maximum context length is 0"}}))
    with pytest.raises(EmbedderError, match="maximum context length is 0"):
        remote("openai", server.url).embed(["a" * 4000, "b"])
    assert len(server.asked) < 12


ROWS = [[1.0, 2.0], [3.0, 4.0]]
WRONG: dict[str, Any] = {
    "an HTML page": b"<html><head><style>p {}</style></head><h1>Sign in</h1></html>",
    "half an answer": b'{"embeddings": [[1.0, 2.',
    "nothing": b"",
    "an empty object": {},
    "null": None,
    "a list": [1, 2],
    "too few": {"embeddings": ROWS[:1]},
    "too many": {"embeddings": [*ROWS, [5.0, 6.0]]},
    "rows of two lengths": {"embeddings": [[1.0, 2.0], [3.0]]},
    "empty rows": {"embeddings": [[], []]},
    "flat": {"embeddings": [1.0, 2.0]},
    "nested": {"embeddings": [[[1.0]], [[2.0]]]},
    "NaN": {"embeddings": [[1.0, float("nan")], [3.0, 4.0]]},
    "infinity": {"embeddings": [[1.0, 1e39], [3.0, 4.0]]},
    "words": {"embeddings": [["one", "two"], ["three", "four"]]},
    "nulls": {"embeddings": [[None, 1.0], [3.0, 4.0]]},
}


@pytest.mark.parametrize("kind", WRONG)
def test_an_answer_that_cannot_be_believed_is_an_error(
    loopback: Start, remote: Make, kind: str
) -> None:
    server = loopback(always(200, WRONG[kind]))
    with pytest.raises(EmbedderError, match="ollama") as told:
        remote("ollama", server.url).embed(["one", "two"])
    assert "embedding.url" in str(told.value)
    assert not isinstance(told.value, EmbedderUnavailable)


@pytest.mark.parametrize("indexes", [[0, 0], [1, 2], ["0", "1"]])
def test_openai_rows_must_say_where_they_belong(
    loopback: Start, remote: Make, indexes: list[Any]
) -> None:
    data = [{"index": index, "embedding": [1.0]} for index in indexes]
    server = loopback(always(200, {"data": data}))
    with pytest.raises(EmbedderError, match="no vectors"):
        remote("openai", server.url).embed(["one", "two"])


def test_an_error_tells_the_gist_of_a_page(loopback: Start, remote: Make) -> None:
    page = b"<html><style>p {}</style><h1>Sign in</h1><script>track()</script></html>"
    server = loopback(always(200, page, Content_Type="text/html"))
    with pytest.raises(EmbedderError, match="'Sign in'"):
        remote("ollama", server.url).embed(["one"])


def test_dimensions_other_than_asked_for_are_an_error(loopback: Start, remote: Make) -> None:
    server = loopback(always(200, {"embeddings": [[1.0, 2.0]]}))
    with pytest.raises(EmbedderError, match="2 numbers instead of 64"):
        remote("ollama", server.url, dimensions=64).embed(["one"])


def test_dimensions_that_change_on_the_way_are_an_error(loopback: Start, remote: Make) -> None:
    server = loopback(always(200, {"embeddings": [[1.0, 2.0]]}))
    embedder = remote("ollama", server.url)
    assert embedder.dimensions is None
    embedder.embed(["one"])
    server.script = always(200, {"embeddings": [[1.0, 2.0, 3.0]]})
    assert embedder.dimensions == 2
    with pytest.raises(EmbedderError, match="3 numbers instead of 2"):
        embedder.embed(["two"])


def test_a_body_that_breaks_off_is_unavailable(loopback: Start, remote: Make) -> None:
    half = always(200, b'{"embeddings":', Content_Length="100", Connection="close")
    server = loopback(half)
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        remote("ollama", server.url, timeout_seconds=2).embed(["one"])


def test_a_connection_that_was_closed_meanwhile_is_opened_anew(
    speaking: Start, remote: Make
) -> None:
    server = speaking("ollama")
    embedder = remote("ollama", server.url)
    embedder.embed(["one"])
    server.drop_connections()
    start = time.monotonic()
    embedder.embed(["two"])
    assert time.monotonic() - start < 0.15  # at once, not after a pause
    assert server.connections == 2


def test_a_server_that_speaks_no_tls_is_unavailable(speaking: Start, remote: Make) -> None:
    url = speaking("ollama").url.replace("http://", "https://")
    with pytest.raises(EmbedderUnavailable, match=r"ollama at https://.* cannot be reached"):
        remote("ollama", url).embed(["one"])


def test_nobody_there_is_unavailable(remote: Make) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EmbedderUnavailable, match="is it running"):
        remote("ollama", f"http://127.0.0.1:{port}").embed(["one"])


def test_a_silent_service_is_given_up_at_the_deadline(remote: Make) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        start = time.monotonic()
        with pytest.raises(EmbedderUnavailable, match="timed out"):
            remote(
                "ollama", f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_seconds=0.3
            ).embed(["one"])
        assert time.monotonic() - start < 2


def test_a_dripping_answer_is_cut_off_at_the_deadline(remote: Make) -> None:
    """Each byte arrives in time, but the whole answer does not."""
    with socket.socket() as dripping:
        dripping.bind(("127.0.0.1", 0))
        dripping.listen()
        threading.Thread(target=drip, args=(dripping,), daemon=True).start()
        start = time.monotonic()
        with pytest.raises(EmbedderUnavailable, match=r"within 0\.4 s|timed out"):
            remote(
                "ollama", f"http://127.0.0.1:{dripping.getsockname()[1]}", timeout_seconds=0.4
            ).embed(["one"])
        assert time.monotonic() - start < 2


def drip(listening: socket.socket) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            try:
                connection.sendall(b" ")
            except OSError:
                return
            time.sleep(0.05)


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://example.com", "http://", "http://h:x/"])
def test_an_address_that_cannot_be_asked_is_a_mistake_in_the_settings(
    remote: Make, url: str
) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.url"):
        remote("ollama", url)


def test_a_password_in_the_address_is_refused_and_not_shown(remote: Make) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.key") as told:
        remote("ollama", "http://ana:hunter2hunter2@example.com")
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("key", ["sk-a\nb-0123456789", "schlüssel-0123456789"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(remote: Make, key: str) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.key") as told:
        remote("openai", "http://127.0.0.1:1", key=key)
    assert "0123456789" not in str(told.value)


def test_two_servers_of_the_openai_format_are_two_models(remote: Make) -> None:
    here, there = remote("openai", "http://a.example"), remote("openai", "http://b.example")
    assert here.model != there.model
    assert "7" not in remote("openai", "http://a.example/v1?key=7").model
    assert remote("openai", "").model == "openai/text-embedding-3-small/own"
    assert remote("openai", "", dimensions=64).model == "openai/text-embedding-3-small/64"
