"""What the tests of Slack share: a running driver, and an inbox that may fail."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.channels.slack_server import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.channels.slack_wire import SIGNING_SECRET

from seasoned.channels.channel import (
    Address,
    Button,
    ChannelEvent,
    Incoming,
)
from seasoned.channels.slack.driver import SlackDriver

CHAT = Address("slack", "D100")
YES, NO = Button("Yes", "yes:1"), Button("No", "no:1")
Story = Callable[[], Coroutine[Any, Any, None]]


class Inbox(list[ChannelEvent]):
    """What the driver handed over; the first `failures` could not be stored."""

    failures = 0
    tried = 0

    async def receive(self, event: ChannelEvent) -> None:
        self.tried += 1
        if self.tried <= self.failures:
            raise OSError("the disk is full")
        self.append(event)

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self if isinstance(one, Incoming)]


def driver(server: SlackServer, **options: Any) -> SlackDriver:
    given: dict[str, Any] = {"bot_token": BOT_TOKEN, "app_token": APP_TOKEN, "pause_seconds": 0.02}
    return SlackDriver(url=server.url, **{**given, **options})


@asynccontextmanager
async def running(server: SlackServer, **options: Any) -> AsyncGenerator[tuple[SlackDriver, Inbox]]:
    inbox = Inbox()
    slack = driver(server, **options)
    task = asyncio.create_task(slack.run(inbox.receive))
    try:
        if options.get("app_token", APP_TOKEN):
            await eventually(lambda: server.links or task.done())
        else:
            server.endpoint = slack.events
            await eventually(lambda: server.posts or task.done())
        yield slack, inbox
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def by_http(server: SlackServer) -> AsyncGenerator[tuple[SlackDriver, Inbox]]:
    async with running(server, app_token="", signing_secret=SIGNING_SECRET) as (slack, inbox):
        yield slack, inbox


def told(story: Story) -> None:
    asyncio.run(story())


BOTH_WAYS = pytest.mark.parametrize("connected", [running, by_http])


async def eventually(happened: Any, seconds: float = 8) -> Any:
    """Wait until it is true, and return it."""
    async with asyncio.timeout(seconds):
        while not (found := happened()):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return found
