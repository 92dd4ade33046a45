"""`seasoned serve`: the gateway, everything on one port."""

import logging
import sys
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    import socket

    from seasoned.api import AsyncSeasoned
    from seasoned.protocol.host.host_config import HostConfig

app = typer.Typer()


@command(app, "serve")
def serve(
    options: Options, http: Http = None, token: Token = None, no_token: NoToken = False
) -> None:
    """Serve agents in any language: chat, REST, WebSocket and the learn protocol on one port.

    Stops on SIGTERM and Ctrl-C, after finishing requests in progress. Logs go to stderr.
    """
    import asyncio

    from seasoned.api import AsyncSeasoned
    from seasoned.cli.place import place_of
    from seasoned.core.scope import Scope

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    tenant = options.tenant or ""
    seasoned = AsyncSeasoned(
        place_of(options.database, create=True).url,
        acts_in=Scope(tenant),
        tenant=tenant,
        project=options.project or "",
        user=options.user or "",
    )
    where = listening_from(seasoned.app.config, http, token, no_token=no_token)
    from seasoned.protocol.host.http_server import listening

    asyncio.run(_serve(seasoned, where.config, listening(where.host, where.port)))


async def _serve(seasoned: "AsyncSeasoned", config: "HostConfig", bound: "socket.socket") -> None:
    import asyncio

    from seasoned.server.serving import serve_gateway

    stop = asyncio.Event()
    stop_on_signals(stop)
    raise_file_limit()
    said = described(bound, config)
    async with seasoned:
        await serve_gateway(seasoned, config, bound, stop, lambda: note(f"gateway on {said}"))
