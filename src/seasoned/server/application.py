"""Join the parts of the server into one ASGI application.

A part is a module with `routes(gateway)`. It may also have `lifespan(gateway)`, an async context
manager that is open while the server runs, and `OPEN`, the paths that answer callers without a
token (with everything below them); those paths decide themselves whom they serve.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Protocol, cast

from fastapi import FastAPI
from starlette.routing import BaseRoute

from seasoned import __version__
from seasoned.server import health, learn_protocol
from seasoned.server.asgi import AsgiApp
from seasoned.server.bodies import LimitedBodies
from seasoned.server.docs import part as docs
from seasoned.server.door import Door
from seasoned.server.errors import add_handlers
from seasoned.server.gateway import Gateway
from seasoned.server.identification import TokenIdentification
from seasoned.server.rest import part as rest


class Part(Protocol):
    """A module of the server."""

    def routes(self, gateway: Gateway, /) -> Sequence[BaseRoute]: ...


class PartLifespan(Protocol):
    """Opened when the server starts, closed when it has answered its last request."""

    def __call__(self, gateway: Gateway, /) -> AbstractAsyncContextManager[object]: ...


PARTS: tuple[Part, ...] = (health, learn_protocol, rest, docs)


def application(gateway: Gateway, parts: Iterable[Part] = PARTS) -> AsgiApp:
    """Build the ASGI application of a gateway."""
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
    open_paths = [path for part in joined for path in getattr(part, "OPEN", ())]
    limited = LimitedBodies(app, gateway)
    return Door(TokenIdentification(limited, gateway, open_paths), gateway)
