"""`seasoned mcp`: the MCP server on stdin and stdout, for one assistant."""

import logging
import sys
from typing import TYPE_CHECKING

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.listening import stop_on_signals

if TYPE_CHECKING:
    from seasoned.api.async_seasoned import AsyncSeasoned

app = typer.Typer()


@command(app, "mcp")
def mcp(options: Options) -> None:
    """Serve an assistant over MCP, on stdin and stdout: recall, report, correct, teach, why.

    An assistant starts it by itself: `claude mcp add seasoned -- seasoned mcp`. It works on the
    lessons of the folder's project and of the system's user, unless --project or --user say
    otherwise. `seasoned serve` has the same over HTTP, at /mcp.
    """
    import asyncio

    from seasoned.cli.place import place_of
    from seasoned.core.extras import missing_extra

    url = place_of(options.database, create=True).url
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    try:
        import mcp as _  # noqa: F401 - only to see whether it is there
    except ImportError as missing:
        raise missing_extra("server", "MCP needs its library") from missing
    asyncio.run(_serve(options, url))


async def _serve(options: Options, url: str) -> None:
    """Answer at once; the first call opens the database: assistants wait for a server to start."""
    import asyncio

    from seasoned.api.async_seasoned import AsyncSeasoned
    from seasoned.server.mcp.pipe import own_pipe
    from seasoned.server.mcp.server import mcp_server
    from seasoned.server.mcp.visitor import RequestContext, Visitor, only_visitor

    seasoned = AsyncSeasoned(url, tenant=options.tenant or "")  # the rest is settled later
    stop, opening = asyncio.Event(), asyncio.Lock()
    find, settled = only_visitor(seasoned), False

    async def visitor(ctx: RequestContext) -> Visitor:
        nonlocal settled
        async with opening:  # a failure is told to the caller, and the next call tries again
            if not settled:
                await _settle(seasoned, options)
                settled = True
        return await find(ctx)

    stop_on_signals(stop)
    try:
        with own_pipe() as pipe:
            await pipe.serve(mcp_server(visitor), stop)
    finally:
        await seasoned.close()


async def _settle(seasoned: "AsyncSeasoned", options: Options) -> None:
    """Find the scope as `seasoned learn` does for an assistant's sessions: folder and user."""
    from dataclasses import replace

    from seasoned.cli.scope import current_folder
    from seasoned.config import system_user
    from seasoned.transcripts.projects import chosen_project, project_for

    known = (await seasoned.known_scopes()).projects
    project = (
        project_for(current_folder(), known)
        if options.project is None
        else chosen_project(options.project, known)
    )
    user = system_user() if options.user is None else options.user
    seasoned.scope = replace(seasoned.scope, project=project, user=user)
