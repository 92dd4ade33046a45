"""The learn host over HTTP: messages arrive by POST, replies leave on one stream per session.

    POST /session                    {"session_id": …}
    GET  /stream   X-Session-Id: …   server-sent events, `data: {json}` each
    POST /send     X-Session-Id: …   one message; {"ok": true} once its content is durable
    GET  /health                     200 while the database takes what it is given, else 503

The hot path is plain ASGI; Starlette only routes and answers unknown paths.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seasoned.core.errors import DatabaseError
from seasoned.protocol.host.admission import Admission, Body, Busy, TooLarge, TooSlow, Turnstile
from seasoned.protocol.host.callers import CallerCheck
from seasoned.protocol.host.connections import Connections
from seasoned.protocol.host.host import Host, NotStored
from seasoned.protocol.host.sessions import AgentSession
from seasoned.protocol.wire import encode_message, messages_in

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

JSON = (b"content-type", b"application/json")
STREAM: Headers = [
    (b"cache-control", b"no-cache"),
    (b"connection", b"keep-alive"),
    (b"content-type", b"text/event-stream; charset=utf-8"),
]
CLOSE: Headers = [(b"connection", b"close")]  # because the rest of the body is not read
LATER: Headers = [(b"retry-after", b"1")]
OK = b'{"ok":true}'
ERROR_AFTER_SECONDS = 3.0  # longer than clients wait before they send a message again


class ClientGone(Exception):
    """The client disconnected before its message was complete."""


class Endpoint:
    def __init__(self, host: Host, connections: Connections) -> None:
        self.host = host
        self._refused = connections.refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.serve(scope, receive, send)
        except HTTPException as refused:
            await respond(send, refused.status_code, _detail(refused.detail))
        except TooLarge as refused:
            await self._refuse(send, 413, "large", refused, CLOSE)
        except TooSlow as refused:
            await self._refuse(send, 408, "slow", refused, CLOSE)
        except Busy as refused:
            status = 429 if refused.of_session else 503
            await self._refuse(send, status, "busy", refused, [*LATER, *CLOSE])
        except DatabaseError as refused:
            await self._refuse(send, 503, "database", refused, LATER)
        except ClientGone:
            return

    async def _refuse(
        self, send: Send, status: int, why: str, refused: Exception, headers: Headers
    ) -> None:
        self._refused[why] += 1
        await respond(send, status, _detail(str(refused)), headers)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError

    async def session(self, scope: Scope) -> AgentSession:
        """Find the session of a request; it may show the token in a header."""
        name = _header(scope, b"x-session-id")
        if not name:
            raise HTTPException(400, "Missing X-Session-Id")
        session = await self.host.sessions.find(name)
        if session is None:
            raise HTTPException(404, "Session not found")
        kind, _, token = _header(scope, b"authorization").partition(" ")
        if kind.lower() == "bearer" and not self.host.sessions.is_member(session):
            session.changed = self.host.sessions.show(session, token.strip())
        if self.host.sessions.is_member(session):
            trust(scope)
        return session


class OpenSession(Endpoint):
    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, encode_message({"session_id": self.host.sessions.issue()}))


class SendMessage(Endpoint):
    def __init__(self, host: Host, connections: Connections) -> None:
        super().__init__(host, connections)
        self._admission = Admission(host.config)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = await self.session(scope)
        is_member = self.host.sessions.is_member(session)
        replies: list[bytes] = []
        try:
            with self._admission.session_turn(session):
                async with self._admission.reading(is_member=is_member) as incoming:
                    body = await _body(scope, receive, incoming)
                messages = messages_in(body)
                if len(messages) > min(self.host.config.messages_a_body, session.room + 1):
                    raise TooLarge(f"{len(messages)} messages in one body; send fewer at once")
                with self._admission.processing(is_member=is_member):
                    for message in messages:
                        reply = await self.host.answer(session, message)
                        replies += [reply] if reply is not None else []
            # The message is durable; a client that gets no 200 may send it again. Some clients
            # look for a reply only after the 200, so replies are sent after it.
            await respond(send, 200, OK)
        except NotStored as refused:
            session.fail_unless_retried(refused.req_id, refused.reply, ERROR_AFTER_SECONDS)
            raise
        finally:
            for reply in replies:
                session.outbox.put(reply)
            self.host.sessions.relieve()
            if self.host.sessions.is_member(session):
                trust(scope)  # the message may have been the handshake


class Stream(Endpoint):
    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = await self.session(scope)
        outbox = session.outbox
        await send({"type": "http.response.start", "status": 200, "headers": STREAM})
        reader = outbox.attach()
        gone = asyncio.ensure_future(_disconnected(receive))
        gone.add_done_callback(lambda _: outbox.wake())
        patience = asyncio.get_running_loop().call_later(
            self.host.config.stranger_seconds, self.host.sessions.leave, session
        )
        try:
            while messages := await outbox.next(reader, gone.done):
                # A reader that does not read blocks here until its outbox is full.
                await send(_part(b"".join(b"data: %b\n\n" % each for each in messages)))
                if not gone.done():
                    outbox.remove(reader, len(messages))
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            patience.cancel()
            gone.cancel()
            outbox.detach(reader)


class Health:
    """Whether the database works, and what is going on; asked at most once per `FRESH_SECONDS`."""

    FRESH_SECONDS = 0.5

    def __init__(self, host: Host, connections: Connections) -> None:
        self._host = host
        self._connections = connections
        self._trouble = ""
        self._asked_at = -1.0

    async def answer(self, request: Request) -> Response:
        now = asyncio.get_running_loop().time()
        if now - self._asked_at > self.FRESH_SECONDS:
            self._asked_at = now
            self._trouble = await self._host.database_trouble()
        sessions, connections = self._host.sessions, self._connections
        state = {
            "status": "failing" if self._trouble else "ok",
            "database": self._trouble or "ok",
            "sessions": len(sessions.in_memory),
            "strangers": len(sessions.strangers),
            "connections": len(connections),
            "unread_bytes": sessions.unread.total,
            "evicted_sessions": sessions.evicted,
            "refused": dict(connections.refused),
        }
        return JSONResponse(state, 503 if self._trouble else 200)


class Checked:
    """Refuses callers that should not be here, and lets strangers wait for agents."""

    def __init__(self, app: Starlette, check: CallerCheck, connections: Connections) -> None:
        self._app = app
        self._check = check
        self._refused = connections.refused
        self._turnstile = Turnstile(connections.config.strangers_a_round)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["extensions"]["seasoned.connection"].is_members:
            await self._turnstile()
        complaint = self._check.complaint(scope["headers"])
        if not complaint:
            await self._app(scope, receive, send)
            return
        self._refused["callers"] += 1
        await respond(send, 403, _detail(complaint), CLOSE)


def learn_routes(host: Host, connections: Connections) -> list[Route]:
    """Build the routes that carry messages, for this host's own server or a larger one."""
    return [
        Route("/session", OpenSession(host, connections), methods=["POST"]),
        Route("/send", SendMessage(host, connections), methods=["POST"]),
        Route("/stream", Stream(host, connections), methods=["GET"]),
    ]


