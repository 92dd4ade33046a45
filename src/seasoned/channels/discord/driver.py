"""Discord as a channel: events from its gateway, messages by its REST interface."""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from seasoned.channels.channel import Address, Button, ChannelError, Press, Receive
from seasoned.channels.discord.errors import DiscordRefusal, DiscordThrottled, SessionLost
from seasoned.channels.discord.events import NAME
from seasoned.channels.discord.listener import Listener
from seasoned.channels.discord.presses import Presses
from seasoned.channels.reconnection import Pauses
from seasoned.core.errors import ConfigError
from seasoned.core.extras import missing_extra
from seasoned.core.text import storable

if TYPE_CHECKING:
    from seasoned.channels.discord.rest import Rest

log = logging.getLogger("seasoned.channels.discord")

LastSeen = Callable[[], Awaitable[Mapping[str, str]]]  # by channel or thread, a message's id

BUTTON_STYLE, BUTTON_TYPE, ROW_TYPE = 2, 2, 1  # of Discord's components
BUTTONS_PER_ROW = 5
WITHOUT_PREVIEWS = 4  # a message's flag
LONGEST_LABEL = 80
NONCE_SIGNS = 24
STEADY_SECONDS = 60.0  # a connection that lasted so long has worked


class DiscordDriver:
    """Receives events while `run` runs; sends at any time.

    An event is confirmed by its number in the gateway's session once it is stored, and what was
    not confirmed comes again. When the session is gone, histories are read from the last message
    seen on; `last_seen` gives those from before this process.
    """

    name = NAME
    longest = 2000
    edit_seconds = 1.2  # Discord allows five edits in five seconds

    def __init__(
        self,
        token: str,
        url: str = "",
        *,
        last_seen: LastSeen | None = None,
        pause_seconds: float = 1.0,
    ) -> None:
        self._token = token.strip()
        if not self._token or not self._token.isascii() or len(self._token.split()) > 1:
            raise ConfigError(
                "discord.token is empty or has spaces in it; copy the bot's token from Discord's "
                "developer portal"
            )
        if find_spec("discord") is None:
            raise missing_extra("channels", "Discord needs discord.py")
        self._url = url
        self._last_seen = last_seen
        self._pause_seconds = pause_seconds
        self._rest: Rest | None = None  # while it runs
        self._presses = Presses()

    def measure(self, text: str) -> int:
        return len(text)  # Discord counts code points

    async def run(self, receive: Receive) -> None:
        from seasoned.channels.discord.gateway import ResumePoint, listen
        from seasoned.channels.discord.rest import Rest

        pauses = Pauses(self._pause_seconds)
        point = ResumePoint()
        listener: Listener | None = None
        clock = asyncio.get_running_loop().time
        try:
            while True:
                began = clock()
                try:
                    if self._rest is None or listener is None:
                        self._rest = await Rest.logged_in(self._token, self._url)
                        last_seen = await self._last_seen() if self._last_seen else None
                        listener = Listener(
                            *(self._rest, receive, self._presses),
                            last_seen=last_seen,
                            stored=pauses.worked,
                        )
                    await listen(self._rest, point, listener.handle)
                except DiscordRefusal:
                    raise
                except Exception as lost:  # noqa: BLE001 - logged; the next connection goes on
                    if clock() - began > STEADY_SECONDS:
                        pauses.worked()
                    pause = pauses.next()
                    if isinstance(lost, SessionLost):
                        point = ResumePoint()
                        # Discord asks for one to five seconds before a new session
                        pause = max(pause, self._pause_seconds * random.uniform(1, 5))
                    if isinstance(lost, DiscordThrottled):
                        pause = max(pause, lost.retry_seconds or 0)
                    reason = str(lost) or type(lost).__name__
                    log.warning("no connection to Discord: %s; next try in %.1f s", reason, pause)
                    await asyncio.sleep(pause)
        finally:
            rest, self._rest = self._rest, None
            if rest is not None:
                await rest.close()

    async def send(self, to: Address, text: str, buttons: Sequence[Button] = ()) -> str:
        nonce = uuid4().hex[:NONCE_SIGNS]
        body = {**message_body(text, buttons), "nonce": nonce, "enforce_nonce": True}
        async with self._connection() as rest:
            try:
                sent = await self._post(rest, to, body)
            except ChannelError as error:
                is_answered = hasattr(error.__cause__, "status")
                if is_answered or isinstance(error, DiscordThrottled):
                    raise
                # The connection broke. If Discord has it already, the nonce prevents a second one.
                sent = await self._post(rest, to, body)
        return str(sent["id"])

    async def edit(
        self, to: Address, message: str, text: str, buttons: Sequence[Button] = ()
    ) -> None:
        async with self._connection() as rest:
            await rest.call(
                "PATCH",
                "/channels/{channel_id}/messages/{message_id}",
                channel_id=to.thread or to.chat,
                message_id=message,
                json=message_body(text, buttons),
            )

    async def typing(self, to: Address) -> None:
        async with self._connection() as rest:
            place = to.thread or to.chat
            await rest.call("POST", "/channels/{channel_id}/typing", channel_id=place)

    async def acknowledge(self, press: Press, text: str = "") -> None:
        """Show a text to whoever pressed; the press itself is answered once it is stored.

        Discord takes it for 15 minutes, from the process that got the press; later nothing is
        shown.
        """
        async with self._connection() as rest:
            await self._presses.answer(rest, press.id, text[: self.longest])

    async def _post(self, rest: "Rest", to: Address, body: dict[str, Any]) -> Any:
        place = to.thread or to.chat
        return await rest.call(
            "POST", "/channels/{channel_id}/messages", channel_id=place, json=body
        )

    @asynccontextmanager
    async def _connection(self) -> "AsyncGenerator[Rest]":
        """Use the connection of `run`, or one for this request alone."""
        from seasoned.channels.discord.rest import Rest

        if self._rest is not None:
            yield self._rest
            return
        rest = await Rest.logged_in(self._token, self._url)
        try:
            yield rest
        finally:
            await rest.close()


def message_body(text: str, buttons: Sequence[Button]) -> dict[str, Any]:
    """Return the JSON of a message that pings nobody, whatever its text says.

    A preview would fetch an address in an answer, with all that is in it, without a click.
    """
    made = [
        {
            "type": BUTTON_TYPE,
            "style": BUTTON_STYLE,
            "label": one.label[:LONGEST_LABEL],
            "custom_id": one.data,
        }
        for one in buttons
    ]
    starts = range(0, len(made), BUTTONS_PER_ROW)
    rows = [made[start : start + BUTTONS_PER_ROW] for start in starts]
    return {
        "content": storable(text),
        "flags": WITHOUT_PREVIEWS,
        "allowed_mentions": {"parse": []},
        "components": [{"type": ROW_TYPE, "components": row} for row in rows],
    }
