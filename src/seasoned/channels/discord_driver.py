"""Discord as a channel: events from its gateway, messages by its REST interface."""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from seasoned.channels import discord_events as events
from seasoned.channels.channel import Address, Button, ChannelError, Press, Receive
from seasoned.channels.reconnection import Pauses
from seasoned.channels.thumbs import Thumbs
from seasoned.core.errors import ConfigError
from seasoned.core.extras import missing_extra

if TYPE_CHECKING:
    from seasoned.channels.discord_gateway import Gateway, Rest

log = logging.getLogger("seasoned.channels.discord")

PAGE = 100  # messages of a channel's history in one request
PAGES = 10  # so many are read after a downtime
SECONDARY, BUTTON, ROW = 2, 2, 1  # types of Discord's components
PER_ROW = 5
SEEN_ALREADY, ONLY_FOR_YOU = 6, 64  # an interaction's answer, a message's flag
RETRY_SECONDS = 5.0
OPEN_PRESSES = 1000

# Close codes that a new connection would meet again, and what to do about them.
FATAL = {
    4004: "discord.token is wrong; copy the bot's token from Discord's developer portal",
    4013: "Discord does not know an intent; update discord.py",
    4014: "the bot may not read messages; switch on the Message Content Intent in Discord's "
    "developer portal, under Bot",
}


class DiscordSettings(Protocol):
    """The section `discord` of the settings."""

    @property
    def token(self) -> str: ...
    @property
    def url(self) -> str: ...


