"""The door: requests get an id; those of web pages and for other hosts' names are refused."""

import re
import secrets

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
from seasoned.server.errors import error_response, unexpected_response
from seasoned.server.gateway import Gateway

REQUEST_ID = "seasoned.request_id"  # key of the ASGI scope
GIVEN_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)


class Door:
    """The outermost middleware; lets strangers wait for known callers."""

    def __init__(self, app: AsgiApp, gateway: Gateway) -> None:
        self._app = app
        self._gateway = gateway
        self._check = CallerCheck(gateway.config.names)
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
        told = _with_header(send, (b"x-request-id", name.encode("ascii")))
        complaint = self._check.complaint(scope["headers"])
        if complaint:
            self._gateway.connections.refused["callers"] += 1
            answer = error_response(403, "NotAllowed", complaint, {"connection": "close"})
            await refuse(scope, receive, told, answer)
            return
        await self._answer(scope, receive, told)

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


def _with_header(send: Send, header: tuple[bytes, bytes]) -> Send:
    """Add a header to every answer that does not have it: a provider's answer has its own id."""

    async def sending(message: Message) -> None:
        if message["type"] in (
            "http.response.start",
            "websocket.accept",
            "websocket.http.response.start",
        ):
            given: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
            if not any(name == header[0] for name, _ in given):
                message["headers"] = [*given, header]
        await send(message)

    return sending
