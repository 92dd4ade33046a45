"""Every route of the gateway says which role its callers need."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from tests.server.auth.probing import probed
from websockets.asyncio.client import connect

from seasoned import AsyncSeasoned
from seasoned.server.application import PARTS, routed
from seasoned.server.desk.pages import PAGES
from seasoned.server.gateway import Gateway
from seasoned.server.roles import requires

# Who needs no role: health for supervisors, the ways to log in, the documentation, the desk's page
# and files, and the learn protocol, whose handshake takes the server's token.
OPEN = {
    *("/health", *PAGES[1:], "/assets"),
    *("/auth/login", "/auth/callback", "/auth/logout", "/auth/session"),
    *("/docs", "/openapi.json"),
    *("/session", "/send", "/stream"),
}
# Plain routes, which check the role themselves; each has a test of it.
CHECKED = {
    *("/ws", "/mcp", "/hooks/{host}", "/metrics"),
    *("/openai", "/anthropic", "/gemini", "/p", "/t"),
    *("/channels/slack", "/channels/hook"),  # signed requests of platforms
}
CHECK = requires("read").__qualname__


def declares(route: Any) -> bool:
    """Whether a dependency of a route asks for a role."""
    return any(getattr(one.call, "__qualname__", "") == CHECK for one in dependencies(route))


def dependencies(route: Any) -> Iterator[Any]:
    waiting = list(getattr(getattr(route, "dependant", None), "dependencies", ()))
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.dependencies


async def undeclared(parts: Iterable[Any]) -> set[str]:
    async with AsyncSeasoned(":memory:", environment={"SEASONED_HOME": "/nowhere/at/all"}) as s:
        app = routed(Gateway(s), parts)
        paths = {getattr(one, "path", repr(one)) for one in app.routes if not declares(one)}
    known = {*OPEN, *CHECKED}
    left = {one for one in paths if not any(f"{one}/".startswith(f"{name}/") for name in known)}
    return left - {"/"}


def test_every_route_names_its_role() -> None:
    found = asyncio.run(undeclared(PARTS))
    assert not found, f"{found} need `Depends(requires(...))`, or a reason in OPEN"


def test_a_route_without_a_role_is_noticed() -> None:
    class Careless:
        def routes(self, gateway: Gateway) -> list[BaseRoute]:
            async def everything(request: Request) -> JSONResponse:
                return JSONResponse({})

            return [Route("/v1/everything", everything)]

    assert asyncio.run(undeclared((*PARTS, Careless()))) == {"/v1/everything"}


def test_plain_routes_check_the_role_too(tmp_path: Path) -> None:
    hook = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/", "source": "startup"}
    with probed(tmp_path, parts=PARTS) as gateway:
        reader, learner = gateway.key("read"), gateway.key("learn")
        asked: tuple[tuple[str, dict[str, str]], ...] = (
            *(("/v1/chat", {"message": "hello"}), ("/hooks/claude-code", hook)),
            *(
                ("/openai/v1/chat/completions", {}),
                ("/v1/chat/one/approvals/x", {"answer": "allow"}),
            ),
        )
        for path, body in asked:
            answer = gateway.post(path, reader, body)
            assert answer.status_code == 403, (path, answer.text)
            assert "role" in answer.text
        assert gateway.get("/metrics", learner).status_code == 403
        assert gateway.post("/hooks/claude-code", learner, hook).status_code == 200
        assert (
            gateway.post("/v1/chat/one/approvals/x", learner, {"answer": "allow"}).status_code
            == 403
        )
        for key, kind, refused in (
            *((reader, "message", True), (reader, "approve", True), (reader, "ping", False)),
            *((learner, "message", False), (learner, "approve", True)),
        ):
            frame = {
                "type": kind,
                "session": "one",
                "text": "hello",
                "request": "x",
                "answer": "allow",
            }
            said = asyncio.run(_told(gateway.port, key, frame))
            told = said["type"] == "refused" and said["error"]["type"] == "NotAllowed"
            assert told == refused, (kind, said)


async def _told(port: int, key: str, frame: dict[str, Any]) -> dict[str, Any]:
    shown = {"authorization": f"Bearer {key}"}
    async with connect(f"ws://127.0.0.1:{port}/ws", additional_headers=shown) as socket:
        await socket.send(json.dumps(frame))
        return json.loads(await socket.recv())
