"""Recognise the caller of a request by the one token of this server.

This is the seam for other ways to know callers: whatever sets `scope["seasoned.caller"]` to a
`RequestCaller` decides who they are; the parts behind it only ask `Gateway.for_request`.
"""

from collections.abc import Collection

from seasoned.core.scope import Scope
from seasoned.protocol.host.sessions import same_token
from seasoned.server.asgi import AsgiApp, AsgiScope, Receive, Send, header, refuse, trust_connection
from seasoned.server.callers import CALLER, NotAuthenticated, RequestCaller
from seasoned.server.errors import response_to
from seasoned.server.gateway import Gateway

TOKEN_HEADER = b"x-seasoned-token"
SUBPROTOCOL = "seasoned.token."  # a browser cannot give a WebSocket headers


class TokenIdentification:
    """Middleware: who shows the token is the operator of what this server serves."""

    def __init__(self, app: AsgiApp, gateway: Gateway, open_paths: Collection[str]) -> None:
        self._app = app
        self._config = gateway.config
        own = gateway.seasoned.scope
        self._operator = RequestCaller(own, Scope(own.tenant), "admin", "operator")
        self._open = frozenset(open_paths)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            if self._is_operator(scope):
                scope[CALLER] = self._operator
                trust_connection(scope)
            elif not self._is_open(scope["path"]):
                await refuse(scope, receive, send, response_to(self._stranger()))
                return
        await self._app(scope, receive, send)

    def _is_operator(self, scope: AsgiScope) -> bool:
        wanted = self._config.token
        return not wanted or any(same_token(one, wanted) for one in shown_tokens(scope))

    def _is_open(self, path: str) -> bool:
        """Tell whether a path, or one above it, answers callers that nobody knows."""
        return any(path == one or path.startswith(f"{one}/") for one in self._open)

    def _stranger(self) -> NotAuthenticated:
        place = self._config.token_place
        where = f"; it is in {place}" if place else ""
        return NotAuthenticated(
            f"send the server's token as `Authorization: Bearer TOKEN` or `X-Seasoned-Token`{where}"
        )


def shown_tokens(scope: AsgiScope) -> list[str]:
    """Return what a request shows: a bearer token, our own header, or a WebSocket's subprotocol."""
    kind, _, bearer = header(scope, b"authorization").partition(" ")
    found = [bearer.strip()] if kind.lower() == "bearer" else []
    found.append(header(scope, TOKEN_HEADER).strip())
    offered = header(scope, b"sec-websocket-protocol").split(",")
    found += [one.strip().removeprefix(SUBPROTOCOL) for one in offered if SUBPROTOCOL in one]
    return [one for one in found if one]
