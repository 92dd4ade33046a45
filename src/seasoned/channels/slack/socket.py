"""Receive Slack's events by Socket Mode: a WebSocket that is replaced before it closes."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from seasoned.channels.channel import ChannelError
from seasoned.channels.slack.errors import (
    REMEDIES,
    connection_pauses,
    pause_after,
    unreachable,
)
from seasoned.channels.slack.web import SlackWeb

if TYPE_CHECKING:
    import aiohttp

log = logging.getLogger("seasoned.channels.slack")

OPEN = "apps.connections.open"
HELLO_SECONDS = 30
CLOSE_SECONDS = 1.0  # Slack does not end the TCP connection after a farewell
LEAVING_SECONDS = 15  # Slack closes a connection about ten seconds after its warning
STEADY_SECONDS = 60  # a connection that lasted so long has worked

End = Literal["lost", "replace"]


@dataclass(eq=False)
class Link:
    """A connection, and how it ended or is about to."""

    socket: "aiohttp.ClientWebSocketResponse" = field(repr=False)
    over: "asyncio.Future[End]"

    def end(self, how: End) -> None:
        if not self.over.done():
            self.over.set_result(how)


class SocketMode:
    """Acknowledges an envelope once `take` returned; Slack sends all others again."""

    def __init__(
        self,
        web: SlackWeb,
        app_token: str,
        take: Callable[[dict[str, Any]], Awaitable[None]],
        *,
        pause_seconds: float,
        ping_seconds: float,
    ) -> None:
        self._web = web
        self._app_token = app_token
        self._take = take
        self._pauses = connection_pauses(pause_seconds)
        self._ping_seconds = ping_seconds
        self._fatal: ChannelError | None = None

    async def run(self) -> None:
        """Keep one connection open until cancelled; raise what no new connection would cure."""
        reading: set[asyncio.Task[None]] = set()
        try:
            while True:
                pause = await self._once(reading)
                await asyncio.sleep(pause)
        finally:
            for task in reading:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)

    async def _once(self, reading: set[asyncio.Task[None]]) -> float:
        """Keep a connection until another one is needed; return after how many seconds.

        One that is to be replaced is still read, until Slack closes it.
        """
        loop = asyncio.get_running_loop()
        try:
            link = await self._open()
        except ChannelError as error:
            if error.retry_seconds is None:
                raise
            log.warning("no connection to Slack: %s", error)
            return pause_after(error, self._pauses)
        opened = loop.time()
        task = asyncio.create_task(self._read(link))
        reading.add(task)
        task.add_done_callback(reading.discard)
        how = await link.over
        if loop.time() - opened > STEADY_SECONDS:
            self._pauses.worked()
        if self._fatal is not None:
            raise self._fatal
        if how == "replace":
            return 0
        log.warning("the connection to Slack is lost")
        return self._pauses.next()

    async def _open(self) -> Link:
        import aiohttp

        url = str((await self._web.call(OPEN, token=self._app_token))["url"])
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                socket = await self._web.session.ws_connect(
                    url,
                    heartbeat=self._ping_seconds,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_SECONDS),  # pyright: ignore[reportCallIssue]
                )
                try:
                    hello: Any = await socket.receive_json()
                    if hello.get("type") != "hello":
                        raise ValueError("not a hello")
                except BaseException:
                    await socket.close()
                    raise
        except (aiohttp.ClientError, OSError, TimeoutError, TypeError, ValueError) as error:
            failure = unreachable("the WebSocket of Socket Mode", error)
        else:
            log.info("connected to Slack by Socket Mode")
            return Link(socket, asyncio.get_running_loop().create_future())
        # Raised here, because the library's errors hold the address with its ticket.
        raise failure

    async def _read(self, link: Link) -> None:
        from aiohttp import ClientError, WSMsgType

        try:
            async with asyncio.timeout(None) as limit:
                async for frame in link.socket:
                    if frame.type is not WSMsgType.TEXT:
                        continue
                    await self._frame(link, frame.data)
                    if link.over.done() and limit.when() is None:
                        now = asyncio.get_running_loop().time()
                        limit.reschedule(now + LEAVING_SECONDS)
        except TimeoutError:
            log.debug("Slack did not close a connection that it replaced")
        except (ClientError, OSError) as error:
            log.debug("a connection to Slack broke: %s", type(error).__name__)
        finally:
            link.end("lost")
            await link.socket.close()

    async def _frame(self, link: Link, raw: str) -> None:
        try:
            said: Any = json.loads(raw)
            kind, envelope = said.get("type"), said.get("envelope_id")
        except (ValueError, AttributeError):
            log.warning("Slack sent a frame that is not an object of JSON; it is skipped")
            return
        if kind == "disconnect":
            self._disconnect(link, str(said.get("reason") or ""))
        elif envelope:
            await self._envelope(link, str(envelope), said)

    async def _envelope(self, link: Link, envelope: str, said: dict[str, Any]) -> None:
        try:
            await self._take(said.get("payload") or {})
        except Exception as error:  # noqa: BLE001 - logged; Slack sends it again
            log.warning(
                "an event of Slack was not taken, it will come again: %s: %s",
                type(error).__name__,
                error,
            )
            return
        await link.socket.send_str(json.dumps({"envelope_id": envelope}))
        self._pauses.worked()

    def _disconnect(self, link: Link, reason: str) -> None:
        log.info("Slack replaces the connection: %s", reason)
        if reason == "link_disabled":
            self._fatal = ChannelError(f"Slack ended Socket Mode; {REMEDIES[reason]}")
        # With too many connections open, another one needs a pause.
        in_turn = reason in ("warning", "refresh_requested")
        link.end("replace" if in_turn else "lost")
