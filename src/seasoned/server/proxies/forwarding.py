"""Pass requests on to a provider and its responses back; the companion looks on.

Nothing is held up: a stream passes chunk by chunk, and a copy is read when it has passed. What the
client sends and gets is changed by the companion's insertions alone.
"""

import asyncio
import logging
from dataclasses import dataclass

from starlette.responses import Response

from seasoned.core.errors import SeasonedError, Unreachable
from seasoned.protocol.host.sessions import same_token
from seasoned.security.api_keys import is_key
from seasoned.server.asgi import AsgiScope, Receive, Send, connection_of, header
from seasoned.server.callers import CALLER
from seasoned.server.errors import response_to
from seasoned.server.gateway import Gateway
from seasoned.server.proxies.admission import Admission
from seasoned.server.proxies.upstream import Broken, Headers, Upstream, UpstreamConnection
from seasoned.wire.companion import Companion, Passage, WireFormat
from seasoned.wire.response_copy import ResponseCopy, readable_encodings

log = logging.getLogger("seasoned.server")

HOP_BY_HOP = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization"),
        *(b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"),
    }
)
# Answered or written anew here.
OWN_REQUEST = HOP_BY_HOP | {b"host", b"content-length", b"expect"}
OWN_RESPONSE = HOP_BY_HOP | {b"date"}  # the server writes its own
OUR_PREFIX = b"x-seasoned-"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes, and whose it is."""

    path: bytes  # below the provider's base URL, with the query
    wire: WireFormat | None = None  # the format of what it carries, if there is something to learn
    tenant: str = ""
    project: str = ""


class Forwarding:
    """Forwards the requests for one provider."""

    def __init__(
        self, gateway: Gateway, upstream: Upstream, companion: Companion, admission: Admission
    ) -> None:
        self._gateway = gateway
        self._upstream = upstream
        self._companion = companion
        self._admission = admission
        self._learning = gateway.settings.proxy.learning
        self._seconds = gateway.settings.proxy.deadline_seconds

    async def __call__(
        self, scope: AsgiScope, receive: Receive, send: Send, target: Target
    ) -> None:
        try:
            seasoned = self._admission.admit(scope, target.tenant, target.project)
        except SeasonedError as error:
            await response_to(error)(scope, receive, send)
            return
        body = await _whole(receive)
        if body is None:
            return
        passage: Passage | None = None
        off = header(scope, b"x-seasoned-off").strip().lower() not in ("", "0", "false", "no")
        if target.wire is not None and self._learning and not off and scope["method"] == "POST":
            session = header(scope, b"x-seasoned-session").strip()
            passage = await self._before(Passage(body, target.wire, seasoned), session)
            body = passage.body
        headers = self._request_headers(scope, body, watched=_is_watched(passage))
        exchange = Exchange(scope, receive, send)
        await self._exchange(exchange, target.path, headers, body, passage)

    async def _before(self, passage: Passage, session: str) -> Passage:
        """Let the companion learn from a request and add to it, within its time."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._companion.before(
                    passage.seasoned, passage.wire, passage.body, session
                )
        except TimeoutError:
            self._companion.report.failed(
                f"{passage.wire.name}: learning took longer than {self._seconds * 1000:g} ms "
                "(proxy.deadlineSeconds)"
            )
            return passage

    async def _exchange(
        self,
        exchange: "Exchange",
        path: bytes,
        headers: Headers,
        body: bytes,
        passage: Passage | None,
    ) -> None:
        target = self._upstream.origin.path.encode("ascii") + path
        if not target.startswith(b"/"):  # the base URL itself, with or without a query
            target = b"/" + target
        asking = asyncio.ensure_future(
            self._upstream.request(exchange.method, target, headers, body)
        )
        leaving = asyncio.ensure_future(exchange.left())
        leaving.add_done_callback(lambda _: asking.cancel())
        connection: UpstreamConnection | None = None
        whole = False
        copy = ResponseCopy(wanted=_is_watched(passage))
        status, answered = 0, list[tuple[bytes, bytes]]()
        try:
            connection = await asking
            status, answered = connection.status, connection.headers
            leaving.add_done_callback(lambda _: connection.abort() if connection else None)
            await exchange.answer(connection, self._upstream.timeout_seconds, copy)
            whole = True
        except asyncio.CancelledError:
            if not leaving.done():
                raise
            return  # the client left, and so does its request
        except Broken as error:
            if not leaving.done():
                log.info("a response of %s broke off: %s", self._upstream.origin.name, error)
                await exchange.break_off()
            return
        except Unreachable as error:
            await exchange.refuse(response_to(error))
            return
        finally:
            asking.cancel()
            leaving.cancel()
            if connection is not None:
                self._upstream.release(connection, whole=whole)
        if passage is not None and _is_watched(passage) and status == 200:
            await self._after(passage, answered, copy)

    async def _after(self, passage: Passage, headers: Headers, copy: ResponseCopy) -> None:
        body = copy.body(_value(headers, b"content-encoding"))
        if body is None:
            self._companion.report.failed(f"{passage.wire.name}: a response cannot be read")
            return
        streamed = _value(headers, b"content-type").startswith("text/event-stream")
        await self._companion.after(passage, body, streamed=streamed)

    def _request_headers(
        self, scope: AsgiScope, body: bytes, *, watched: bool
    ) -> list[tuple[bytes, bytes]]:
        """Return the client's headers for the provider, without those that are for us."""
        given: list[tuple[bytes, bytes]] = scope["headers"]
        kept = [(b"host", self._upstream.origin.name.encode("ascii"))]
        named = {one.strip() for one in header(scope, b"connection").lower().split(",")}
        for name, value in given:
            if name in OWN_REQUEST or name.startswith(OUR_PREFIX) or name.decode() in named:
                continue
            if name == b"authorization" and self._is_ours(scope, value):
                continue
            if name == b"accept-encoding" and watched:
                kept.append((name, readable_encodings(value)))
                continue
            kept.append((name, value))
        if body or scope["method"] in ("POST", "PUT", "PATCH"):
            kept.append((b"content-length", str(len(body)).encode("ascii")))
        return kept

    def _is_ours(self, scope: AsgiScope, value: bytes) -> bool:
        """Whether `Authorization` was for us: no provider may see the token of this server."""
        wanted = self._gateway.config.token
        shown = value.decode("latin-1").partition(" ")[2].strip()
        if is_key(shown) or (wanted and same_token(shown, wanted)):
            return True
        known = bool(wanted) and scope.get(CALLER) is not None
        return known and not header(scope, b"x-seasoned-token")


