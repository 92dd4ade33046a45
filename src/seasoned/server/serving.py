"""Serve the gateway on a port until told to stop; then end what runs, and lose nothing."""

import asyncio
import socket
from collections.abc import Callable

from seasoned.api import AsyncSeasoned
from seasoned.core.extras import missing_extra
from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.http_server import serve_until, server_config

try:
    from seasoned.server.application import application
    from seasoned.server.gateway import Gateway
except ImportError as missing:
    raise missing_extra("server", "the gateway needs a web server") from missing

DRAIN_SECONDS = 20  # for requests in progress, an agent's turn among them


async def serve_gateway(
    seasoned: AsyncSeasoned,
    config: HostConfig,
    bound: socket.socket,
    stop: asyncio.Event,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until `stop` is set; then finish running requests and close the streams."""
    gateway = Gateway(seasoned, config)
    server = server_config(
        application(gateway),
        gateway.connections,
        lifespan="on",
        ws="websockets-sansio",
        server_header=False,  # a provider's answer has its own
        ws_per_message_deflate=False,  # its windows cost each connection 300 kB
        grace_seconds=DRAIN_SECONDS,
    )
    await serve_until(server, bound, stop, ready, leaving=gateway.drain)
