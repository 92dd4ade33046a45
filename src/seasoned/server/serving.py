"""Serve the gateway on a port until told to stop; then end what runs, and lose nothing."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from typing import Any

from seasoned.api import AsyncSeasoned
from seasoned.core.extras import missing_extra
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.http_server import serve_until, server_config

try:
    from seasoned.server.application import application
    from seasoned.server.gateway import Gateway
    from seasoned.server.live.connection import SocketConnection
except ImportError as missing:
    raise missing_extra("server", "the gateway needs a web server") from missing

DRAIN_SECONDS = 20  # for requests in progress, an agent's turn among them
LAST_SECONDS = 3  # of those, for answers to leave when a turn was interrupted
FRAME_BYTES = 4 * 2**20  # of a WebSocket


async def serve_gateway(
    seasoned: AsyncSeasoned,
    config: HostConfig,
    bound: socket.socket,
    stop: asyncio.Event,
    ready: Callable[[], None] = lambda: None,
    *,
    tools: Sequence[Any] = (),
) -> None:
    """Serve until `stop` is set; then finish running turns and requests, and close the streams."""
    gateway = Gateway(seasoned, config, tools)
    server = server_config(
        application(gateway),
        gateway.connections,
        lifespan="on",
        ws=SocketConnection,
        ws_max_size=FRAME_BYTES,
        ws_per_message_deflate=False,  # its windows cost each connection 300 kB
        grace_seconds=DRAIN_SECONDS,
    )

    async def drain() -> None:
        """Let turns end while their clients listen; what else runs gets the rest of the time."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        await gateway.drain(DRAIN_SECONDS - LAST_SECONDS)
        left = DRAIN_SECONDS - (loop.time() - start)
        server.timeout_graceful_shutdown = max(LAST_SECONDS, round(left))

    await serve_until(server, bound, stop, ready, leaving=drain)
