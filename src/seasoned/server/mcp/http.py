"""The route `/mcp`; the SDK, which takes 15 MB, is loaded by the first request."""

import asyncio
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute, Route

from seasoned.server.asgi import AsgiScope, Receive, Send
from seasoned.server.gateway import Gateway

if TYPE_CHECKING:
    from seasoned.server.mcp.endpoint import McpEndpoint

PATH = "/mcp"


def routes(gateway: Gateway) -> list[BaseRoute]:
    return [Route(PATH, endpoint=LateEndpoint(gateway))]


class LateEndpoint:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._loading = asyncio.Lock()
        self._loaded: McpEndpoint | None = None

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        async with self._loading:
            if self._loaded is None:  # in a thread: other requests are answered meanwhile
                self._loaded = await asyncio.to_thread(self._load)
        await self._loaded(scope, receive, send)

    def _load(self) -> "McpEndpoint":
        from seasoned.server.mcp.endpoint import McpEndpoint

        return McpEndpoint(self._gateway)
