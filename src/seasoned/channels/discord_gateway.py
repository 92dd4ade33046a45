"""discord.py's REST client and gateway, as the driver needs them: an address of one's own, and no
event counted as received before it is stored.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import discord
from discord.gateway import DiscordWebSocket
from discord.http import HTTPClient, Route

Handle = Callable[[str, dict[str, Any], str], Awaitable[None]]  # event, its data, its id

# After a longer wait than this the caller is told, instead of a request that hangs.
LONGEST_WAIT_SECONDS = 30.0


class Rest(HTTPClient):
    """Sends requests to `base` instead of the address that the library has for all clients."""

    def __init__(self, base: str = "") -> None:
        loop = asyncio.get_running_loop()
        super().__init__(loop, max_ratelimit_timeout=LONGEST_WAIT_SECONDS)
        self._base = base.rstrip("/")

    async def request(self, route: Route, **options: Any) -> Any:
        if self._base:
            route.url = self._base + route.url.removeprefix(Route.BASE)
        return await super().request(route, **options)


class Client(discord.Client):
    """What the library's gateway wants to know of a client; nothing is cached."""

    def __init__(self, rest: Rest, handle: Handle) -> None:
        super().__init__(intents=intents(), max_messages=None)
        self.loop = rest.loop
        self.http = rest
        self.handle = handle
        self._connection.parsers = {}  # the library's own fill caches that nobody reads


class Gateway(DiscordWebSocket):
    """Hands each event to the client's `handle` before its number is taken as received.

    The number goes to Discord with heartbeats and with a resume: events after it are sent again.
    """

    @classmethod
    async def connected(
        cls, client: Client, url: str, *, session: str | None, sequence: int | None
    ) -> "Gateway":
        import yarl

        return await cls.from_client(
            client,
            initial=True,  # the driver has paused already
            gateway=yarl.URL(url),
            session=session,
            sequence=sequence,
            resume=session is not None,
        )

    async def received_message(self, msg: Any, /) -> None:
        if isinstance(msg, bytes):
            msg = self._decompressor.decompress(msg)
            if msg is None:  # a part of a message
                return
        frame = json.loads(msg)
        if frame.get("op") == self.DISPATCH:
            session = frame["d"]["session_id"] if frame["t"] == "READY" else self.session_id
            client: Any = self._connection._get_client()  # pyright: ignore[reportPrivateUsage]
            await client.handle(frame["t"], frame["d"], f"{session}:{frame['s']}")
        await super().received_message(msg)


def intents() -> discord.Intents:
    """Return what the bot wants to hear of; the content of messages must be allowed for the bot."""
    return discord.Intents(
        guilds=True,
        guild_messages=True,
        guild_reactions=True,
        dm_messages=True,
        dm_reactions=True,
        message_content=True,
    )
