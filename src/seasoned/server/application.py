"""Join the parts of the server into one ASGI application.

A part is a module with `routes(gateway)`. It may also have `lifespan(gateway)`, an async context
manager that is open while the server runs, and `OPEN`, the paths that answer callers without a
token (with everything below them); those paths decide themselves whom they serve. `VISITED` are the
pages that a person may open by a link on another site.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Protocol, cast

from fastapi import FastAPI
from starlette.routing import BaseRoute, Router, WebSocketRoute

from seasoned import __version__
from seasoned.server import channels, health, hooks, learn_protocol, metrics, proxies
from seasoned.server.asgi import AsgiApp, AsgiScope, Receive, Send
from seasoned.server.auth import keys, login
from seasoned.server.auth.identification import Identification
from seasoned.server.bodies import LimitedBodies
from seasoned.server.desk import pages as desk
from seasoned.server.docs import part as docs
from seasoned.server.door import Door
from seasoned.server.errors import add_handlers
from seasoned.server.gateway import Gateway
from seasoned.server.live import chat, socket
from seasoned.server.mcp import http as mcp_http
from seasoned.server.rest import part as rest


class Part(Protocol):
    """A module of the server."""

    def routes(self, gateway: Gateway, /) -> Sequence[BaseRoute]: ...


class PartLifespan(Protocol):
    """Opened when the server starts, closed when it has answered its last request."""

    def __call__(self, gateway: Gateway, /) -> AbstractAsyncContextManager[object]: ...


PARTS: tuple[Part, ...] = (
    desk,  # first: browsers that ask for /health get its page
    *(health, metrics, learn_protocol, hooks, login, keys),
    *(rest, docs, chat, socket, mcp_http, proxies),
    channels,  # last: closed first, while the agents still answer
)


def application(gateway: Gateway, parts: Iterable[Part] = PARTS) -> AsgiApp:
    """Build the ASGI application of a gateway."""
    joined = tuple(parts)
    open_paths = [path for part in joined for path in getattr(part, "OPEN", ())]
    visited = [path for part in joined for path in getattr(part, "VISITED", ())]
    app = routed(gateway, joined)
    limited = LimitedBodies(_with_sockets(app), gateway)
    door = Door(Identification(limited, gateway, open_paths), gateway, visited)
    return metrics.Measured(door, gateway, app.router.routes)


def _with_sockets(app: FastAPI) -> AsgiApp:
    """Answer WebSockets beside FastAPI, whose layers would cost each of them 10 kB of memory."""
    sockets = Router([one for one in app.router.routes if isinstance(one, WebSocketRoute)])

    async def dispatch(scope: AsgiScope, receive: Receive, send: Send) -> None:
        await (sockets if scope["type"] == "websocket" else app)(scope, receive, send)

    return dispatch


def routed(gateway: Gateway, parts: Iterable[Part] = PARTS) -> FastAPI:
    """Join the routes of the parts, without the middleware that knows callers."""
    joined = tuple(parts)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            for part in joined:
                opened = cast("PartLifespan | None", getattr(part, "lifespan", None))
                if opened is not None:
                    await stack.enter_async_context(opened(gateway))
            yield

    app = FastAPI(
        title="Seasoned",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.gateway = gateway
    add_handlers(app)
    for part in joined:
        app.router.routes.extend(part.routes(gateway))
    return app