def application(host: Host, connections: Connections) -> Checked:
    """Build the ASGI application of a host."""
    routes = [*learn_routes(host, connections), Route("/health", Health(host, connections).answer)]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refused})
    return Checked(app, CallerCheck(host.config.names), connections)


def trust(scope: Scope) -> None:
    """Tell the connection of a request that an agent with the token uses it."""
    scope["extensions"]["seasoned.connection"].trust()


async def _refused(request: Request, refused: Exception) -> Response:
    assert isinstance(refused, HTTPException)
    return JSONResponse({"detail": refused.detail}, refused.status_code, refused.headers)


async def respond(send: Send, status: int, body: bytes, more: Iterable[Any] = ()) -> None:
    headers = [(b"content-length", b"%d" % len(body)), JSON, *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _body(scope: Scope, receive: Receive, incoming: Body) -> bytes:
    """Read the whole body within the limits."""
    length = _header(scope, b"content-length")
    if length.isdecimal():
        incoming.expect(int(length))
    parts: list[bytes] = []
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ClientGone
        part: bytes = event.get("body", b"")
        incoming.add(len(part))
        parts.append(part)
        if not event.get("more_body", False):
            return b"".join(parts)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _part(body: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": True}


def _detail(text: str) -> bytes:
    return encode_message({"detail": text})


def _header(scope: Scope, name: bytes) -> str:
    headers: Headers = scope["headers"]
    return next((value.decode("latin-1") for key, value in headers if key == name), "")
