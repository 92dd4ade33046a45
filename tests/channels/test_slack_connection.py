"""Slack's connection comes back, and its errors say what to do without a secret in them."""

import asyncio
import logging
import sys
import time
from typing import Any

import pytest
from tests.channels.slack_server import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.channels.slack_stories import (
    CHAT,
    YES,
    Inbox,
    driver,
    eventually,
    running,
    told,
)
from tests.channels.slack_wire import SIGNING_SECRET, request, signed

from seasoned.channels.channel import (
    Address,
    ChannelError,
    ChannelEvent,
    Press,
)
from seasoned.channels.slack.driver import SlackDriver
from seasoned.channels.slack.errors import connection_pauses
from seasoned.core.errors import ConfigError, MissingExtra

pytestmark = pytest.mark.sqlite_only


def test_an_event_is_acknowledged_only_after_it_is_stored() -> None:
    async def story() -> None:
        async with SlackServer(resend_seconds=5) as server:
            stored = asyncio.Event()

            async def receive(_: ChannelEvent) -> None:
                await stored.wait()

            task = asyncio.create_task(driver(server).run(receive))
            await eventually(lambda: server.links)
            await server.write("hello")
            await asyncio.sleep(0.1)
            assert not server.acknowledged
            stored.set()
            await eventually(lambda: server.acknowledged)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    told(story)


def test_a_dropped_connection_is_opened_again_and_nothing_is_lost() -> None:
    async def story() -> None:
        async with SlackServer() as server, running(server) as (_, inbox):
            for number in range(3):
                await server.drop_connections()
                await server.write(f"message {number}")
                await eventually(lambda: len(inbox) == number + 1)  # noqa: B023
            assert inbox.texts == ["message 0", "message 1", "message 2"]
            assert len(server.links) == 4

    told(story)


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
def test_a_connection_is_replaced_before_it_closes(reason: str) -> None:
    async def story() -> None:
        async with SlackServer() as server, running(server, pause_seconds=30) as (_, inbox):
            first = await server.disconnect(reason)
            await eventually(lambda: len(server.links) == 2)
            assert first.open, "the old one is still read"
            late = {"type": "message", "channel": "D100", "ts": "7.7", "user": "U42"}
            await server.send_over(first, {**late, "text": "by the old one"})
            await eventually(lambda: inbox)
            await server.write("by the new one")
            await eventually(lambda: len(inbox) == 2)
            await first.socket.close()
            await server.write("still there?")
            await eventually(lambda: len(inbox) == 3)
            assert len(server.links) == 2
            assert inbox.texts == ["by the old one", "by the new one", "still there?"]

    told(story)


def test_a_connection_without_answers_to_pings_is_replaced() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            server.answers_pings = False
            async with running(server, ping_seconds=0.1) as (_, inbox):
                await eventually(lambda: len(server.links) == 1)
                server.answers_pings = True
                await eventually(lambda: len(server.links) == 2)
                await server.write("hello")
                await eventually(lambda: inbox)

    told(story)


def test_slack_may_be_away_at_the_start_and_pauses_grow() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            server.fail_next("auth.test", 503)
            server.fail_next("auth.test", 0)
            server.fail_next("apps.connections.open", 500, times=4)
            server.fail_next("apps.connections.open", 200, "internal_error")
            began = time.monotonic()
            async with running(server) as (_, inbox):
                # Each pause may be a quarter shorter.
                assert time.monotonic() - began > 0.75 * 0.02 * (1 + 2 + 1 + 2 + 4 + 8 + 16)
                await server.write("hello")
                await eventually(lambda: inbox)

    told(story)
    pauses = connection_pauses(1)
    assert max(pauses.next() for _ in range(40)) <= 60


def test_slack_is_left_alone_for_as_long_as_it_asks() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            server.fail_next("apps.connections.open", 429, "ratelimited", retry_after=1)
            began = time.monotonic()
            async with running(server):
                assert time.monotonic() - began > 1

    told(story)


@pytest.mark.parametrize(
    ("method", "failure", "words"),
    [
        ("auth.test", {"error": "invalid_auth"}, "slack.botToken"),
        ("auth.test", {"error": "token_revoked"}, "slack.botToken"),
        ("apps.connections.open", {"error": "not_allowed_token_type"}, "slack.appToken"),
        (
            "apps.connections.open",
            {"error": "missing_scope", "needed": "connections:write"},
            "connections:write",
        ),
    ],
)
def test_a_wrong_token_ends_the_channel_with_what_to_do(
    method: str, failure: dict[str, str], words: str
) -> None:
    async def story() -> None:
        async with SlackServer() as server:
            server.fail_next(method, **failure)  # pyright: ignore[reportArgumentType]
            with pytest.raises(ChannelError, match=words) as caught:
                await driver(server).run(Inbox().receive)
            assert caught.value.retry_seconds is None
            assert "api.slack.com/apps" in str(caught.value)

    told(story)


