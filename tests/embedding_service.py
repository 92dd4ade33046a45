"""An embedding service on the loopback that speaks OpenAI's format and fails on demand.

Its vectors know synonyms, so a text without a shared word is found by meaning or not at all.
"""

import json
import re
import threading
import time
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

MEANINGS = (
    "car automobile vehicle",
    "invoice bill",
    "doctor physician",
    "broken defective faulty",
    "purchase buy",
    "refund reimbursement",
    "staff employees personnel",
    "holiday vacation",
)
MEANT = {word: words.split()[0] for words in MEANINGS for word in words.split()}
PLAIN = frozenset("the a an is are of to in for and how do we what when it with".split())


class EmbeddingService:
    """The service; each `model` has its own vectors, all with `dimensions` numbers."""

    def __init__(self, dimensions: int = 48) -> None:
        self.dimensions = dimensions
        self.delay_seconds = 0.0
        self.failing = 0  # the error status to answer with; 0: none
        self.refused = ""  # a word that it refuses to embed
        self.asked: list[tuple[str, str]] = []  # model and text
        self._release = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def settings(self, model: str = "one", **others: str) -> dict[str, str]:
        """Return the variables that make Seasoned use this service."""
        return {
            "SEASONED_EMBEDDING__PROVIDER": "openai",
            "SEASONED_EMBEDDING__URL": self.url,
            "SEASONED_EMBEDDING__KEY": "sk-test",
            "SEASONED_EMBEDDING__MODEL": model,
            "SEASONED_EMBEDDING__TIMEOUT_SECONDS": "5",
            "SEASONED_BUFFER__FLUSH_SECONDS": "0.05",
            **others,
        }

    def texts(self, model: str = "one") -> list[str]:
        return [text for asked, text in self.asked if asked == model]

    def start(self) -> None:
        """Listen on the same port as before."""
        self._release.clear()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = service._answered(body)
                content = json.dumps(answer).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:  # the client gave up
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Log nothing; tests read `asked`."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Stop listening."""
        self._release.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _answered(self, body: dict[str, Any]) -> tuple[int, Any]:
        if self.delay_seconds:
            self._release.wait(self.delay_seconds)
        if self.failing or self._server is None:
            return self.failing or 503, {"error": {"message": "no GPU is free"}}
        if self.refused and any(self.refused in text for text in body["input"]):
            return 400, {"error": {"message": "the request was filtered"}}
        self.asked += [(body["model"], text) for text in body["input"]]
        data = [
            {"index": place, "embedding": self.vector(body["model"], text)}
            for place, text in enumerate(body["input"])
        ]
        return 200, {"data": data}

    def vector(self, model: str, text: str) -> list[float]:
        total = np.zeros(self.dimensions)
        for word in re.findall(r"\w+", text.lower()):
            if word not in PLAIN:
                meant = MEANT.get(word.removesuffix("s"), MEANT.get(word, word))
                seed = blake2b(f"{model} {meant}".encode(), digest_size=8).digest()
                total += np.random.default_rng(int.from_bytes(seed)).normal(size=self.dimensions)
        return [float(number) for number in total]


def eventually(true: Any, seconds: float = 30.0) -> bool:
    """Wait until a condition is true; generous, for busy machines."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if true():
            return True
        time.sleep(0.02)
    return bool(true())
