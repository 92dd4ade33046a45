"""An answer on a platform: it grows by edits while it is written, and is delivered whole once.

Which messages it became is stored as they are sent. So after a crash the same messages are edited,
and none is sent again.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from seasoned.channels.channel import Channel, ChannelDown, ChannelError
from seasoned.channels.inbox import Inbox, Letter
from seasoned.channels.patience import patiently
from seasoned.channels.splitting import GrowingSplit

log = logging.getLogger("seasoned.channels")

NOTHING = "(I have nothing to say to this.)"
LONG = 4  # times a message; longer texts are split in a thread, so that others are served
GAP = "…"  # in a message that the final answer does not need any more


class Answer:
    """The messages that answer one letter."""

    def __init__(self, channel: Channel, inbox: Inbox, letter: Letter) -> None:
        self._channel = channel
        self._inbox = inbox
        self._letter = letter
        self._messages: dict[int, str] = {}  # by number of the piece
        self._is_read = False  # whether those of an earlier process are among them
        self._shown: dict[int, str] = {}
        self._next_at = 0.0  # when the platform takes the next edit
        self._growing = GrowingSplit(channel.longest, channel.measure)

    async def grow(self, text: str) -> None:
        """Show the beginning of an answer, unless the platform was written to a moment ago."""
        channel = self._channel
        loop = asyncio.get_running_loop()
        if not channel.edit_seconds or not text.strip() or loop.time() < self._next_at:
            return
        self._next_at = loop.time() + channel.edit_seconds
        try:
            for piece, words in enumerate(await self._split(text)):
                await self._put(piece, words)
        except ChannelError as error:  # what is whole is delivered with patience
            self._next_at = loop.time() + (error.retry_seconds or channel.edit_seconds)

    async def finish(self, text: str) -> None:
        """Deliver the whole answer; `ChannelError` if the platform refuses it for good."""
        pieces = await self._split(text) or [NOTHING]
        for piece, words in enumerate(pieces):
            await patiently(lambda piece=piece, words=words: self._put(piece, words))
        for piece in sorted(self._messages):
            if piece >= len(pieces):
                with suppress(ChannelError):  # it is gone, which is as well
                    await patiently(lambda piece=piece: self._edit(piece, GAP))

    async def _split(self, text: str) -> Sequence[str]:
        if len(text) <= LONG * self._channel.longest:
            return self._growing.split(text)
        return await asyncio.to_thread(self._growing.split, text)

    async def _put(self, piece: int, words: str) -> None:
        await self._read_messages()
        if self._shown.get(piece) == words:
            return
        if piece not in self._messages:
            await self._send(piece, words)
        elif self._channel.edit_seconds:
            try:
                await self._edit(piece, words)
            except ChannelDown:
                raise
            except ChannelError as error:
                if error.retry_seconds is not None:
                    raise
                log.info("a message cannot be edited, a new one takes its place: %s", error)
                await self._send(piece, words)
        self._shown[piece] = words

    async def _read_messages(self) -> None:
        if not self._is_read:
            self._messages.update(await self._inbox.sent(self._letter))
            self._is_read = True

    async def _send(self, piece: int, words: str) -> None:
        message = await self._channel.send(self._letter.at, words)
        self._messages[piece] = message
        await self._inbox.note_sent(self._letter, piece, message)

    async def _edit(self, piece: int, words: str) -> None:
        await self._channel.edit(self._letter.at, self._messages[piece], words)
