"""A real HTTP server on the loopback that speaks the formats of the embedding services."""

import json
import socket
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from seasoned.llm.embed.remote import WIRES, RemoteEmbedder

DIMENSIONS = 6


@dataclass(frozen=True)
class Question:
    path: str
    headers: dict[str, str]
    body: Any


Reply = tuple[int, Any, dict[str, str]]  # status, body (bytes, or data sent as JSON), headers
Script = Callable[[Question], Reply]


class Loopback:
    """A server that answers by its script, and records requests and connections."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Question] = []
        self.connections = 0
        self._open: list[socket.socket] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def drop_connections(self) -> None:
        """Close all connections, as a server does with idle ones."""
        for connection in self._open:
            connection.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                loopback.connections += 1
                loopback._open.append(self.connection)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                question = Question(self.path, dict(self.headers), json.loads(body))
                loopback.asked.append(question)
                status, answer, extra = loopback.script(question)
                content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                headers = {"Content-Length": str(len(content)), **extra}
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        return Handler


@pytest.fixture
def loopback() -> Generator[Callable[[Script], Loopback]]:
    there: list[Loopback] = []

    def start(script: Script) -> Loopback:
        there.append(Loopback(script))
        return there[-1]

    yield start
    for one in there:
        one.stop()


def numbers(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Return a vector for a text: deterministic, distinct, not normalised."""
    return [byte / 25 - 5 for byte in blake2b(text.encode(), digest_size=dimensions).digest()]


def openai(question: Question) -> Reply:
    asked = question.body
    size = asked.get("dimensions", DIMENSIONS)
    data = [
        {"object": "embedding", "index": place, "embedding": numbers(text, size)}
        for place, text in enumerate(asked["input"])
    ]
    usage = {"prompt_tokens": 8, "total_tokens": 8}
    # The rows come in reverse order; `index` says where each belongs.
    return 200, {"object": "list", "data": data[::-1], "model": asked["model"], "usage": usage}, {}


def gemini(question: Question) -> Reply:
    rows = [
        numbers(one["content"]["parts"][0]["text"], one.get("outputDimensionality", DIMENSIONS))
        for one in question.body["requests"]
    ]
    return 200, {"embeddings": [{"values": row} for row in rows]}, {}


def ollama(question: Question) -> Reply:
    asked = question.body
    rows = [numbers(text, asked.get("dimensions", DIMENSIONS)) for text in asked["input"]]
    return 200, {"model": asked["model"], "embeddings": rows, "total_duration": 14143917}, {}


SCRIPTS: dict[str, Script] = {"openai": openai, "gemini": gemini, "ollama": ollama}


@pytest.fixture(params=list(SCRIPTS))
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def speaking(loopback: Callable[[Script], Loopback]) -> Callable[[str], Loopback]:
    """Return a function that starts a server with a provider's format."""
    return lambda name: loopback(SCRIPTS[name])


@pytest.fixture
def remote() -> Callable[..., RemoteEmbedder]:
    """Return a function that builds a provider's embedder for a server."""

    def make(name: str, url: str, **options: Any) -> RemoteEmbedder:
        return RemoteEmbedder(WIRES[name], url=url, **options)

    return make
