"""A real host on loopback, in a thread or a process, and an agent that speaks plain HTTP to it."""

import asyncio
import contextlib
import http.client
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seasoned.core.clock import SystemClock
from seasoned.core.events import Bus
from seasoned.core.scope import Scope
from seasoned.db.opening import open_database
from seasoned.db.unit import Unit
from seasoned.protocol.host.host import Host
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.http_server import listening, serve
from seasoned.protocol.plugin import LearnPlugin
from seasoned.security.audit import AuditStore


class Served:
    """A host that serves until stopped; the database outlives it."""

    def __init__(
        self,
        database_url: str,
        plugins: Iterable[LearnPlugin],
        config: HostConfig | None = None,
        port: int = 0,
        scope: Scope | None = None,
    ) -> None:
        self.db = open_database(database_url)
        self.db.run(self.db.open())
        unit = Unit(self.db, AuditStore(self.db), Bus(), SystemClock())
        self.host = Host(list(plugins), unit, scope or Scope(), config)
        bound = listening("127.0.0.1", port)
        self.port: int = bound.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        ready = threading.Event()
        self._thread = threading.Thread(
            target=self._loop.run_until_complete,
            args=(serve(self.host, bound, self._stop, ready.set),),
        )
        self._thread.start()
        assert ready.wait(10)

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(15)
            assert not self._thread.is_alive()
            self._loop.close()
            self.db.run(self.db.close())
            self.db.shutdown()


COMMAND = [sys.executable, "-m", "seasoned", "host"]


class Process:
    """`seasoned host` on a port, as a real process."""

    def __init__(self, home: Path, *more: str, port: int = 0) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--http", f"127.0.0.1:{port}", *more],
            stderr=subprocess.PIPE,
            env={**os.environ, "SEASONED_HOME": str(home)},
            text=True,
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found[1])
        self.url = found[0]

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        if self.process.poll() is None:
            self.process.send_signal(how)
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


class Agent:
    """An agent on plain HTTP, so that none of our client code is between test and host."""

    def __init__(self, port: int, session: str | None = None, *, reads: bool = True) -> None:
        self.port = port
        self._posts = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
        self.session = session or str(self.post("/session", b"")[1]["session_id"])
        self.replies: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.raw: list[bytes] = []
        self._streams: list[tuple[http.client.HTTPConnection, threading.Thread]] = []
        if reads:
            self.read()

    def read(self) -> None:
        stream = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        stream.request("GET", "/stream", headers={"X-Session-Id": self.session})
        response = stream.getresponse()
        assert response.status == 200
        assert response.getheader("transfer-encoding") == "chunked"
        thread = threading.Thread(target=self._read, args=(response,), daemon=True)
        thread.start()
        self._streams.append((stream, thread))

    def _read(self, response: http.client.HTTPResponse) -> None:
        try:
            while line := response.readline():
                if line.startswith(b"data: "):
                    self.raw.append(line)
                    self.replies.put(json.loads(line[6:]))
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed by the test or the host
        self.replies.put(None)

    def post(
        self, path: str, body: bytes, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        self._posts.request("POST", path, body, headers or {})
        response = self._posts.getresponse()
        return response.status, json.loads(response.read())

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        self._posts.request("GET", path)
        response = self._posts.getresponse()
        return response.status, json.loads(response.read())

    def send(self, message: Any) -> int:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        headers = {"X-Session-Id": self.session, "Content-Type": "text/plain"}
        return self.post("/send", body, headers)[0]

    def reply(self, seconds: float = 10) -> dict[str, Any] | None:
        return self.replies.get(timeout=seconds)

    def ask(self, message: Any) -> dict[str, Any]:
        assert self.send(message) == 200
        reply = self.reply()
        assert reply is not None
        return reply

    def vanish(self) -> None:
        """Drop the streams, like a killed process."""
        for stream, thread in self._streams:
            if stream.sock is not None:
                with contextlib.suppress(OSError):
                    stream.sock.shutdown(socket.SHUT_RDWR)
            thread.join(10)
            stream.close()
        self._streams.clear()

    def close(self) -> None:
        self._posts.close()
        self.vanish()


def feedback(name: str, **fields: Any) -> dict[str, Any]:
    """Return a feedback request with one item."""
    item = {"feedback_id": f"f-{name}", "polarity": "positive", "rated_turn": None, **fields}
    return {"type": "learn/feedback/req", "id": name, "version": "1.0", "feedbacks": [item]}
