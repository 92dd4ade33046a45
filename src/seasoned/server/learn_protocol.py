"""The learn protocol on the gateway's port: `POST /session`, `GET /stream`, `POST /send`.

The host knows its agents by its own handshake, so these paths are open at the door.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.routing import BaseRoute

from seasoned.protocol.host.http import learn_routes
from seasoned.server.gateway import Gateway

OPEN = ("/session", "/stream", "/send")


def routes(gateway: Gateway) -> list[BaseRoute]:
    return list(learn_routes(gateway.host, gateway.connections))


@asynccontextmanager
async def lifespan(gateway: Gateway) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        gateway.host.close()
