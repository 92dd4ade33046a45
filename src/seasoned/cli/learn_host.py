"""`seasoned learn-host`: serves the learn protocol, on a port or on stdin and stdout."""

import logging
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import note
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    import asyncio
    import socket

    from seasoned.protocol.host import Host

app = typer.Typer()

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@command(app, "learn-host")
def learn_host(
    options: Options,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Messages on stdin, replies on stdout, one a line.")
    ] = False,
    http: Annotated[
        str | None,
        typer.Option(
            help="Where to listen; server.host and server.port say so otherwise.",
            metavar="HOST:PORT",
            show_default=False,
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            help="What agents must show; better set SEASONED_SERVER__TOKEN, which nobody sees.",
            metavar="TOKEN",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve the learn protocol, so that agents of any make can teach and ask.

    Ends on SIGTERM and Ctrl-C (and with --stdio when stdin ends), once what was begun is done.
    Logs go to stderr.
    """
    if stdio and http is not None:
        raise BadInput("--stdio and --http exclude each other; choose one")
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    with options.open() as s:
        server = s.inner.app.config.settings.server
        wanted = server.token if token is None else token
        host = s.inner.app.learn_host(s.inner.scope, token=wanted)
        if stdio:
            _run(host, None)
            return
        from seasoned.protocol.http_server import listening

        where = address(http) if http is not None else (server.host, server.port)
        if where[0] not in LOOPBACK and not wanted:
            raise BadInput(
                f"{where[0]} can be reached from elsewhere, and there is no token: anybody could "
                "teach; set SEASONED_SERVER__TOKEN, or listen on 127.0.0.1"
            )
        _run(host, listening(*where))


def _run(host: "Host", bound: "socket.socket | None") -> None:
    import asyncio

    asyncio.run(_serve(host, bound))


async def _serve(host: "Host", bound: "socket.socket | None") -> None:
    import asyncio

    stop = asyncio.Event()
    _stop_on_signals(stop)
    if bound is None:
        from seasoned.protocol.stdio import StdioHost

        await StdioHost(host).serve(stop)
        return
    from seasoned.protocol.http_server import serve

    name, port, *_ = bound.getsockname()
    shown = f"[{name}]" if ":" in name else name
    await serve(host, bound, stop, lambda: note(f"learn host on http://{shown}:{port}"))


def _stop_on_signals(stop: "asyncio.Event") -> None:
    import asyncio
    import signal

    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(each, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(each, lambda number, frame: _soon(loop, stop))


def _soon(loop: "asyncio.AbstractEventLoop", stop: "asyncio.Event") -> None:
    loop.call_soon_threadsafe(stop.set)


def address(text: str) -> tuple[str, int]:
    """Host and port.

    >>> address("127.0.0.1:8420"), address("[::1]:0"), address(":8420")
    (('127.0.0.1', 8420), ('::1', 0), ('127.0.0.1', 8420))
    """
    name, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise BadInput(f"--http is {text!r}; give HOST:PORT, as 127.0.0.1:8420")
    return name.strip("[]") or "127.0.0.1", int(port)
