"""An answer on a platform: it grows by edits while it is written, and is delivered whole once.

Which messages it became is stored as they are sent. So after a crash the same messages are edited,
and none is sent again.
"""

import asyncio

from seasoned.channels.channel import Channel, ChannelError
from seasoned.channels.inbox import Inbox, Letter
from seasoned.channels.patience import patiently
from seasoned.channels.splitting import split

GAP = "…"  # in a message that the final answer does not need any more


class Answer:
    """The messages that answer one letter."""

    def __init__(self, channel: Channel, inbox: Inbox, letter: Letter) -> None:
        self._channel = channel
        self._inbox = inbox
        self._letter = letter
        self._sent: dict[int, str] | None = None  # messages by number of the piece
        self._shown: dict[int, str] = {}
        self._next_at = 0.0  # when the platform takes the next edit

    async def grow(self, text: str) -> None:
        """Show the beginning of an answer, unless the platform was written to a moment ago."""
        channel = self._channel
        loop = asyncio.get_running_loop()
        if not channel.edit_seconds or not text.strip() or loop.time() < self._next_at:
            return
        self._next_at = loop.time() + channel.edit_seconds
        try:
            for piece, words in enumerate(split(text, channel.longest, channel.measure)):
                await self._put(piece, words)
        except ChannelError as error:  # what is whole is delivered with patience
            self._next_at = loop.time() + (error.retry_seconds or channel.edit_seconds)

    async def finish(self, text: str) -> None:
        """Deliver the whole answer; `ChannelError` if the platform refuses it for good."""
        pieces = split(text, self._channel.longest, self._channel.measure)
        for piece, words in enumerate(pieces):
            await patiently(lambda piece=piece, words=words: self._put(piece, words))
        for piece in sorted(self._sent or ()):
            if piece >= len(pieces):
                await patiently(lambda piece=piece: self._put(piece, GAP))

    async def _put(self, piece: int, words: str) -> None:
        if self._sent is None:
            self._sent = dict(await self._inbox.sent(self._letter))
        if self._shown.get(piece) == words:
            return
        message = self._sent.get(piece)
        if message is None:
            message = await self._channel.send(self._letter.at, words)
            self._sent[piece] = message
            await self._inbox.note_sent(self._letter, piece, message)
        elif self._channel.edit_seconds:
            await self._channel.edit(self._letter.at, message, words)
        self._shown[piece] = words
