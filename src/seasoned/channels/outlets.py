"""Where notices and results of jobs go out: the channels that run in this process, by name.

A place is written `telegram:CHAT`, or with a thread `telegram:CHAT:THREAD`. The name of a session
in a chat is a place, too: what follows a `#` tells it from earlier ones there. In a chat's name,
`:`, `#` and `%` are written as in an address of the web: `hook:!room%3Aexample.org`.
"""

import asyncio
from collections.abc import Sequence
from urllib.parse import unquote

from seasoned.channels.channel import Address, Channel, ChannelError
from seasoned.channels.notice import Notice
from seasoned.channels.patience import patiently
from seasoned.channels.splitting import split
from seasoned.core.errors import BadInput, NotifierError

NAMES = ("telegram", "discord", "slack", "hook")
SEND_SECONDS = 60.0


def address_of(place: str) -> Address:
    """Read a place.

    >>> address_of("slack:C1:17.2#x3")
    Address(channel='slack', chat='C1', thread='17.2')
    >>> address_of("hook:!room%3Aexample.org").chat
    '!room:example.org'
    """
    channel, _, rest = place.partition("#")[0].partition(":")
    chat, _, thread = rest.partition(":")
    if channel not in NAMES or not chat:
        raise BadInput(
            f"{place!r} is no place to send to; write it as telegram:CHAT, discord:CHANNEL, "
            "slack:CHANNEL or hook:CHAT"
        )
    return Address(channel, unquote(chat), unquote(thread))


class Outlets:
    """Running channels. Messages may be sent from any thread."""

    def __init__(self) -> None:
        self._channels: dict[str, tuple[Channel, asyncio.AbstractEventLoop]] = {}

    @property
    def names(self) -> Sequence[str]:
        return tuple(self._channels)

    def open(self, channel: Channel) -> None:
        """Let messages go out by a channel that runs in the current event loop."""
        self._channels[channel.name] = (channel, asyncio.get_running_loop())

    def close(self, channel: Channel) -> None:
        self._channels.pop(channel.name, None)

    async def send(self, place: str, text: str) -> None:
        """Send a text; `NotifierError` if it cannot be delivered."""
        at = address_of(place)
        found = self._channels.get(at.channel)
        if found is None:
            raise NotifierError(
                f"{at.channel} does not run in this process, so nothing can be sent to {place}; "
                "`seasoned serve` runs the channels"
            )
        channel, loop = found
        sending = asyncio.run_coroutine_threadsafe(_send(channel, at, text), loop)
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await asyncio.wrap_future(sending)
        except (ChannelError, TimeoutError) as error:
            said = str(error) or f"{at.channel} did not take it in {SEND_SECONDS:g} s"
            raise NotifierError(f"{place}: {said}") from error


class ChannelNotifier:
    """Sends each notice to one place; called from the thread of the notices."""

    def __init__(self, outlets: Outlets, place: str) -> None:
        address_of(place)  # a wrong one is told at the start
        self._outlets = outlets
        self._place = place

    def notify(self, notice: Notice) -> None:
        text = f"**{notice.title}**\n\n{notice.text}"
        asyncio.run(self._outlets.send(self._place, text))


async def _send(channel: Channel, at: Address, text: str) -> None:
    for piece in split(text, channel.longest, channel.measure):
        await patiently(lambda piece=piece: channel.send(at, piece))