def test_socket_mode_that_was_switched_off_ends_the_channel() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            task = asyncio.create_task(driver(server).run(Inbox().receive))
            await eventually(lambda: server.links)
            await server.disconnect("link_disabled")
            with pytest.raises(ChannelError, match="switch on Socket Mode"):
                await task

    told(story)


@pytest.mark.parametrize(
    ("failure", "retry", "words"),
    [
        ({"status": 429, "error": "ratelimited", "retry_after": 7}, 7, "wait 7 s"),
        ({"status": 429, "retry_after": 3}, 3, "wait 3 s"),
        ({"error": "ratelimited"}, 5, "ratelimited"),
        ({"status": 503}, 5, "HTTP 503"),
        ({"status": 200}, 5, "HTTP 502"),
        ({"status": 0}, 5, "check the network"),
        ({"error": "not_in_channel"}, None, "invite the bot"),
        ({"error": "is_archived"}, None, "archived"),
        ({"error": "missing_scope", "needed": "chat:write"}, None, "chat:write"),
        ({"error": "token_revoked"}, None, "slack.botToken"),
        ({"error": "some_new_word"}, None, "some_new_word"),
    ],
)
def test_what_slack_refuses_says_whether_to_try_again(
    failure: dict[str, Any], retry: float | None, words: str
) -> None:
    async def story() -> None:
        async with SlackServer() as server:
            slack = driver(server)
            server.fail_next("chat.postMessage", **failure)
            with pytest.raises(ChannelError, match=words) as caught:
                await slack.send(CHAT, "hello")
            assert caught.value.retry_seconds == retry
            assert len(server.posts) == 1, "the library itself must not post twice"
            with pytest.raises(ChannelError, match="channel_not_found"):
                await slack.send(Address("slack", "C404"), "hello")
            with pytest.raises(ChannelError, match="the message is gone"):
                await slack.edit(CHAT, "1.1", "hello")
            assert await slack.send(CHAT, "hello")
            await slack.close()

    told(story)


def test_a_server_that_is_not_there_may_be_tried_again() -> None:
    async def story() -> None:
        slack = SlackDriver(BOT_TOKEN, APP_TOKEN, url="http://127.0.0.1:9/api/")
        with pytest.raises(ChannelError, match="check the network") as caught:
            await slack.send(CHAT, "hello")
        assert caught.value.retry_seconds == 5
        await slack.close()

    told(story)


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (("",), "slack.botToken is empty"),
        ((BOT_TOKEN,), "slack.appToken for Socket Mode"),
        ((APP_TOKEN, BOT_TOKEN), "slack.botToken is an app-level token"),
        ((BOT_TOKEN, BOT_TOKEN), "slack.appToken is not an app-level token"),
    ],
)
def test_missing_and_swapped_tokens_are_named(tokens: tuple[str, ...], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        SlackDriver(*tokens)
    assert "s3cret" not in str(caught.value)


def test_without_the_librarys_package_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "slack_sdk", None)
    with pytest.raises(MissingExtra, match=r"Slack needs slack_sdk.*\[channels\]"):
        SlackDriver(BOT_TOKEN, APP_TOKEN)


def test_no_secret_gets_into_logs_errors_or_descriptions(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story() -> None:
        async with SlackServer() as server:
            options = {"signing_secret": SIGNING_SECRET}
            async with running(server, **options) as (slack, inbox):
                inbox.failures = 1
                await server.write("hello")
                await eventually(lambda: inbox)
                sent = await slack.send(CHAT, "hi", [YES])
                await server.press(sent, "yes:1")
                await eventually(lambda: len(inbox) == 2)
                assert isinstance(inbox[1], Press)
                await server.disconnect("warning")
                await eventually(lambda: len(server.links) == 2)
                server.refuses_links = True
                await server.drop_connections()
                await eventually(lambda: "WSServerHandshakeError" in caplog.text)
                for status, error in ((0, ""), (500, ""), (200, "invalid_auth")):
                    server.fail_next("chat.postMessage", status, error)
                    with pytest.raises(ChannelError) as caught:
                        await slack.send(CHAT, "hello")
                    assert "s3cret" not in f"{caught.value} {caught.value!r} {slack!r}"
                    assert caught.value.__cause__ is caught.value.__context__ is None
                assert slack.events is not None
                await request(slack.events, b"{}", signed(b"{}", secret="no"))

    with caplog.at_level(logging.DEBUG):
        told(story)
    assert len(caplog.records) > 5
    assert "s3cret" not in caplog.text
    assert "b0ts3cret" not in "".join(str(vars(record)) for record in caplog.records)
