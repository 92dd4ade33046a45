"""Serve the host on a port until told to stop."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

from seasoned.core.errors import BadInput
from seasoned.core.extras import missing_extra
from seasoned.protocol.host.host import Host

try:
    import uvicorn

    from seasoned.protocol.host.connections import Connections, LimitedConnection
    from seasoned.protocol.host.http import application
except ImportError as missing:
    raise missing_extra("server", "the learn host needs a web server") from missing

GRACE_SECONDS = 5
ACCEPTED_AT_ONCE = 32  # connections in one round of the event loop
WAITING = 2048  # connections that the system holds until they are accepted


class Server(uvicorn.Server):
    """Leaves signal handling to the caller."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def listening(address: str, port: int) -> socket.socket:
    """Bind a socket, so that a port in use is reported at once; port 0 picks a free one."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # asyncio disables Nagle's algorithm (40 ms per answer) only if the protocol is named.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((address, port))
    except (OSError, OverflowError) as error:
        bound.close()
        raise BadInput(
            f"cannot listen on {address}:{port} ({error}); choose another with --http HOST:PORT"
        ) from error
    return bound


async def serve(
    host: Host,
    bound: socket.socket,
    stop: asyncio.Event,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until `stop` is set; then finish running requests and close the streams."""

    async def end_streams() -> None:
        host.sessions.end_streams()

    connections = Connections(host.config)
    config = server_config(application(host, connections), connections, lifespan="off", ws="none")
    try:
        await serve_until(config, bound, stop, ready, leaving=end_streams)
    finally:
        host.close()


def server_config(
    app: Any, connections: Connections, *, grace_seconds: int = GRACE_SECONDS, **more: Any
) -> uvicorn.Config:
    """Configure uvicorn with our limits on connections."""
    return uvicorn.Config(
        app,
        http=partial(LimitedConnection, connections),  # pyright: ignore[reportArgumentType]
        log_config=None,
        log_level=logging.ERROR,  # strangers can cause any number of warnings
        access_log=False,
        server_header=False,
        backlog=ACCEPTED_AT_ONCE,  # asyncio takes it for both
        proxy_headers=False,
        timeout_keep_alive=int(connections.config.idle_seconds),
        timeout_graceful_shutdown=grace_seconds,
        **more,
    )


async def serve_until(
    config: uvicorn.Config,
    bound: socket.socket,
    stop: asyncio.Event,
    ready: Callable[[], None] = lambda: None,
    *,
    leaving: Callable[[], Awaitable[object]],
) -> None:
    """Serve until `stop` is set; then await `leaving`, and finish the requests in progress."""
    server = Server(config)
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    stopping = asyncio.create_task(stop.wait())
    try:
        while not server.started and not serving.done():  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.005)
        if not serving.done():
            bound.listen(WAITING)
            ready()
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        await leaving()
        server.should_exit = True
        await serving
    finally:
        stopping.cancel()
        bound.close()