class DiscordChannel:
    """Confirms an event by its number in the gateway's session, once it is stored.

    What was not confirmed comes again with the session's resume. When the session is gone, the
    history of each channel is read from the last message seen; `last_seen` returns those that are
    known from before this process (by channel or thread). Presses and reactions of that time are
    lost, and so are messages in private chats that are not in `last_seen`.
    """

    name = events.NAME
    longest = 2000
    edit_seconds = 1.2  # Discord allows five edits in five seconds

    def __init__(
        self,
        settings: DiscordSettings,
        *,
        last_seen: Callable[[], Awaitable[Mapping[str, str]]] | None = None,
        pause_seconds: float = 1.0,
    ) -> None:
        if not settings.token:
            raise ConfigError("discord.token is empty; set the token of the bot")
        try:
            import discord  # noqa: F401  # pyright: ignore[reportUnusedImport]
        except ImportError as missing:
            raise missing_extra("channels", "Discord needs discord.py") from missing
        self._settings = settings
        self._last_seen = last_seen
        self._pause_seconds = pause_seconds
        self._rest: Rest | None = None
        self._opening = asyncio.Lock()
        self._me = ""
        self._receive: Receive | None = None
        self._thumbs = Thumbs()
        self._parents: dict[str, str] = {}  # of threads; empty for other channels
        self._seen: dict[str, str] = {}  # the last message of each channel
        self._presses: OrderedDict[str, tuple[str, str]] = OrderedDict()  # application, token

    async def run(self, receive: Receive) -> None:
        from seasoned.channels.discord_gateway import Client

        self._receive = receive
        pauses = Pauses(self._pause_seconds)
        session: str | None = None
        sequence: int | None = None
        url = ""
        try:
            if self._last_seen is not None:
                self._seen.update(await self._last_seen())
            while True:
                gateway: Gateway | None = None
                try:
                    client = Client(await self._connected(), self._handler(pauses))
                    if session is None:
                        url = str((await self._call("GET", "/gateway/bot"))["url"])
                    gateway = await self._open(client, url, session, sequence)
                    while True:
                        await gateway.poll_event()
                except Exception as lost:  # noqa: BLE001 - logged; only what is fatal ends it
                    raise_if_fatal(lost)
                    log.warning("the connection to Discord is lost: %s", lost or type(lost))
                finally:
                    if gateway is not None:
                        session, sequence = gateway.session_id, gateway.sequence
                        url = str(gateway.gateway) if session else ""
                        # 4000 keeps the session, so that it can be resumed
                        with contextlib.suppress(OSError):
                            await gateway.close(4000)
                await asyncio.sleep(pauses.next())
        finally:
            self._receive = None
            await self.close()

    async def close(self) -> None:
        """Close the connection for requests; it opens again by itself."""
        rest, self._rest = self._rest, None
        if rest is not None:
            await rest.close()

    async def send(self, to: Address, text: str, buttons: Sequence[Button] = ()) -> str:
        body = {**message_body(text, buttons), "nonce": uuid4().hex[:24], "enforce_nonce": True}
        path = f"/channels/{to.thread or to.chat}/messages"
        try:
            sent = await self._call("POST", path, json=body)
        except ChannelError as error:
            if not isinstance(error.__cause__, OSError | TimeoutError):
                raise
            # Perhaps Discord has it already: with the same nonce, it makes no second message.
            sent = await self._call("POST", path, json=body)
        return str(sent["id"])

    async def edit(
        self, to: Address, message: str, text: str, buttons: Sequence[Button] = ()
    ) -> None:
        path = f"/channels/{to.thread or to.chat}/messages/{message}"
        await self._call("PATCH", path, json=message_body(text, buttons))

    async def typing(self, to: Address) -> None:
        await self._call("POST", f"/channels/{to.thread or to.chat}/typing")

    async def acknowledge(self, press: Press, text: str = "") -> None:
        """Show a text to whoever pressed; the press itself was answered when it was stored.

        Discord takes it for 15 minutes, from the process that got the press.
        """
        application, token = self._presses.get(press.id, ("", ""))
        if not token or not text:
            return
        body = {**message_body(text[: self.longest], ()), "flags": ONLY_FOR_YOU}
        await self._call("POST", f"/webhooks/{application}/{token}", json=body)

    async def _open(
        self, client: Any, url: str, session: str | None, sequence: int | None
    ) -> "Gateway":
        from seasoned.channels.discord_gateway import Gateway

        async with asyncio.timeout(60):
            return await Gateway.connected(client, url, session=session, sequence=sequence)

    def _handler(self, pauses: Pauses) -> Callable[[str, dict[str, Any], str], Awaitable[None]]:
        async def handle(event: str, data: dict[str, Any], event_id: str) -> None:
            if event == "READY":
                await self._catch_up()
            if event in ("READY", "RESUMED"):
                return
            await self._handle(event, data, event_id)
            pauses.worked()  # not earlier: an event that cannot be stored is asked for ever slower

        return handle

    async def _handle(self, event: str, data: dict[str, Any], event_id: str) -> None:
        if event == "GUILD_CREATE":
            for channel in [*data.get("channels", ()), *data.get("threads", ())]:
                self._parents[channel["id"]] = events.parent_of(channel)
        elif event == "MESSAGE_CREATE":
            await self._message(data)
        elif event == "INTERACTION_CREATE":
            await self._press(data)
        elif event in ("MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"):
            added = event == "MESSAGE_REACTION_ADD"
            at = await self._address(data["channel_id"])
            found = events.reaction(
                data, at, self._me, event_id=event_id, added=added, thumbs=self._thumbs
            )
            if found is not None:
                await self._hand_over(found)

    async def _message(self, message: dict[str, Any]) -> None:
        channel = str(message["channel_id"])
        at = Address(self.name, channel)
        if events.incoming(message, at, self._me) is not None:
            at = await self._address(channel)
            found = events.incoming(message, at, self._me)
            assert found is not None
            await self._hand_over(found)
            self._seen[channel] = message["id"]
        elif channel in self._seen:
            self._seen[channel] = message["id"]

    async def _press(self, interaction: dict[str, Any]) -> None:
        at = await self._address(interaction["channel_id"])
        found = events.press(interaction, at)
        if found is None:
            return
        self._presses[found.id] = (str(interaction["application_id"]), interaction["token"])
        if len(self._presses) > OPEN_PRESSES:
            self._presses.popitem(last=False)
        await self._hand_over(found)
        path = f"/interactions/{found.id}/{interaction['token']}/callback"
        try:
            await self._call("POST", path, json={"type": SEEN_ALREADY})
        except ChannelError as late:  # Discord waits three seconds; the press counts all the same
            log.info("the press %s could not be answered: %s", found.id, late)

    async def _catch_up(self) -> None:
        """Read what was written while there was no session."""
        for channel, last in list(self._seen.items()):
            after = last
            for _ in range(PAGES):
                query = {"after": after, "limit": str(PAGE)}
                try:
                    page = await self._call("GET", f"/channels/{channel}/messages", params=query)
                except ChannelError as error:
                    if error.retry_seconds is not None:
                        raise
                    log.warning("the history of channel %s cannot be read: %s", channel, error)
                    break
                guild = await self._guild(channel)
                for message in sorted(page, key=lambda one: int(one["id"])):
                    await self._message({**message, **guild})
                    after = message["id"]
                if len(page) < PAGE:
                    break

    async def _guild(self, channel: str) -> dict[str, str]:
        """Messages of a history do not say in which guild they are."""
        found = await self._call("GET", f"/channels/{channel}")
        return {"guild_id": found["guild_id"]} if found.get("guild_id") else {}

    async def _address(self, channel: str) -> Address:
        channel = str(channel)
        if channel not in self._parents:
            found = await self._call("GET", f"/channels/{channel}")
            self._parents[channel] = events.parent_of(found)
        parent = self._parents[channel]
        return Address(self.name, parent, channel) if parent else Address(self.name, channel)

    async def _hand_over(self, event: Any) -> None:
        assert self._receive is not None
        await self._receive(event)

    async def _connected(self) -> "Rest":
        """Log in on first use."""
        import aiohttp
        import discord

        from seasoned.channels.discord_gateway import Rest

        async with self._opening:
            if self._rest is None:
                rest = Rest(self._settings.url)
                try:
                    self._me = str((await rest.static_login(self._settings.token))["id"])
                except discord.LoginFailure as error:
                    await rest.close()
                    raise ChannelError(FATAL[4004]) from error
                except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
                    await rest.close()
                    raise channel_error("logging in", error) from error
                self._rest = rest
            return self._rest

    async def _call(self, method: str, path: str, **options: Any) -> Any:
        import aiohttp
        import discord
        from discord.http import Route

        rest = await self._connected()
        try:
            return await rest.request(Route(method, path), **options)
        except (
            discord.HTTPException,
            discord.RateLimited,
            aiohttp.ClientError,
            OSError,
        ) as error:
            raise channel_error(f"{method} {path.split('/')[1]}", error) from error


