"""MCP over streamable HTTP, at `/mcp` of the gateway: each request acts for its own caller.

No session is kept in memory: a client gets an id when it begins, and every request brings it along.
So a client survives a restart of the server, and any number of them costs nothing. The server never
speaks first, hence there is no stream to read (405 for GET).
"""

from typing import Any, cast

from mcp.server.context import CallNext, HandlerResult
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response

from seasoned.server.asgi import AsgiScope, Message, Receive, Send
from seasoned.server.callers import caller_of
from seasoned.server.errors import error_response
from seasoned.server.gateway import Gateway
from seasoned.server.mcp.server import mcp_server
from seasoned.server.mcp.visitor import (
    RequestContext,
    Visitor,
    client_name,
    new_session,
    readable,
)

SESSION_HEADER = "mcp-session-id"
BEGUN = "seasoned.mcp_session"  # key of the ASGI scope: the session that a request began
LONGEST_SESSION = 200  # characters


class McpEndpoint:
    """Answers the requests of all clients."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._server = mcp_server(self._visitor)
        self._server.middleware.append(_begin_session)
        self._most = gateway.settings.server.body_megabytes * 2**20

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        method = scope["method"]
        if method == "POST":
            await self._answer(scope, receive, send)
        elif method == "DELETE":
            await (await self._end(Request(scope, receive)))(scope, receive, send)
        else:
            text = f"{method} is of no use here: this server only answers; use POST"
            refused = error_response(405, "HTTPError", text, {"allow": "POST, DELETE"})
            await refused(scope, receive, send)

    async def _answer(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            begun = scope.get(BEGUN)
            if message["type"] == "http.response.start" and begun:
                header = (SESSION_HEADER.encode(), begun.encode())
                message["headers"] = [*message.get("headers", ()), header]
            await send(message)

        manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=self._most
        )
        async with manager.run():
            await manager.handle_request(scope, receive, sending)

    async def _end(self, request: Request) -> Response:
        """End a session, so that it is learned from as a whole."""
        session = _named_session(request)
        if not session:
            return error_response(400, "BadInput", f"name the session in {SESSION_HEADER}")
        seasoned = await self._gateway.for_request(request)
        await seasoned.end(session=session)
        return Response(status_code=200)

    async def _visitor(self, ctx: RequestContext) -> Visitor:
        request = cast("Request", ctx.request)
        seasoned = await self._gateway.for_request(request)
        session = (
            seasoned.default_session
            if request.headers.get("x-seasoned-session")
            else _named_session(request) or "-".join(filter(None, ("mcp", client_name(ctx))))
        )
        return Visitor(seasoned, session, may_learn=caller_of(request).role != "read")


async def _begin_session(ctx: RequestContext, call_next: CallNext) -> HandlerResult:
    """Give a client that says hello the id of its session."""
    result = await call_next(ctx)
    if ctx.method == "initialize" and ctx.request is not None:
        request: Request = ctx.request
        request.scope[BEGUN] = new_session(_introduced(ctx.params))
    return result


def _introduced(params: Any) -> str:
    """Return the name in a hello, which was validated before."""
    return readable(str(params["clientInfo"]["name"]))


def _named_session(request: Request) -> str:
    return request.headers.get(SESSION_HEADER, "").strip()[:LONGEST_SESSION]
