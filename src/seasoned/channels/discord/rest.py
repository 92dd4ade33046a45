"""Requests to Discord by discord.py's client, which keeps the rate limits."""

import asyncio
from typing import Any, cast

import aiohttp
import discord
from discord.http import HTTPClient, Route

from seasoned.channels.discord.errors import WRONG_TOKEN, WRONG_URL, DiscordRefusal, channel_error

# Discord's pauses up to this are waited for; the caller is told of longer ones.
LONGEST_PAUSE_SECONDS = 30.0
LONGEST_CALL_SECONDS = 90.0  # with pauses, and tries again after errors of Discord's


class Rest(HTTPClient):
    """Sends requests to `base` instead of the address that the library has for all clients."""

    me = ""  # the bot's id, after the login
    socket: aiohttp.ClientWebSocketResponse | None = None  # the last one that was opened

    def __init__(self, base: str = "") -> None:
        loop = asyncio.get_running_loop()
        super().__init__(loop, max_ratelimit_timeout=LONGEST_PAUSE_SECONDS)
        self._base = base.rstrip("/")
        self._is_closing = False

    @classmethod
    async def logged_in(cls, token: str, base: str = "") -> "Rest":
        rest = cls(base)
        try:
            async with asyncio.timeout(LONGEST_CALL_SECONDS):
                user = cast(dict[str, Any] | str, await rest.static_login(token))
            if isinstance(user, str):  # so the library gives what is not JSON
                raise DiscordRefusal(WRONG_URL)
            rest.me = str(user["id"])
        except BaseException as error:
            await rest.close()
            if isinstance(error, discord.LoginFailure):
                raise DiscordRefusal(WRONG_TOKEN) from error
            if isinstance(error, discord.DiscordException | aiohttp.ClientError | OSError):
                raise channel_error("the login", error) from error
            raise
        return rest

    async def call(
        self, method: str, path: str, *, seconds: float = LONGEST_CALL_SECONDS, **options: Any
    ) -> Any:
        """Send a request; `json` is its body, `params` its query, other options fill the path.

        A path is given with its places open, because the library keeps a rate limit for each path
        and each `channel_id` or `webhook_id`.
        """
        sent = {name: options.pop(name) for name in ("json", "params") if name in options}
        where = f" in channel {options['channel_id']}" if "channel_id" in options else ""
        try:
            async with asyncio.timeout(seconds):
                return await self.request(Route(method, path, **options), **sent)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            raise channel_error(f"{method} {path}{where}", error) from error

    async def request(self, route: Route, **options: Any) -> Any:
        if self._base:
            route.url = self._base + route.url.removeprefix(Route.BASE)
        try:
            return await super().request(route, **options)
        except asyncio.CancelledError:
            # Cancelled in a pause for all requests, the library would leave them waiting for ever.
            self._global_over.set()
            raise
        except RuntimeError as error:
            if self._is_closing:
                raise aiohttp.ClientConnectionError("the connection is closed") from error
            raise

    async def ws_connect(self, url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
        self.socket = await super().ws_connect(url, compress=compress)
        return self.socket

    async def close(self) -> None:
        self._is_closing = True
        await super().close()
