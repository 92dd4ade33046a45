"""A gateway in this process on a real port, with probes: routes that show who is served as whom."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import APIRouter, Depends, Request, WebSocket, WebSocketDisconnect
from starlette.responses import StreamingResponse
from starlette.routing import BaseRoute

from seasoned import AsyncSeasoned
from seasoned.core.clock import FixedClock, SystemClock
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.http_server import listening, serve_until, server_config
from seasoned.security.api_keys import ROLES
from seasoned.server.application import PARTS, application
from seasoned.server.callers import caller_of
from seasoned.server.gateway import Gateway
from seasoned.server.identification import SUBPROTOCOL
from seasoned.server.roles import requires

TOKEN = "the-token-of-this-server-0123456789"


class Probes:
    """A part of the server whose routes say who is served."""

    def routes(self, gateway: Gateway) -> list[BaseRoute]:
        router = APIRouter(prefix="/probe")
        for role in ROLES:
            router.get(f"/{role}", dependencies=[Depends(requires(role))])(_who(gateway))

        @router.post("/rules", dependencies=[Depends(requires("operate"))])
        async def add_rule(request: Request, text: str) -> dict[str, Any]:
            s = await gateway.for_request(request)
            return {"id": (await s.teach(rule=text)).id}

        @router.get("/stream", dependencies=[Depends(requires("read"))])
        async def stream() -> StreamingResponse:
            return StreamingResponse(_ticks(), media_type="text/event-stream")

        @router.websocket("/socket", dependencies=[Depends(requires("read"))])
        async def echo(socket: WebSocket) -> None:
            offered = socket.scope["subprotocols"]
            chosen = next((one for one in offered if not one.startswith(SUBPROTOCOL)), None)
            await socket.accept(chosen)
            try:
                while True:
                    await socket.send_text(await socket.receive_text())
            except WebSocketDisconnect:
                return

        return list(router.routes)


def _who(gateway: Gateway) -> Any:
    async def who(request: Request) -> dict[str, Any]:
        s = await gateway.for_request(request)
        acts_in = s.acts_in
        return {
            "name": caller_of(request).name,
            "role": caller_of(request).role,
            "scope": list(s.scope.fields()[:3]),
            "acts_in": list(acts_in.fields()[:3]) if acts_in is not None else None,
        }

    return who


async def _ticks() -> AsyncGenerator[str]:
    while True:
        yield "data: tick\n\n"
        await asyncio.sleep(0.05)


class Probed:
    """A running gateway, and a client for it."""

    def __init__(self, port: int, seasoned: AsyncSeasoned, clock: SystemClock | FixedClock) -> None:
        self.port, self.seasoned, self.clock = port, seasoned, clock
        self.url = f"http://127.0.0.1:{port}"
        self.client = httpx.Client(base_url=self.url, timeout=30)

    def call(
        self, method: str, path: str, key: str | None = TOKEN, body: Any = None, **headers: str
    ) -> httpx.Response:
        shown = {"authorization": f"Bearer {key}"} if key is not None else {}
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.request(method, path, json=body, headers=shown | more)

    def get(self, path: str, key: str | None = TOKEN, **headers: str) -> httpx.Response:
        return self.call("GET", path, key, **headers)

    def post(
        self, path: str, key: str | None = TOKEN, body: Any = None, **headers: str
    ) -> httpx.Response:
        return self.call("POST", path, key, body, **headers)

    def key(self, role: str, name: str | None = None, tenant: str = "", **more: Any) -> str:
        """Make a key, as the operator."""
        body = {"name": name or f"{role} of {tenant} {more}"[:100], "role": role, **more}
        made = self.post(
            "/v1/keys", TOKEN, body, **({"x_seasoned_tenant": tenant} if tenant else {})
        )
        assert made.status_code == 201, made.text
        return made.json()["key"]


@contextmanager
def probed(
    home: Path,
    clock: FixedClock | None = None,
    parts: Any = None,
    config: HostConfig | None = None,
    tenant: str = "",
    variables: Mapping[str, str] | None = None,
) -> Generator[Probed]:
    """Serve a gateway with these settings from a thread of its own."""
    environment = {"SEASONED_HOME": str(home), "SEASONED_EMBEDDING__PROVIDER": "none"}
    environment |= variables or {}
    bound = listening("127.0.0.1", 0)
    seasoned = AsyncSeasoned(
        home / "seasoned.db",
        tenant=tenant,
        clock=clock,
        environment=environment,
    )
    ready, failure = threading.Event(), list[BaseException]()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        async with seasoned:
            gateway = Gateway(seasoned, config or HostConfig(TOKEN))
            app = application(gateway, parts or (*PARTS, Probes()))
            server = server_config(
                app,
                gateway.connections,
                lifespan="on",
                ws="websockets-sansio",
                grace_seconds=1,
            )
            await serve_until(server, bound, stop, ready.set, leaving=lambda: gateway.drain(1))

    def run() -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(serve())
        except BaseException as error:  # noqa: BLE001 - the test gets it
            failure.append(error)
        finally:
            ready.set()

    home.mkdir(parents=True, exist_ok=True)
    thread = threading.Thread(target=run)
    port = bound.getsockname()[1]
    thread.start()
    ready.wait(60)
    try:
        if failure:
            raise failure[0]
        there = Probed(port, seasoned, clock or SystemClock())
        try:
            yield there
        finally:
            there.client.close()
    finally:
        if not failure:
            loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        bound.close()
