"""The learn host on HTTP: messages come by POST, replies go out on one stream for each session.

    POST /session                    {"session_id": …}
    GET  /stream   X-Session-Id: …   server-sent events, `data: {json}` each
    POST /send     X-Session-Id: …   one message; {"ok": true} once what it brought is durable
    GET  /health

Plain ASGI on the hot path; Starlette finds the route and says what is not there.
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
from seasoned.protocol.flight import Boarding, Busy, TooLarge
from seasoned.protocol.host import Host
from seasoned.protocol.session import Session
from seasoned.protocol.wire import encoded, messages_in

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
CLOSE: Headers = [(b"connection", b"close")]  # the rest of the body is not read
LATER: Headers = [(b"retry-after", b"1")]
OK = b'{"ok":true}'
READ_SECONDS = 30  # for a body to arrive


class Vanished(Exception):
    """The client went away before its message was whole."""


class Endpoint:
    def __init__(self, host: Host) -> None:
        self.host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.serve(scope, receive, send)
        except HTTPException as refused:
            await respond(send, refused.status_code, _detail(refused.detail))
        except TooLarge as refused:
            await respond(send, 413, _detail(str(refused)), CLOSE)
        except Busy as refused:
            status = 429 if refused.of_session else 503
            await respond(send, status, _detail(str(refused)), [*LATER, *CLOSE])
        except DatabaseError as refused:
            await respond(send, 503, _detail(str(refused)), LATER)
        except Vanished:
            return

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError

    async def session(self, scope: Scope) -> Session:
        name = _header(scope, b"x-session-id")
        if not name:
            raise HTTPException(400, "Missing X-Session-Id")
        session = await self.host.sessions.find(name)
        if session is None:
            raise HTTPException(404, "Session not found")
        return session


class OpenSession(Endpoint):
    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = await self.host.sessions.open()
        await respond(send, 200, encoded({"session_id": session.id}))


class SendMessage(Endpoint):
    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = await self.session(scope)
        replies: list[bytes] = []
        try:
            with self.host.flight.message(session) as boarding:
                body = await _body(scope, receive, boarding)
                messages = messages_in(body)
                if len(messages) > min(self.host.config.messages_a_body, session.room + 1):
                    raise TooLarge(f"{len(messages)} messages in one body; send fewer at once")
                for message in messages:
                    reply = await self.host.answer(session, message)
                    replies += [reply] if reply is not None else []
            # What was sent is durable: whoever gets no 200 may send it again. Clients may look
            # for a reply only after the 200, so it goes out behind it.
            await respond(send, 200, OK)
        finally:
            for reply in replies:
                session.outbox.put(reply)


class Stream(Endpoint):
    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = await self.session(scope)
        outbox = session.outbox
        await send({"type": "http.response.start", "status": 200, "headers": STREAM})
        reader = outbox.attach()
        gone = asyncio.ensure_future(_disconnected(receive))
        gone.add_done_callback(lambda _: outbox.wake())
        try:
            while messages := await outbox.next(reader, gone.done):
                # A reader that does not read makes this wait, and its outbox fill up to its end.
                await send(_part(b"".join(b"data: %b\n\n" % each for each in messages)))
                if not gone.done():
                    outbox.taken(reader, len(messages))
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.cancel()
            outbox.detach(reader)


async def health(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


def application(host: Host) -> Starlette:
    """The host as an ASGI application."""
    return Starlette(
        routes=[
            Route("/session", OpenSession(host), methods=["POST"]),
            Route("/send", SendMessage(host), methods=["POST"]),
            Route("/stream", Stream(host), methods=["GET"]),
            Route("/health", health),
        ],
        exception_handlers={HTTPException: _refused},
    )


async def _refused(request: Request, refused: Exception) -> Response:
    assert isinstance(refused, HTTPException)
    return JSONResponse({"detail": refused.detail}, refused.status_code, refused.headers)


async def respond(send: Send, status: int, body: bytes, more: Iterable[Any] = ()) -> None:
    headers = [(b"content-length", b"%d" % len(body)), JSON, *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _body(scope: Scope, receive: Receive, boarding: Boarding) -> bytes:
    """All of it, as far as it may be read."""
    length = _header(scope, b"content-length")
    if length.isdecimal():
        boarding.expect(int(length))
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(READ_SECONDS):
            while True:
                event = await receive()
                if event["type"] == "http.disconnect":
                    raise Vanished
                part: bytes = event.get("body", b"")
                boarding.add(len(part))
                parts.append(part)
                if not event.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise HTTPException(408, f"no whole message within {READ_SECONDS} s") from None


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _part(body: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": True}


def _detail(text: str) -> bytes:
    return encoded({"detail": text})


def _header(scope: Scope, name: bytes) -> str:
    headers: Headers = scope["headers"]
    return next((value.decode("latin-1") for key, value in headers if key == name), "")
