"""Limit the size of request bodies, and the time that they may take to arrive."""

import asyncio

from seasoned.server.asgi import AsgiApp, AsgiScope, Message, Receive, Send, header
from seasoned.server.errors import TooLarge, TooSlow, response_to
from seasoned.server.gateway import Gateway


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
            await response_to(_too_large(self._most))(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, _counted(receive, self._most, self._seconds), sending)
        except (TooLarge, TooSlow) as refused:
            if begun:
                raise
            await response_to(refused)(scope, receive, send)


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"a body may have {most} bytes (server.bodyMegabytes); send it in parts")


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
            raise TooSlow(f"no whole body within {seconds:g} s") from None
        size += len(message.get("body", b""))
        if size > most:
            raise _too_large(most)
        whole = not message.get("more_body", False)
        return message

    return receiving
