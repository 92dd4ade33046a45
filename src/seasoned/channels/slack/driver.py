"""Slack as a channel: events by Socket Mode or HTTP, messages by its Web API."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from seasoned.channels.channel import Address, Button, ChannelError, Incoming, Press, Receive
from seasoned.channels.slack import events
from seasoned.channels.slack.errors import connection_pauses, pause_after
from seasoned.channels.slack.http import SlackEvents
from seasoned.channels.slack.mrkdwn import mrkdwn
from seasoned.channels.slack.socket import SocketMode
from seasoned.channels.slack.web import SlackWeb
from seasoned.channels.splitting import split
from seasoned.channels.thumbs import Thumbs
from seasoned.core.errors import ConfigError

log = logging.getLogger("seasoned.channels.slack")

Threads = Callable[[], Awaitable[Sequence[tuple[str, str]]]]  # in which the bot answered

LONGEST_SECTION = 3000
LONGEST_LABEL = 75
PER_ROW = 25  # buttons in a block of actions
WRITING = "is writing…"
PING_SECONDS = 10.0


class SlackDriver:
    """Events come by Socket Mode with an app token, by HTTP with a signing secret.

    With both, Slack's own settings decide; an event that comes twice has the same id.
    """

    name = events.NAME
    longest = 3900  # Slack takes 4000 in an edit
    edit_seconds = 1.2  # about one a second is allowed in a conversation

    def __init__(
        self,
        bot_token: str,
        app_token: str = "",
        signing_secret: str = "",
        url: str = "",
        *,
        threads: Threads | None = None,
        pause_seconds: float = 1.0,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        check_tokens(bot_token, app_token, signing_secret)
        self._web = SlackWeb(bot_token, url)
        self._app_token = app_token
        self._pause_seconds = pause_seconds
        self._ping_seconds = ping_seconds
        self._receive: Receive | None = None
        self._me = ""
        self._threads = threads
        self._followed = events.Followed()
        self._thumbs = Thumbs()
        self._shows_writing = True
        self.events = SlackEvents(signing_secret, self._take) if signing_secret else None

    def measure(self, text: str) -> int:
        return len(mrkdwn(text))

    async def run(self, receive: Receive) -> None:
        try:
            await self._identify()
            for chat, thread in await self._threads() if self._threads else ():
                self._followed.answered_before(chat, thread)
            self._receive = receive
            if self._app_token:
                await SocketMode(
                    self._web,
                    self._app_token,
                    self._take,
                    pause_seconds=self._pause_seconds,
                    ping_seconds=self._ping_seconds,
                ).run()
            else:
                await asyncio.Event().wait()  # the gateway calls `events`
        finally:
            self._receive = None
            await self.close()

    async def close(self) -> None:
        """Close the connection for requests; it opens again by itself."""
        await self._web.close()

    async def send(self, to: Address, text: str, buttons: Sequence[Button] = ()) -> str:
        place = {"channel": to.chat, "thread_ts": to.thread or None}
        previews = {"unfurl_links": False, "unfurl_media": False}
        body = {**place, **message_body(text, buttons), **previews}
        sent = await self._web.call("chat.postMessage", body)
        message = str(sent["ts"])
        self._followed.answered(to, message)
        return message

    async def edit(
        self, to: Address, message: str, text: str, buttons: Sequence[Button] = ()
    ) -> None:
        place = {"channel": to.chat, "ts": message}
        await self._web.call("chat.update", {**place, **message_body(text, buttons)})

    async def typing(self, to: Address) -> None:
        """Show a status in the thread; outside of threads Slack has none for bots."""
        if not to.thread or not self._shows_writing:
            return
        status = {"channel_id": to.chat, "thread_ts": to.thread, "status": WRITING}
        try:
            await self._web.call("assistant.threads.setStatus", status)
        except ChannelError as error:
            self._shows_writing = error.retry_seconds is not None
            log.debug("no status is shown in Slack: %s", error)

    async def acknowledge(self, press: Press, text: str = "") -> None:
        """Show a text to whoever pressed; the press itself was acknowledged when it was stored."""
        if not text:
            return
        place = {"channel": press.at.chat, "thread_ts": press.at.thread or None}
        shown = {**message_body(text, ()), "user": press.sender.id}
        await self._web.call("chat.postEphemeral", {**place, **shown})

    async def _identify(self) -> None:
        """Learn who we are, however long Slack is away; raise if the token is wrong."""
        pauses = connection_pauses(self._pause_seconds)
        while not self._me:
            try:
                self._me = str((await self._web.call("auth.test"))["user_id"])
            except ChannelError as error:
                if error.retry_seconds is None:
                    raise
                log.warning("no connection to Slack: %s", error)
                await asyncio.sleep(pause_after(error, pauses))

    async def _take(self, payload: dict[str, Any]) -> None:
        """Hand over the event in a payload; return once it is stored."""
        if self._receive is None:
            raise ChannelError("the Slack channel does not run yet", retry_seconds=1)
        event = events.event_of(payload, self._me, self._followed, self._thumbs)
        if event is None:
            return
        await self._receive(event)
        if isinstance(event, Incoming) and not event.is_direct:
            self._followed.mentioned(event.at, event.sender.id)


def check_tokens(bot_token: str, app_token: str, signing_secret: str) -> None:
    """Find what is missing or swapped, without showing any of it."""
    if not bot_token:
        raise ConfigError("slack.botToken is empty; set the bot's token (xoxb-…)")
    if bot_token.startswith("xapp-"):
        raise ConfigError("slack.botToken is an app-level token; set the bot's token (xoxb-…)")
    if app_token.startswith(("xoxb-", "xoxp-")):
        raise ConfigError("slack.appToken is not an app-level token; set one (xapp-…)")
    if not app_token and not signing_secret:
        raise ConfigError(
            "Slack's events have no way to come; set slack.appToken for Socket Mode, or "
            "slack.signingSecret for events by HTTP"
        )


def message_body(text: str, buttons: Sequence[Button]) -> dict[str, Any]:
    """Return a message's content, in which Slack looks for no names or mentions of its own.

    Without buttons the blocks are empty, so that an edit takes earlier ones away.
    """
    blocks: list[dict[str, Any]] = []
    if buttons:
        pieces = split(text, LONGEST_SECTION, lambda piece: len(mrkdwn(piece)))
        blocks += [section(piece) for piece in map(mrkdwn, pieces) if piece]
        rows = [buttons[start : start + PER_ROW] for start in range(0, len(buttons), PER_ROW)]
        blocks += [actions(row, number) for number, row in enumerate(rows)]
    return {"text": mrkdwn(text), "blocks": blocks, "parse": "none", "link_names": False}


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def actions(buttons: Sequence[Button], row: int) -> dict[str, Any]:
    elements = [
        {
            "type": "button",
            "action_id": f"{events.ACTION}-{row}-{place}",
            "text": {"type": "plain_text", "text": one.label[:LONGEST_LABEL]},
            "value": one.data,
        }
        for place, one in enumerate(buttons)
    ]
    return {"type": "actions", "elements": elements}
