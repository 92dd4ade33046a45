"""Every route of the gateway says which role its callers need."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from seasoned import AsyncSeasoned
from seasoned.server.application import PARTS, routed
from seasoned.server.gateway import Gateway
from seasoned.server.roles import requires

# Who needs no role: health for supervisors, the ways to log in, the documentation, and the learn
# protocol, whose handshake takes the server's token.
OPEN = {
    *("/health/live", "/health/ready"),
    *("/auth/login", "/auth/callback", "/auth/logout", "/auth/session"),
    *("/docs", "/openapi.json"),
    *("/session", "/send", "/stream"),
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
    return {one for one in paths if not any(f"{one}/".startswith(f"{name}/") for name in OPEN)}


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
