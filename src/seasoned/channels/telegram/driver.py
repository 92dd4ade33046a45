"""Telegram as a channel: updates by long polling, messages by its Bot API."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from seasoned.channels.channel import Address, Button, ChannelError, Press, Receive
from seasoned.channels.reconnection import Pauses
from seasoned.channels.telegram import events
from seasoned.channels.telegram.html import (
    telegram_html,
    utf16_length,
    visible_length,
    visible_text,
)
from seasoned.core.errors import ConfigError
from seasoned.core.extras import missing_extra
from seasoned.core.text import one_line, storable

if TYPE_CHECKING:
    from telegram import Bot, InlineKeyboardMarkup, Update

    from seasoned.channels.telegram.connection import Connection

log = logging.getLogger("seasoned.channels.telegram")

LONGEST_PAUSE = 48  # seconds; spread by a quarter that is at most a minute
LONGEST_TOAST = 200  # characters of the answer to a press
PER_ROW = 3  # buttons

# What Telegram says, in small letters, when a call failed in a way that we expect.
NOT_FORMATTED = ("can't parse entities", "entities_too_long", "message is too long")
NOT_MODIFIED = "message is not modified"
TOO_LATE = ("query is too old", "query id is invalid")


class TelegramDriver:
    """Confirms an update once it is stored: by asking for those after it.

    Telegram cannot tell whether a message whose answer was lost has been sent; whoever tries it
    again may send it twice.
    """

    name = events.NAME
    longest = 4096
    edit_seconds = 1.0  # in groups, `edit` waits for longer

    def __init__(
        self,
        token: str,
        url: str = "",
        *,
        poll_seconds: int = 30,
        pause_seconds: float = 1.0,
        group_edit_seconds: float = 3.0,  # Telegram takes 20 messages a minute there
    ) -> None:
        if not token.strip():
            raise ConfigError("telegram.token is empty; set the token that @BotFather gave you")
        if url and not url.startswith(("http://", "https://")):
            raise ConfigError(
                "telegram.url must begin with http:// or https://; empty is Telegram's own"
            )
        try:
            import telegram  # noqa: F401  # pyright: ignore[reportUnusedImport]
        except ImportError as missing:
            raise missing_extra("channels", "Telegram needs python-telegram-bot") from missing
        self._token = token.strip()
        self._url = url
        self._poll_seconds = poll_seconds
        self._pause_seconds = pause_seconds
        self._group_edit_seconds = group_edit_seconds
        self._connection: Connection | None = None
        self._me: events.Me | None = None
        self._offset = 0  # the first update that is not stored
        self._moved: dict[str, str] = {}  # groups that became supergroups
        self._written: dict[str, float] = {}  # when we last wrote in a group

    def measure(self, text: str) -> int:
        return visible_length(text)

    async def run(self, receive: Receive) -> None:
        from seasoned.channels.telegram.connection import TokenRefused

        pauses = Pauses(self._pause_seconds, most_seconds=LONGEST_PAUSE)
        try:
            while True:
                try:
                    await self._poll(receive)
                    pauses.worked()
                except ChannelError as error:
                    if isinstance(error, TokenRefused) and self._me is None:
                        raise
                    if isinstance(error, TokenRefused):  # perhaps a proxy's 404: ask who we are
                        self._me = None
                    pause = max(pauses.next(), error.retry_seconds or 0)
                    log.warning("%s; the next try is in %.1f s", error, pause)
                    await asyncio.sleep(pause)
        finally:
            await self.close()

    async def close(self) -> None:
        """Close the connection; it opens again by itself."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def send(self, to: Address, text: str, buttons: Sequence[Button] = ()) -> str:
        async def post(**content: Any) -> str:
            sent = await self._bot().send_message(
                self._chat(to), message_thread_id=_thread(to), **content
            )
            return str(sent.message_id)

        return await self._write(to, text, buttons, "a message", post)

    async def edit(
        self, to: Address, message: str, text: str, buttons: Sequence[Button] = ()
    ) -> None:
        """Change one of our messages; in a group, wait until Telegram takes another one there."""
        await self._group_pause(to)

        async def post(**content: Any) -> str:
            await self._bot().edit_message_text(
                chat_id=self._chat(to), message_id=int(message), **content
            )
            return message

        try:
            await self._write(to, text, buttons, "an edit", post)
        except ChannelError as error:
            if NOT_MODIFIED not in str(error).lower():
                raise

    async def typing(self, to: Address) -> None:
        with self._errors("a typing sign", to):
            await self._bot().send_chat_action(
                self._chat(to), "typing", message_thread_id=_thread(to)
            )

    async def acknowledge(self, press: Press, text: str = "") -> None:
        """Answer a press; Telegram takes that for some time only, and a late one is no error."""
        try:
            with self._errors("the answer to a press", press.at):
                await self._bot().answer_callback_query(press.id, text[:LONGEST_TOAST] or None)
        except ChannelError as error:
            if not any(late in str(error).lower() for late in TOO_LATE):
                raise
            log.info("the press %s was answered too late", press.id)

    async def _poll(self, receive: Receive) -> None:
        """Wait for updates and hand them on; the next call confirms those that are stored."""
        me = await self._who()
        with self._errors("the request for updates"):
            updates = await self._bot().get_updates(
                offset=self._offset or None,
                timeout=self._poll_seconds,
                allowed_updates=events.KINDS,
            )
        for update in updates:
            await self._hand_on(update, me, receive)
            # Not the greatest: after a quiet week Telegram begins anew with a number by chance.
            self._offset = update.update_id + 1

    async def _hand_on(self, update: "Update", me: events.Me, receive: Receive) -> None:
        try:
            event = events.event_of(update, me)
        except Exception:
            log.exception("the update %d cannot be read and is skipped", update.update_id)
            return
        if event is None:
            return
        try:
            await receive(event)
        except Exception as error:
            raise ChannelError(
                f"the update {update.update_id} could not be stored: "
                f"{one_line(str(error)) or type(error).__name__}",
                retry_seconds=self._pause_seconds,
            ) from error

    async def _who(self) -> events.Me:
        if self._me is None:
            with self._errors("the question who we are"):
                user = await self._bot().get_me()
            self._me = events.Me(user.id, user.username or "")
        return self._me

    async def _write(
        self,
        to: Address,
        text: str,
        buttons: Sequence[Button],
        what: str,
        post: Callable[..., Awaitable[str]],
    ) -> str:
        """Post a text as HTML, or plainly if Telegram cannot read the HTML."""
        from telegram import LinkPreviewOptions

        text = storable(text)
        # A preview would fetch an address in an answer, with all that is in it, without a click.
        more = {
            "reply_markup": _keyboard(buttons),
            "link_preview_options": LinkPreviewOptions(is_disabled=True),
        }
        try:
            with self._errors(what, to):
                return await post(text=telegram_html(text), parse_mode="HTML", **more)
        except ChannelError as error:
            if not any(one in str(error).lower() for one in NOT_FORMATTED):
                raise
            log.warning("%s; it is sent as plain text", error)
        finally:
            self._written[to.chat] = time.monotonic()
        plain = text if utf16_length(text) <= self.longest else visible_text(text)
        with self._errors(what, to):
            return await post(text=plain, **more)

    async def _group_pause(self, to: Address) -> None:
        if to.chat.startswith("-"):  # the ids of groups are negative
            last = self._written.get(to.chat, 0.0)
            await asyncio.sleep(max(0.0, last + self._group_edit_seconds - time.monotonic()))

    def _bot(self) -> "Bot":
        from seasoned.channels.telegram.connection import Connection

        if self._connection is None:
            self._connection = Connection(self._token, self._url)
        return self._connection.bot

    @contextmanager
    def _errors(self, what: str, to: Address | None = None) -> Generator[None]:
        from seasoned.channels.telegram.connection import GroupMoved, channel_errors

        named = f"{what} in chat {to.chat}" if to else what
        try:
            with channel_errors(named, self._pause_seconds):
                yield
        except GroupMoved as moved:
            if to is not None:
                self._moved[to.chat] = moved.chat
            raise

    def _chat(self, to: Address) -> str:
        return self._moved.get(to.chat, to.chat)


def _thread(to: Address) -> int | None:
    return int(to.thread) if to.thread else None


def _keyboard(buttons: Sequence[Button]) -> "InlineKeyboardMarkup | None":
    from telegram import InlineKeyboardButton, InlineKeyboardMarkup

    made = [InlineKeyboardButton(one.label, callback_data=one.data) for one in buttons]
    rows = [made[start : start + PER_ROW] for start in range(0, len(made), PER_ROW)]
    return InlineKeyboardMarkup(rows) if rows else None
