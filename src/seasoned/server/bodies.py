"""Limit the size of request bodies, and the time that they may take to arrive."""

import asyncio

from seasoned.server.asgi import AsgiApp, AsgiScope, Message, Receive, Send, header
from seasoned.server.errors import error_response
from seasoned.server.gateway import Gateway


class BodyTooLarge(Exception):
    """More bytes than are accepted."""


class BodyTooSlow(Exception):
    """The body did not arrive in time."""


class LimitedBodies:
    """Middleware: answers 413 for a body that is too large, 408 for one that is too slow."""

    def __init__(self, app: AsgiApp, gateway: Gateway) -> None:
        self._app = app
        self._most = gateway.settings.server.body_megabytes * 2**20
        self._seconds = gateway.config.read_seconds

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = header(scope, b"content-length")
        if announced.isdecimal() and int(announced) > self._most:
            await self._refuse(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, _counted(receive, self._most, self._seconds), sending)
        except (BodyTooLarge, BodyTooSlow) as refused:
            if begun:
                raise
            await self._refuse(scope, receive, send, slow=isinstance(refused, BodyTooSlow))

    async def _refuse(
        self, scope: AsgiScope, receive: Receive, send: Send, *, slow: bool = False
    ) -> None:
        close = {"connection": "close"}  # the rest of the body is not read
        if slow:
            text = f"no whole body within {self._seconds:g} s"
            await error_response(408, "TooSlow", text, close)(scope, receive, send)
            return
        text = f"a body may have {self._most} bytes (server.bodyMegabytes); send it in parts"
        await error_response(413, "TooLarge", text, close)(scope, receive, send)


def _counted(receive: Receive, most: int, seconds: float) -> Receive:
    size, whole = 0, False
    deadline = asyncio.get_running_loop().time() + seconds

    async def receiving() -> Message:
        nonlocal size, whole
        if whole:  # a stream waits here for its reader to leave
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise BodyTooSlow from None
        size += len(message.get("body", b""))
        if size > most:
            raise BodyTooLarge
        whole = not message.get("more_body", False)
        return message

    return receiving
