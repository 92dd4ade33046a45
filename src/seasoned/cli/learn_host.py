"""`seasoned learn-host`: serve the learn protocol over HTTP or stdio."""

import logging
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import note
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    import asyncio
    import socket

    from seasoned.protocol.host.host import Host

app = typer.Typer()

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@command(app, "learn-host")
def learn_host(
    options: Options,
    stdio: Annotated[
        bool,
        typer.Option(
            "--stdio", help="Read messages on stdin, write replies on stdout, one per line."
        ),
    ] = False,
    http: Annotated[
        str | None,
        typer.Option(
            help="Address to listen on; default: server.host and server.port.",
            metavar="HOST:PORT",
            show_default=False,
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            help="Token agents must send; prefer SEASONED_SERVER__TOKEN, hidden from `ps`.",
            metavar="TOKEN",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve the learn protocol to any agent.

    Stops on SIGTERM and Ctrl-C (with --stdio also at the end of stdin), after finishing requests
    in progress. Logs go to stderr.
    """
    if stdio and http is not None:
        raise BadInput("--stdio and --http are mutually exclusive")
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    with options.open(everyone=True) as s:
        server = s.inner.app.config.settings.server
        wanted = server.token if token is None else token
        host = s.inner.app.learn_host(s.inner.scope, token=wanted)
        if stdio:
            _run(host, None)
            return
        from seasoned.protocol.host.http_server import listening

        where = address(http) if http is not None else (server.host, server.port)
        if where[0] not in LOOPBACK and not wanted:
            raise BadInput(
                f"{where[0]} is reachable from other machines and no token is set: anybody could "
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
        from seasoned.protocol.host.stdio import StdioHost

        await StdioHost(host).serve(stop)
        return
    from seasoned.protocol.host.http_server import serve

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
    """Parse HOST:PORT.

    >>> address("127.0.0.1:8420"), address("[::1]:0"), address(":8420")
    (('127.0.0.1', 8420), ('::1', 0), ('127.0.0.1', 8420))
    """
    name, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise BadInput(f"--http is {text!r}; give HOST:PORT, e.g. 127.0.0.1:8420")
    return name.strip("[]") or "127.0.0.1", int(port)
