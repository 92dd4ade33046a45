"""`POST /hooks/{host}`: hooks of coding assistants that call an address instead of a command.

Same events, same answers as through the local service; an answer without news is `{}`.
"""

from collections import OrderedDict
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from seasoned.assistants.client import FOLDER
from seasoned.assistants.hosts import HOSTS
from seasoned.config import system_user
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.safe_json import decode
from seasoned.core.scope import Scope
from seasoned.server.gateway import Gateway
from seasoned.server.roles import check_role
from seasoned.transcripts.formats.shapes import mapping

if TYPE_CHECKING:
    from seasoned.assistants.handler import HookHandler

MOST_CALLERS = 100
LOOPBACK = ("127.0.0.1", "::1")


def routes(gateway: Gateway) -> list[BaseRoute]:
    handlers: OrderedDict[Scope, HookHandler] = OrderedDict()

    async def hook(request: Request) -> JSONResponse:
        host = request.path_params["host"]
        if host not in HOSTS:
            raise NotFound(f"no assistant {host!r}; there are {', '.join(HOSTS)}")
        check_role(request, "learn")
        try:
            payload = mapping(decode((await request.body()).decode("utf-8", "replace")))
        except ValueError as error:
            raise BadInput(f"the body is no JSON ({error}); send the event as an object") from error
        if not payload:
            raise BadInput("the body is no event; send it as a JSON object")
        handler = await handler_of(request)
        event = request.query_params.get("event", "")
        return JSONResponse(dict(await handler.answer(host, event, payload) or {}))

    async def handler_of(request: Request) -> "HookHandler":
        """Return the handler of a caller: sessions of different callers may have one name."""
        seasoned = await gateway.for_request(request)
        if seasoned.scope not in handlers:
            local = request.client is not None and request.client.host in LOOPBACK
            person = seasoned.scope.user or (system_user() if local else "")
            folder = seasoned.app.config.home / FOLDER
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            from seasoned.assistants.handler import HookHandler  # late: it loads slowly

            handlers[seasoned.scope] = HookHandler(seasoned, folder, person=person, local=local)
            if len(handlers) > MOST_CALLERS:
                handlers.popitem(last=False)
        handlers.move_to_end(seasoned.scope)
        return handlers[seasoned.scope]

    return [Route("/hooks/{host}", hook, methods=["POST"])]
