"""A gateway with a scripted model and the test's tools: a real port, a thread of this process."""

import asyncio
import json
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from seasoned import Seasoned
from seasoned.api import AsyncSeasoned
from seasoned.api.worker.job_worker import JobWorker
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.http_server import listening
from seasoned.server.serving import serve_gateway

TOKEN = "a-token-of-this-test"
PATIENCE = 30.0


class LiveGateway:
    """Serves until it is ended; `steps` are what the model answers, one after another."""

    def __init__(
        self,
        home: Path,
        *steps: Any,
        tools: Sequence[Callable[..., Any]] = (),
        token: str = TOKEN,
        **settings: str,
    ) -> None:
        home.mkdir(exist_ok=True)
        self.database = home / "seasoned.db"
        script = home / "script.json"
        script.write_text(json.dumps(list(steps)), "utf-8")
        model = {"SEASONED_AGENT__MODEL": f"scripted:{script}"} if steps else {}
        defaults = {"SEASONED_HOME": str(home), "SEASONED_EMBEDDING__PROVIDER": "none"}
        self._environment = {**defaults, **model, **settings}
        self._tools = tools
        self._token = token
        self._bound = listening("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._bound.getsockname()[1]}"
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        self.client = httpx.Client(base_url=self.url, timeout=PATIENCE)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with AsyncSeasoned(self.database, environment=self._environment) as s:
            config = HostConfig(token=self._token)
            await serve_gateway(
                *(s, config, self._bound, self._stop, self._ready.set), tools=self._tools
            )

    @contextmanager
    def worker(self) -> Generator[None]:
        """Run jobs beside the gateway, as `seasoned worker` does."""
        stopped = threading.Event()

        async def work() -> None:
            stop = asyncio.Event()
            async with AsyncSeasoned(self.database, environment=self._environment) as s:
                running = asyncio.create_task(JobWorker(s).run(stop))
                await asyncio.to_thread(stopped.wait)
                stop.set()
                await running

        thread = threading.Thread(target=lambda: asyncio.run(work()))
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()

    def headers(self, token: str | None = TOKEN, **scope: str) -> dict[str, str]:
        shown = {"Authorization": f"Bearer {token}"} if token is not None else {}
        return shown | {f"X-Seasoned-{name}": value for name, value in scope.items()}

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        headers = self.headers(more.pop("token", TOKEN), **more.pop("scope", {}))
        return self.client.request(method, path, json=body, headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.call("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> httpx.Response:
        return self.call("POST", path, body, **more)

    def say(self, message: str, session: str, **more: Any) -> dict[str, Any]:
        """Send a message and return the answer, which must be a reply."""
        answer = self.post("/v1/chat", {"message": message, "session": session, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    @contextmanager
    def stream(
        self, method: str, path: str, body: Any = None, **scope: str
    ) -> Generator[Iterator[dict[str, Any]]]:
        """Read server-sent events as they come."""
        headers = self.headers(**scope)
        with self.client.stream(method, path, json=body, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            yield _events(answer)

    @contextmanager
    def socket(self, token: str = TOKEN, **scope: str) -> "Generator[Socket]":
        address = self.url.replace("http", "ws") + "/ws"
        headers = self.headers(token, **scope)
        with connect(address, additional_headers=headers, compression=None) as line:
            yield Socket(line)

    def said_in(self, session: str) -> list[tuple[str, str]]:
        """Return what is stored of a session, once the server has ended or beside it."""
        with Seasoned(self.database, environment=self._environment) as s:
            return [(one.role, one.text) for one in s.sessions.messages(session)]

    def stop(self) -> None:
        """Begin to stop, as a signal does."""
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)

    def close(self) -> None:
        self.end()

    def end(self) -> None:
        if self._thread.is_alive():
            self.stop()
        self._thread.join(PATIENCE + 30)
        assert not self._thread.is_alive()
        self.client.close()


class Socket:
    """A client of `/ws`."""

    def __init__(self, line: Connection) -> None:
        self.line = line

    def send(self, **frame: Any) -> None:
        self.line.send(json.dumps(frame))

    def receive(self) -> dict[str, Any]:
        return json.loads(self.line.recv(PATIENCE))

    def until(self, kind: str) -> list[dict[str, Any]]:
        """Return all frames up to one of this type."""
        frames = [self.receive()]
        while frames[-1]["type"] != kind:
            frames.append(self.receive())
        return frames

    def has_nothing(self) -> bool:
        """Tell whether nothing was sent before the answer to a ping."""
        self.send(type="ping")
        return self.receive() == {"type": "pong"}

    def ask(self, kind: str, **frame: Any) -> dict[str, Any]:
        """Send a frame and return its answer, of this type."""
        self.send(**frame)
        return self.until(kind)[-1]


def _events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in answer.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))