class Exchange:
    """One request of a client, and its response."""

    def __init__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self.method: str = scope["method"]

    async def left(self) -> None:
        """Wait until the client leaves."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def answer(
        self, connection: UpstreamConnection, seconds: float, copy: ResponseCopy
    ) -> None:
        """Pass the response on as it comes, and copy it."""
        await self._send(
            {
                "type": "http.response.start",
                "status": connection.status,
                "headers": _response_headers(connection.headers),
            }
        )
        async for chunk in connection.chunks(seconds):
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
            copy.add(chunk)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def break_off(self) -> None:
        """Let the client see that the response did not come to its end."""
        connection = connection_of(self._scope)
        if connection is not None:
            connection.abort()
            await asyncio.sleep(0)  # so that the server hears of it

    async def refuse(self, response: Response) -> None:
        await response(self._scope, self._receive, self._send)


async def _whole(receive: Receive) -> bytes | None:
    """Return the body of a request; None if the client left before it was sent."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces)


def _is_watched(passage: Passage | None) -> bool:
    return passage is not None and passage.state is not None


def _response_headers(headers: Headers) -> list[tuple[bytes, bytes]]:
    lowered = [(name.lower(), value) for name, value in headers]
    listed = b",".join(value for name, value in lowered if name == b"connection").lower()
    named = {one.strip() for one in listed.split(b",")}
    return [
        (name, value) for name, value in lowered if name not in OWN_RESPONSE and name not in named
    ]


def _value(headers: Headers, name: bytes) -> str:
    found = (value.decode("latin-1") for key, value in headers if key.lower() == name)
    return next(found, "").strip().lower()
