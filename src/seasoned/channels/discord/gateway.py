"""Discord's gateway by discord.py, but no event counts as received before it is stored.

The number of the last event received goes to Discord with each heartbeat and with a resume, and
Discord sends the events after it again.
"""

import asyncio
import contextlib
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket

from seasoned.channels.discord.errors import (
    ConnectionLost,
    DiscordThrottled,
    SessionLost,
    closed_with,
)
from seasoned.channels.discord.rest import Rest

Handle = Callable[[str, dict[str, Any], str], Awaitable[None]]  # event, its data, its id

HELLO_SECONDS = 30.0  # until a connection is open
CLOSE_SECONDS = 2.0
KEEP_SESSION, END_SESSION = 4000, 1000  # our close codes


@dataclass(slots=True)
class ResumePoint:
    """Where a lost connection goes on; empty: with a new session."""

    session: str | None = None
    sequence: int | None = None
    url: str = ""


async def listen(rest: Rest, point: ResumePoint, handle: Handle) -> None:
    """Open the gateway and handle its events until the connection is lost, which raises.

    `point` says where to go on, and is moved.
    """
    point.url = point.url or await gateway_url(rest, new_session=point.session is None)
    gateway: Gateway | None = None
    code = KEEP_SESSION
    try:
        async with asyncio.timeout(HELLO_SECONDS):
            gateway = await Gateway.from_client(
                client_of(rest),
                initial=True,  # the library would pause, which the driver has done
                gateway=yarl.URL(point.url),
                session=point.session,
                sequence=point.sequence,
                resume=point.session is not None,
            )
        await gateway.listen(handle)
    except (asyncio.CancelledError, SessionLost):
        code = END_SESSION
        raise
    finally:
        if gateway is None:
            point.url = ""  # ask for a new one
        else:
            point.session, point.sequence = gateway.session_id, gateway.sequence
            point.url = str(gateway.gateway)
        await hang_up(rest, code)


async def gateway_url(rest: Rest, *, new_session: bool) -> str:
    """Ask for the address; Discord revokes the token of a bot that begins too many sessions."""
    found = await rest.call("GET", "/gateway/bot")
    limit: dict[str, Any] = found.get("session_start_limit") or {}
    if new_session and limit.get("remaining", 1) <= 0:
        wait = float(limit.get("reset_after", 0)) / 1000
        raise DiscordThrottled(
            f"the bot has begun all the sessions that Discord allows in a day; the next is "
            f"allowed in {wait:.0f} s",
            retry_seconds=wait,
        )
    return str(found["url"])


async def hang_up(rest: Rest, code: int) -> None:
    socket, rest.socket = rest.socket, None
    if socket is not None:
        # A peer that is gone says no farewell; the socket is closed all the same.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await socket.close(code=code)


class Gateway(DiscordWebSocket):
    """A connection to the gateway. `session_id` and `sequence` say where a resume goes on."""

    _interval = 0.0  # of heartbeats, in seconds
    _is_unanswered = False  # the last heartbeat
    _is_handling = False  # an event, so that answers wait unread
    _handle: Handle

    async def listen(self, handle: Handle) -> None:
        self._handle = handle
        beating = asyncio.create_task(self._beat())
        reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait({beating, reading}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await beating  # raises if nobody answers
            await reading
        finally:
            beating.cancel()
            reading.cancel()
            await asyncio.gather(beating, reading, return_exceptions=True)

    async def _read(self) -> None:
        while True:
            await self.poll_event()

    async def poll_event(self) -> None:
        frame = await self.socket.receive()
        if frame.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
            raise closed_with(self.socket.close_code)
        await self.received_message(frame.data)

    async def received_message(self, msg: Any, /) -> None:
        if isinstance(msg, bytes):
            msg = self._decompressor.decompress(msg)
            if msg is None:  # a part of a message
                return
        frame = json.loads(msg)
        op, data = frame["op"], frame.get("d")
        if op == self.DISPATCH:
            await self._dispatched(frame["t"], data, frame["s"])
        elif op == self.HELLO:
            self._interval = data["heartbeat_interval"] / 1000
        elif op == self.HEARTBEAT_ACK:
            self._is_unanswered = False
        elif op == self.HEARTBEAT:
            await self._send_heartbeat()
        elif op == self.RECONNECT:
            raise ConnectionLost("Discord asks to connect again")
        elif op == self.INVALIDATE_SESSION:
            lost = ConnectionLost if data else SessionLost
            raise lost("Discord ended the session")

    async def _dispatched(self, event: str, data: dict[str, Any], sequence: int) -> None:
        if event == "READY":
            self.session_id, self.sequence = data["session_id"], sequence
            self.gateway = yarl.URL(data["resume_gateway_url"])
        self._is_handling = True
        try:
            await self._handle(event, data, f"{self.session_id}:{sequence}")
        finally:
            self._is_handling = False
        self.sequence = sequence

    async def _beat(self) -> None:
        await asyncio.sleep(self._interval * random.random())  # so that clients don't align
        while True:
            if self._is_unanswered and not self._is_handling:
                raise ConnectionLost("Discord does not answer heartbeats")
            self._is_unanswered = True
            try:
                await self._send_heartbeat()
            except (OSError, discord.ConnectionClosed):
                return  # the reader gets to know why
            await asyncio.sleep(self._interval)

    async def _send_heartbeat(self) -> None:
        await self.send_heartbeat({"op": self.HEARTBEAT, "d": self.sequence})


def client_of(rest: Rest) -> discord.Client:
    """Return what the library's gateway wants to know of a client."""
    # The content of messages must be allowed for the bot, in the developer portal.
    intents = discord.Intents(
        guilds=True,
        guild_messages=True,
        guild_reactions=True,
        dm_messages=True,
        dm_reactions=True,
        message_content=True,
    )
    client = discord.Client(intents=intents, max_messages=None)
    client.loop, client.http = rest.loop, rest
    return client