def message_body(text: str, buttons: Sequence[Button]) -> dict[str, Any]:
    """Return the JSON of a message that pings nobody, whatever its text says."""
    made = [
        {"type": BUTTON, "style": SECONDARY, "label": one.label[:80], "custom_id": one.data}
        for one in buttons
    ]
    rows = [made[start : start + PER_ROW] for start in range(0, len(made), PER_ROW)]
    return {
        "content": text,
        "allowed_mentions": {"parse": []},
        "components": [{"type": ROW, "components": row} for row in rows],
    }


def channel_error(deed: str, error: Exception) -> ChannelError:
    """Say what Discord refused, and when to try again."""
    status = getattr(error, "status", None)
    asked = getattr(error, "retry_after", None)
    if asked is None and status == 429:
        response: Any = getattr(error, "response", None)
        asked = response.headers.get("Retry-After") if response is not None else None
    if asked is not None:
        wait = float(asked)
        return ChannelError(f"Discord asks to wait {wait:.0f} s ({deed})", retry_seconds=wait)
    if status is not None and status < 500 and status != 429:
        return ChannelError(f"Discord refused ({deed}): {error}; has the bot the permission?")
    return ChannelError(f"Discord failed ({deed}): {error}", retry_seconds=RETRY_SECONDS)


def raise_if_fatal(lost: Exception) -> None:
    """Raise an error that says what to do, if a new connection would end in the same way."""
    code = getattr(lost, "code", None)
    if code in FATAL:
        raise ChannelError(f"Discord closed the connection: {FATAL[code]}") from lost
    if isinstance(lost, ChannelError) and str(lost) == FATAL[4004]:
        raise lost
