"""The learn host over HTTP: messages arrive by POST, replies leave on one stream per session.

    POST /session                    {"session_id": …}
    GET  /stream   X-Session-Id: …   server-sent events, `data: {json}` each
    POST /send     X-Session-Id: …   one message; {"ok": true} once its content is durable
    GET  /health

The hot path is plain ASGI; Starlette only routes and answers unknown paths.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterable, MutableMapping
from contextlib import contextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seasoned.core.errors import DatabaseError
from seasoned.protocol.host.host import Host
from seasoned.protocol.host.host_config import HostConfig
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
READ_SECONDS = 30  # for a body to arrive


class ClientGone(Exception):
    """The client disconnected before its message was complete."""


class TooLarge(Exception):
    pass


class Busy(Exception):
    """Try again in a moment; `of_session` if the session's own reader must catch up first."""

    def __init__(self, reason: str, *, of_session: bool) -> None:
        super().__init__(reason)
        self.of_session = of_session


class Admission:
    """Limits the messages being processed and their bytes; refuses before reading a body."""

    def __init__(self, config: HostConfig) -> None:
        self._config = config
        self.messages = 0
        self.bytes = 0

    @contextmanager
    def admit(self, session: AgentSession) -> "Generator[MessageSize]":
        """Count a message while it is processed; refuse it if it or its reply has no room."""
        if session.room <= 0:
            raise Busy("replies wait to be read; read /stream first", of_session=True)
        if session.in_flight >= self._config.session_in_flight:
            raise Busy("too many messages of this session at once", of_session=True)
        if self.messages >= self._config.in_flight:
            raise Busy("the host has too much to do", of_session=False)
        self.messages += 1
        session.in_flight += 1
        size = MessageSize(self, self._config)
        try:
            yield size
        finally:
            self.messages -= 1
            session.in_flight -= 1
            self.bytes -= size.bytes


class MessageSize:
    """The bytes of one message, counted as they arrive."""

    def __init__(self, admission: Admission, config: HostConfig) -> None:
        self._admission = admission
        self._config = config
        self.bytes = 0

    def expect(self, size: int) -> None:
        """Refuse an announced size before the bytes are read."""
        if size > self._config.body_bytes:
            raise TooLarge(f"a message may have {self._config.body_bytes} bytes; send it in parts")
        if self._admission.bytes + size > self._config.in_flight_bytes:
            raise Busy("the host has too much to read", of_session=False)

    def add(self, size: int) -> None:
        self.expect(self.bytes + size)
        self.bytes += size
        self._admission.bytes += size


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
        except ClientGone:
            return

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError

    async def session(self, scope: Scope) -> AgentSession:
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
        await respond(send, 200, encode_message({"session_id": session.id}))


class SendMessage(Endpoint):
    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._admission = Admission(host.config)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = await self.session(scope)
        replies: list[bytes] = []
        try:
            with self._admission.admit(session) as size:
                body = await _body(scope, receive, size)
                messages = messages_in(body)
                if len(messages) > min(self.host.config.messages_a_body, session.room + 1):
                    raise TooLarge(f"{len(messages)} messages in one body; send fewer at once")
                for message in messages:
                    reply = await self.host.answer(session, message)
                    replies += [reply] if reply is not None else []
            # The message is durable; a client that gets no 200 may send it again. Some clients
            # look for a reply only after the 200, so replies are sent after it.
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
                # A reader that does not read blocks here until its outbox is full.
                await send(_part(b"".join(b"data: %b\n\n" % each for each in messages)))
                if not gone.done():
                    outbox.remove(reader, len(messages))
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.cancel()
            outbox.detach(reader)


async def health(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


def application(host: Host) -> Starlette:
    """Build the ASGI application of a host."""
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


async def _body(scope: Scope, receive: Receive, size: MessageSize) -> bytes:
    """Read the whole body within the limits."""
    length = _header(scope, b"content-length")
    if length.isdecimal():
        size.expect(int(length))
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(READ_SECONDS):
            while True:
                event = await receive()
                if event["type"] == "http.disconnect":
                    raise ClientGone
                part: bytes = event.get("body", b"")
                size.add(len(part))
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
    return encode_message({"detail": text})


def _header(scope: Scope, name: bytes) -> str:
    headers: Headers = scope["headers"]
    return next((value.decode("latin-1") for key, value in headers if key == name), "")
