"""`seasoned host`: serve the learn protocol over HTTP or stdio."""

import logging
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.listening import (
    Http,
    NoToken,
    Token,
    described,
    listening_from,
    raise_file_limit,
    stop_on_signals,
)
from seasoned.cli.show.render import note
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    import socket

    from seasoned.protocol.host.host import Host

app = typer.Typer()


@command(app, "host")
def learn_host(
    options: Options,
    stdio: Annotated[
        bool,
        typer.Option(
            "--stdio", help="Read messages on stdin, write replies on stdout, one per line."
        ),
    ] = False,
    http: Http = None,
    token: Token = None,
    no_token: NoToken = False,
) -> None:
    """Serve only the learn protocol; `seasoned serve` has it beside everything else.

    Stops on SIGTERM and Ctrl-C (with --stdio also at the end of stdin), after finishing requests
    in progress. Logs go to stderr.
    """
    if stdio and http is not None:
        raise BadInput("--stdio and --http are mutually exclusive")
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    from seasoned.protocol.host.host_config import HostConfig

    with options.open(create=True, everyone=True) as s:
        app, scope = s.inner.app, s.inner.scope
        if stdio:  # the parent process is the agent, and shows a token only if one is wanted
            _run(app.learn_host(scope, HostConfig(token=token or "")), None)
            return
        where = listening_from(app.config, http, token, no_token=no_token)
        from seasoned.protocol.host.http_server import listening

        _run(app.learn_host(scope, where.config), listening(where.host, where.port))


def _run(host: "Host", bound: "socket.socket | None") -> None:
    import asyncio

    asyncio.run(_serve(host, bound))


async def _serve(host: "Host", bound: "socket.socket | None") -> None:
    import asyncio

    stop = asyncio.Event()
    stop_on_signals(stop)
    if bound is None:
        from seasoned.protocol.host.stdio import StdioHost

        await StdioHost(host).serve(stop)
        return
    from seasoned.protocol.host.http_server import serve

    raise_file_limit()
    said = described(bound, host.config)
    await serve(host, bound, stop, lambda: note(f"learn host on {said}"))
