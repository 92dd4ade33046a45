"""The server's end of a WebSocket: counted, and ended for good when its client does not read."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

SOCKET = "seasoned.socket"  # among the extensions of the ASGI scope
CLOSE_SECONDS = 10.0  # for a client to take the last bytes
MOST_SOCKETS = 5000


class SocketConnection(WebSocketsSansIOProtocol):
    """uvicorn's connection, which would wait forever for a client that takes no bytes."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        scope: Any = getattr(self, "scope", None)
        if scope is not None:
            scope["extensions"][SOCKET] = self

    def start_keepalive(self) -> None:
        super().start_keepalive()
        # The handshake is over. What it held would stay as long as the connection: 4 kB.
        self.request = self.response = cast("Any", None)

    async def run_asgi(self) -> None:
        try:
            await super().run_asgi()
        finally:
            self.loop.call_later(CLOSE_SECONDS, self.transport.abort)

    def abort(self) -> None:
        """End at once, and drop what the client did not take."""
        self.transport.abort()


def abort(socket: WebSocket) -> None:
    """End the connection of a WebSocket whose client does not read."""
    connection: SocketConnection | None = socket.scope["extensions"].get(SOCKET)
    if connection is not None:
        connection.abort()


class Sockets:
    """The open WebSockets of a gateway, as a number."""

    def __init__(self, most: int = MOST_SOCKETS) -> None:
        self.open = 0
        self.dropped = 0  # because they read too slowly
        self._most = most

    @contextmanager
    def counted(self) -> Generator[None]:
        self.open += 1
        try:
            yield
        finally:
            self.open -= 1

    @property
    def is_full(self) -> bool:
        return self.open >= self._most
