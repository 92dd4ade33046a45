"""Types and small answers for middleware that speaks plain ASGI."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast

from starlette.responses import Response

from seasoned.protocol.host.connections import LimitedConnection

AsgiScope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[AsgiScope, Receive, Send], Awaitable[None]]

REFUSED = 1008  # close code of a WebSocket: policy


def header(scope: AsgiScope, name: bytes) -> str:
    """Return a header of a request; empty if it has none."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    return next((value.decode("latin-1") for key, value in headers if key == name), "")


async def refuse(scope: AsgiScope, receive: Receive, send: Send, response: Response) -> None:
    """Answer a request, or the opening of a WebSocket, that goes no further."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope["extensions"]:
        await send({"type": "websocket.close", "code": REFUSED})
        return
    await response(scope, receive, send)


def connection_of(scope: AsgiScope) -> LimitedConnection | None:
    """Return the connection of a request; a WebSocket has none of ours any more."""
    extensions = cast("dict[str, Any]", scope.get("extensions") or {})
    return extensions.get("seasoned.connection")


def trust_connection(scope: AsgiScope) -> None:
    """Tell the connection of a request that a known caller uses it."""
    connection = connection_of(scope)
    if connection is not None:
        connection.trust()
