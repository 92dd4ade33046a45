"""The Discord driver with the real discord.py, against a Discord of the test's own."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.channels.discord_server import ME, DiscordServer, eventually, message

from seasoned.channels.channel import (
    Address,
    Button,
    ChannelError,
    ChannelEvent,
    Incoming,
    Person,
    Press,
    Reaction,
)
from seasoned.channels.discord_driver import DiscordChannel
from seasoned.config.settings import DiscordConfig
from seasoned.core.errors import ConfigError

ANA = Person("42", "ana", "Ana")
CHAT = Address("discord", "100")
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


@asynccontextmanager
async def running(
    server: DiscordServer, **options: Any
) -> AsyncGenerator[tuple[DiscordChannel, Inbox]]:
    inbox = Inbox()
    channel = DiscordChannel(
        DiscordConfig(token="t0ken", url=server.url), pause_seconds=0.02, **options
    )
    task = asyncio.create_task(channel.run(inbox.receive))
    await eventually(lambda: server.link)
    yield channel, inbox
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def told(story: Story) -> None:
    asyncio.run(story())


def test_a_private_message_is_received_and_answered_pinging_nobody() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (channel, inbox):
            await server.message("hello")
            await eventually(lambda: inbox)
            assert inbox == [Incoming("700", CHAT, ANA, "hello", "700", is_direct=True)]
            assert server.identified[0]["intents"] & (1 << 15), "the content of messages"
            sent = await channel.send(CHAT, "@everyone **hi**")
            (body,) = server.posted("/channels/100/messages")
            assert (body["content"], body["allowed_mentions"]) == (
                "@everyone **hi**",
                {"parse": []},
            )
            await channel.typing(CHAT)
            await channel.edit(CHAT, sent, "better")
            assert server.posted(f"/100/messages/{sent}")[0]["content"] == "better"
            assert server.calls[-2][1] == "/channels/100/typing"

    told(story)


def test_in_a_guild_only_what_is_addressed_to_the_bot_counts() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (_, inbox):
            guild = {"guild_id": "1"}
            mine = {"mentions": [{"id": ME}], **guild}
            bot = {"id": "43", "username": "robot", "bot": True}
            server.channels["100"] = {"id": "100", "type": 0, "guild_id": "1"}
            server.channels["101"] = {"id": "101", "type": 11, "parent_id": "100"}
            await server.message("not for you", id="1", **guild)
            await server.message(f"<@{ME}> from a bot", id="2", author=bot, **mine)
            await server.message(f"<@{ME}> joined", id="3", **{**mine, "type": 7})
            await server.message(f"<@{ME}> for you", id="4", **mine)
            await server.message(f"<@{ME}> in a thread", id="5", channel="101", **mine)
            reply = {"referenced_message": {"author": {"id": ME}}, "type": 19, **guild}
            await server.message("a reply", id="6", **reply)
            await eventually(lambda: len(inbox) == 3)
            seen = [(one.at, one.text) for one in inbox if isinstance(one, Incoming)]
            assert seen == [
                (CHAT, "for you"),
                (Address("discord", "100", "101"), "in a thread"),
                (CHAT, "a reply"),
            ]
            assert not any(one.is_direct for one in inbox if isinstance(one, Incoming))

    told(story)


def test_a_button_is_pressed_and_answered() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (channel, inbox):
            await channel.send(CHAT, "May I?", [Button("Yes", "ok:1"), Button("No", "no:1")])
            (row,) = server.posted("/messages")[0]["components"]
            assert [one["custom_id"] for one in row["components"]] == ["ok:1", "no:1"]
            await server.dispatch("INTERACTION_CREATE", interaction())
            await eventually(lambda: server.posted("/callback"))
            assert inbox == [Press("800", CHAT, ANA, "5001", "ok:1")]
            assert server.posted("/interactions/800/tok/callback") == [{"type": 6}]
            press = inbox[0]
            assert isinstance(press, Press)
            await channel.acknowledge(press, "Thanks")
            (body,) = server.posted("/webhooks/77/tok")
            assert (body["content"], body["flags"]) == ("Thanks", 64)

    told(story)


def interaction() -> dict[str, Any]:
    user = {"id": "42", "username": "ana", "global_name": "Ana"}
    where = {"channel_id": "100", "message": {"id": "5001"}, "user": user}
    data = {"component_type": 2, "custom_id": "ok:1"}
    return {"id": "800", "application_id": "77", "type": 3, "token": "tok", "data": data, **where}


def test_thumbs_are_added_changed_and_taken_back() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (_, inbox):
            there = {"user_id": "42", "channel_id": "100", "message_id": "5001"}
            up, down = (
                {"emoji": {"id": None, "name": "👍🏽"}},
                {"emoji": {"id": None, "name": "👎"}},
            )
            other = {"message_author_id": "13"}
            await server.dispatch("MESSAGE_REACTION_ADD", {**there, **up, **other})
            await server.dispatch("MESSAGE_REACTION_ADD", {**there, "emoji": {"name": "🎉"}})
            await server.dispatch("MESSAGE_REACTION_ADD", {**there, **up, "message_author_id": ME})
            await server.dispatch("MESSAGE_REACTION_ADD", {**there, **down})
            await server.dispatch("MESSAGE_REACTION_REMOVE", {**there, **up})
            await server.dispatch("MESSAGE_REACTION_REMOVE", {**there, **down})
            await eventually(lambda: len(inbox) == 4)
            thumbs = [one.thumb for one in inbox if isinstance(one, Reaction)]
            assert thumbs == ["up", "down", "down", "none"]
            assert len({one.id for one in inbox}) == 4

    told(story)


def test_a_message_that_could_not_be_stored_comes_again_with_the_same_id() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (_, inbox):
            inbox.failures = 2
            await server.message("keep me")
            await eventually(lambda: inbox)
            await server.message("next", id="701")
            await eventually(lambda: len(inbox) == 2)
            assert [one.id for one in inbox] == ["700", "701"]
            assert inbox.tried == 4
            assert len(server.resumed) == 2, "by the resume of the session"

    told(story)


def test_a_press_that_could_not_be_stored_is_not_answered_as_taken() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (_, inbox):
            inbox.failures = 10_000
            await server.dispatch("INTERACTION_CREATE", interaction())
            await eventually(lambda: inbox.tried >= 2)
            assert not server.posted("/callback")

    told(story)


def test_events_of_a_dropped_connection_are_replayed() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (_, inbox):
            await server.message("before")
            await eventually(lambda: inbox)
            await server.drop()
            await server.message("meanwhile", id="701")
            await eventually(lambda: len(inbox) == 2)
            assert [one.id for one in inbox] == ["700", "701"]

    told(story)


def test_without_its_session_the_driver_reads_the_history() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (_, inbox):
            await server.message("before")
            await eventually(lambda: inbox)
            server.forget_session()
            server.history = [message("one", id="701"), message("two", id="702")]
            await server.drop()
            await eventually(lambda: len(inbox) == 3)
            assert [one.id for one in inbox] == ["700", "701", "702"]
            assert len(server.identified) == 2

    told(story)


def test_what_was_written_before_the_process_started_is_read() -> None:
    async def story() -> None:
        async def last_seen() -> dict[str, str]:
            return {"100": "700"}

        async with DiscordServer() as server:
            server.history = [message("old", id="700"), message("new", id="701")]
            async with running(server, last_seen=last_seen) as (_, inbox):
                await eventually(lambda: inbox)
                assert [one.id for one in inbox] == ["701"]

    told(story)


def test_a_pause_that_discord_asks_for_is_kept() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (channel, _):
            loop = asyncio.get_running_loop()
            server.busy_seconds, start = [0.3], loop.time()
            await channel.send(CHAT, "hi")
            assert loop.time() - start >= 0.3
            server.busy_seconds = [90]
            with pytest.raises(ChannelError, match="asks to wait 90 s") as refused:
                await channel.send(CHAT, "hi")
            assert refused.value.retry_seconds == 90

    told(story)


def test_a_refusal_says_that_trying_again_does_not_help() -> None:
    async def story() -> None:
        async with DiscordServer() as server, running(server) as (channel, _):
            with pytest.raises(ChannelError, match="Unknown Channel") as refused:
                await channel.edit(Address("discord", "404"), "1", "hi")
            assert refused.value.retry_seconds is None

    told(story)


def test_a_wrong_token_and_a_missing_intent_are_told() -> None:
    async def story() -> None:
        async with DiscordServer() as server:
            wrong = DiscordChannel(DiscordConfig(token="other", url=server.url))
            with pytest.raises(ChannelError, match=r"discord\.token is wrong"):
                await wrong.run(Inbox().receive)
            server.close_code = 4014
            channel = DiscordChannel(DiscordConfig(token="t0ken", url=server.url))
            with pytest.raises(ChannelError, match="Message Content Intent"):
                await channel.run(Inbox().receive)

    told(story)
    with pytest.raises(ConfigError, match=r"discord\.token is empty"):
        DiscordChannel(DiscordConfig())
