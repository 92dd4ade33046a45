"""Hand Discord's events over: find where and by whom each was made, and read what was missed."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from seasoned.channels.channel import (
    Address,
    ChannelError,
    ChannelEvent,
    Person,
    Reaction,
    Receive,
)
from seasoned.channels.discord import events
from seasoned.channels.discord.errors import DiscordRefusal, NotStored
from seasoned.channels.discord.events import Payload
from seasoned.channels.discord.presses import Presses
from seasoned.channels.recent import Recent
from seasoned.channels.thumbs import Thumbs, thumb_of_emoji

if TYPE_CHECKING:
    from seasoned.channels.discord.rest import Rest

log = logging.getLogger("seasoned.channels.discord")

PAGE = 100  # messages of a channel's history in one request
PAGES = 10  # of each channel, after a time without a session
REMEMBERED_CHANNELS, REMEMBERED_PEOPLE = 200, 1000


class Listener:
    """Returns from `handle` once an event is stored, and raises if it is not.

    When a session is gone, it reads the history of each channel from the last message on that it
    saw there. Presses and thumbs of that time are lost.
    """

    def __init__(
        self,
        rest: "Rest",
        receive: Receive,
        presses: Presses,
        *,
        last_seen: Mapping[str, str] | None = None,
        stored: Callable[[], None],
    ) -> None:
        self._rest = rest
        self._receive = receive
        self._presses = presses
        self._stored = stored
        self._thumbs = Thumbs()
        self._addresses: dict[str, Address] = {}
        self._roles: set[str] = set()  # the bot's own
        self._people = Recent[str, Person](REMEMBERED_PEOPLE)
        self._seen = Recent[str, str](REMEMBERED_CHANNELS)  # the last message of each channel
        self._seen.update(last_seen or {})
        self._missed: dict[str, str] = {}  # channels to read, and from which message on

    async def handle(self, event: str, data: Payload, event_id: str) -> None:
        try:
            await self._handle(event, data, event_id)
        except (KeyError, TypeError, ValueError) as odd:  # it would be as odd the next time
            log.warning("Discord's event %s is not understood and skipped: %r", event, odd)

    async def _handle(self, event: str, data: Payload, event_id: str) -> None:
        if event == "READY":
            self._missed = {**self._seen, **self._missed}
        if event in ("READY", "RESUMED"):
            await self._read_missed()
        elif event == "GUILD_CREATE":
            self._roles.update(events.own_roles(data, self._rest.me))
            for channel in [*data.get("channels", ()), *data.get("threads", ())]:
                self._addresses[str(channel["id"])] = events.address(channel)
        elif event == "MESSAGE_CREATE":
            await self._message(data)
        elif event == "INTERACTION_CREATE":
            await self._press(data)
        elif event == "MESSAGE_REACTION_ADD":
            await self._thumb(data, event_id, is_added=True)
        elif event == "MESSAGE_REACTION_REMOVE":
            await self._thumb(data, event_id, is_added=False)

    async def _message(self, message: Payload) -> None:
        channel = str(message["channel_id"])
        found = events.incoming(message, self._rest.me, self._roles)
        if found is not None:
            self._people[found.sender.id] = found.sender
            at = found.at if found.is_direct else await self._address(channel)
            await self._hand_over(replace(found, at=at))
        if found is not None or channel in self._seen:
            self._seen[channel] = str(message["id"])

    async def _press(self, interaction: Payload) -> None:
        press = events.press(interaction)
        if press is None:
            return
        self._people[press.sender.id] = press.sender
        self._presses.add(interaction)
        await self._hand_over(press)
        try:
            await self._presses.answer(self._rest, press.id)
        except DiscordRefusal:
            raise
        except ChannelError as late:  # whoever pressed sees an error; the press counts all the same
            log.warning("the press %s was taken, but not answered: %s", press.id, late)

    async def _thumb(self, data: Payload, event_id: str, *, is_added: bool) -> None:
        thumb = thumb_of_emoji(data["emoji"].get("name") or "")
        message, user = str(data["message_id"]), str(data["user_id"])
        if thumb is None or user == self._rest.me or not await self._is_ours(data):
            return
        sender = await self._person(data)
        if sender is None:
            return
        counts = (self._thumbs.add if is_added else self._thumbs.remove)(message, user, thumb)
        channel = str(data["channel_id"])
        at = await self._address(channel) if "guild_id" in data else Address(events.NAME, channel)
        await self._hand_over(Reaction(event_id, at, sender, message, counts))

    async def _hand_over(self, event: ChannelEvent) -> None:
        try:
            await self._receive(event)
        except Exception as error:
            raise NotStored(
                f"the event {event.id} could not be stored ({type(error).__name__}: {error}); "
                "Discord sends it again"
            ) from error
        self._stored()

    async def _is_ours(self, data: Payload) -> bool:
        """Discord names a message's author only when a reaction is added."""
        author = data.get("message_author_id")
        if author is None:
            if self._thumbs.knows(str(data["message_id"]), str(data["user_id"])):
                return True
            found = await self._find(
                "/channels/{channel_id}/messages/{message_id}",
                channel_id=str(data["channel_id"]),
                message_id=str(data["message_id"]),
            )
            author = found["author"]["id"] if found else ""
        return str(author) == self._rest.me

    async def _person(self, data: Payload) -> Person | None:
        """Return who reacted; None if it was a bot. In private chats Discord gives the id alone."""
        user = str(data["user_id"])
        member: Payload = data.get("member") or {}
        found: Payload | None = member.get("user")
        if found is None and user not in self._people:
            found = await self._find("/users/{user_id}", user_id=user) or {"id": user}
        if found is not None:
            if found.get("bot"):
                return None
            self._people[user] = events.person(found, member)
        return self._people[user]

    async def _address(self, channel: str) -> Address:
        if channel not in self._addresses:
            found = await self._find("/channels/{channel_id}", channel_id=channel)
            self._addresses[channel] = events.address(found or {"id": channel})
        return self._addresses[channel]

    async def _find(self, path: str, **places: Any) -> Payload | None:
        """Look something up; None if it is gone or not for the bot to see."""
        try:
            return await self._rest.call("GET", path, **places)
        except DiscordRefusal:
            raise
        except ChannelError as error:
            if error.retry_seconds is not None:
                raise
            return None

    async def _read_missed(self) -> None:
        while self._missed:
            channel, last = next(iter(self._missed.items()))
            await self._read_history(channel, last)
            del self._missed[channel]

    async def _read_history(self, channel: str, after: str) -> None:
        found = await self._find("/channels/{channel_id}", channel_id=channel)
        # Messages of a history do not say in which server they are.
        server = {"guild_id": found["guild_id"]} if found and found.get("guild_id") else {}
        for _ in range(PAGES if found else 0):
            page: Any = await self._rest.call(
                "GET",
                "/channels/{channel_id}/messages",
                channel_id=channel,
                params={"after": after, "limit": str(PAGE)},
            )
            for message in sorted(page, key=lambda one: int(one["id"])):
                await self._message({**message, **server})
                after = message["id"]
            if len(page) < PAGE:
                return
