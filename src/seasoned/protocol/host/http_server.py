"""Serve the host on a port until told to stop."""

import asyncio
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

from seasoned.core.errors import BadInput, Unsupported
from seasoned.protocol.host.host import Host

try:
    import uvicorn

    from seasoned.protocol.host.http import application
except ImportError as missing:
    raise Unsupported(
        "the learn host needs a web server; install it with: pip install 'seasoned[server]'"
    ) from missing

KEEP_ALIVE_SECONDS = 75
GRACE_SECONDS = 5
MOST_CONNECTIONS = 2000


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
    config = uvicorn.Config(
        application(host),
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
    )
    server = Server(config)
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    stopping = asyncio.create_task(stop.wait())
    try:
        while not server.started and not serving.done():  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.005)
        ready()
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        host.sessions.end_streams()
        server.should_exit = True
        await serving
    finally:
        stopping.cancel()
        bound.close()
        host.close()
