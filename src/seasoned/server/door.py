"""The door: requests get an id; those of web pages and for other hosts' names are refused.

Pages of the origins in `server.origins` may call, with a key and without cookies (CORS).
"""

import re
import secrets
from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

from starlette.responses import Response

from seasoned.core.errors import ConfigError
from seasoned.protocol.host.admission import Turnstile
from seasoned.protocol.host.callers import CallerCheck
from seasoned.server.asgi import (
    AsgiApp,
    AsgiScope,
    Message,
    Receive,
    Send,
    connection_of,
    header,
    refuse,
)
from seasoned.server.errors import STOPPING, error_response, unexpected_response
from seasoned.server.gateway import Gateway

REQUEST_ID = "seasoned.request_id"  # key of the ASGI scope
WHILE_STOPPING = ("/health", "/v1/chat/")  # a running turn may still ask for approval
GIVEN_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)
Headers = list[tuple[bytes, bytes]]

# On every answer, unless a part says otherwise itself.
PROTECTION: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": "authorization, content-type, if-match, if-none-match, "
    "x-request-id, x-seasoned-token, x-seasoned-tenant, x-seasoned-project, x-seasoned-user, "
    "x-seasoned-session",
    "access-control-max-age": "600",
}
EXPOSED = b"etag, link, retry-after, x-request-id"


class Door:
    """The outermost middleware; lets strangers wait for known callers."""

    def __init__(self, app: AsgiApp, gateway: Gateway, visited: Collection[str] = ()) -> None:
        self._app = app
        self._gateway = gateway
        origins = list(listed_origins(gateway.settings.server.origins))
        self._check = CallerCheck(gateway.config.names, origins)
        self._visited = frozenset(visited)  # pages that people open from other pages
        self._turnstile = Turnstile(gateway.config.strangers_a_round)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = connection_of(scope)
        if connection is not None and not connection.is_members:
            await self._turnstile()
        given = header(scope, b"x-request-id")
        name = given if GIVEN_ID.fullmatch(given) else secrets.token_hex(8)
        scope[REQUEST_ID] = name
        origin = header(scope, b"origin").encode("latin-1")
        listed = origin if origin in self._check.origins else b""
        told = _with_headers(send, [(b"x-request-id", name.encode("ascii")), *_cors(listed)])
        complaint = self._check.complaint(scope["headers"], is_visit=self._is_visit(scope))
        if complaint:
            self._gateway.connections.refused["callers"] += 1
            answer = error_response(403, "NotAllowed", complaint, {"connection": "close"})
            await refuse(scope, receive, told, answer)
            return
        if self._gateway.draining and not scope["path"].startswith(WHILE_STOPPING):
            closing = error_response(503, "Stopping", STOPPING, {"connection": "close"})
            await refuse(scope, receive, told, closing)
            return
        if listed and is_preflight(scope):
            await Response(None, 204, PREFLIGHT)(scope, receive, told)
            return
        await self._answer(scope, receive, told)

    def _is_visit(self, scope: AsgiScope) -> bool:
        """Whether a person opens one of the pages that may be linked from elsewhere."""
        return (
            self._may_be_linked(scope["path"])
            and scope.get("method") == "GET"
            and header(scope, b"sec-fetch-mode") == "navigate"
            and header(scope, b"sec-fetch-dest") == "document"
            and not header(scope, b"origin")
        )

    def _may_be_linked(self, path: str) -> bool:
        below = path[: path.find("/", 1) + 1]  # "/lessons/" of /lessons/k3x9
        return path in self._visited or below in self._visited

    async def _answer(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer with an error whatever fails outside of the application's own handlers."""
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - the sender gets an answer, the log the trace
            answer = unexpected_response(scope.get("method", "WS"), scope["path"], error)
            if not begun:
                await refuse(scope, receive, send, answer)


def listed_origins(text: str) -> Iterable[str]:
    """Read `server.origins`.

    >>> list(listed_origins("https://app.example.com, http://localhost:3000"))
    ['https://app.example.com', 'http://localhost:3000']
    """
    for one in filter(None, (part.strip() for part in text.split(","))):
        parts = urlsplit(one)
        whole = f"{parts.scheme}://{parts.netloc}"
        if parts.scheme not in ("http", "https") or not parts.netloc or one != whole.lower():
            raise ConfigError(
                f"server.origins has {one!r}; write whole origins, such as https://app.example.com"
            )
        yield one


def is_preflight(scope: AsgiScope) -> bool:
    """Whether a browser asks if a page may send the request that it means."""
    asked = header(scope, b"access-control-request-method")
    return scope.get("method") == "OPTIONS" and bool(asked)


def _cors(origin: bytes) -> Headers:
    if not origin:
        return []
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", EXPOSED),
        (b"cross-origin-resource-policy", b"cross-origin"),
        (b"vary", b"Origin"),
    ]


def _with_headers(send: Send, added: Headers) -> Send:
    """Add headers to an answer, and the protection that it does not have yet."""

    async def sending(message: Message) -> None:
        kind = message["type"]
        if kind in ("http.response.start", "websocket.http.response.start"):
            headers: Headers = list(message.get("headers", ()))
            # A provider's answer has an id of its own.
            named = {name.lower() for name, _ in headers}
            wanted = [*added, *PROTECTION]
            message["headers"] = [*headers, *(one for one in wanted if one[0] not in named)]
        elif kind == "websocket.accept":
            message["headers"] = [*message.get("headers", ()), *added]
        await send(message)

    return sending
