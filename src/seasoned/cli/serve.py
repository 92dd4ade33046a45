"""`seasoned serve`: the gateway, everything on one port."""

import logging
import sys
from typing import TYPE_CHECKING

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.desk.address import desk_address
from seasoned.cli.listening import (
    Http,
    Listening,
    NoToken,
    Token,
    described,
    listening_from,
    raise_file_limit,
    stop_on_signals,
    use_few_arenas,
)
from seasoned.cli.show.render import note
from seasoned.cli.vault_access import unlock
from seasoned.cli.worker import start_jobs
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    import socket

    from seasoned.api import AsyncSeasoned

app = typer.Typer()


@command(app, "serve")
def serve(
    options: Options, http: Http = None, token: Token = None, no_token: NoToken = False
) -> None:
    """Serve agents in any language: chat, REST, WebSocket and the learn protocol on one port.

    Stops on SIGTERM and Ctrl-C, after finishing requests in progress. Logs go to stderr.
    """
    import asyncio
    import gc

    gc.disable()  # while it loads: a sixth of the start would be looking for garbage
    from seasoned.api import AsyncSeasoned
    from seasoned.cli.place import place_of
    from seasoned.core.scope import Scope

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    logging.getLogger("seasoned.jobs").setLevel(logging.INFO)  # where `deliver: log` writes
    unlock()
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

    with listening(where.host, where.port) as bound:
        asyncio.run(_serve(seasoned, where, bound))


async def _serve(seasoned: "AsyncSeasoned", where: "Listening", bound: "socket.socket") -> None:
    import asyncio

    from seasoned.server.serving import serve_gateway

    stop = asyncio.Event()
    stop_on_signals(stop)
    raise_file_limit()
    use_few_arenas()
    said = described(bound, where.config)
    async with seasoned:
        if where.needs_keys:
            await _require_callers(seasoned, where.host)
        jobs = start_jobs(seasoned, stop)
        try:
            await serve_gateway(seasoned, where.config, bound, stop, lambda: _tell(said, bound))
        finally:
            stop.set()
            await jobs


def _tell(said: str, bound: "socket.socket") -> None:
    import gc

    gc.freeze()  # modules and routes stay until the end
    gc.enable()
    host, port, *_ = bound.getsockname()
    note(f"gateway on {said}\ndesk on {desk_address(host, port)} (`seasoned desk` opens it)")


async def _require_callers(seasoned: "AsyncSeasoned", host: str) -> None:
    """Refuse to listen for other machines before anybody was given a key."""
    app = seasoned.app
    if app.config.settings.auth.oidc_issuer or await app.unit.run(app.keys.any_usable()):
        return
    raise BadInput(
        f"{host} is reachable from other machines, and nobody has a key yet; make one with "
        "`seasoned keys create NAME --role learn`, set auth.oidcIssuer or SEASONED_SERVER__TOKEN, "
        "or listen on 127.0.0.1"
    )
