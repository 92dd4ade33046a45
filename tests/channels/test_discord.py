"""The Discord driver with the real discord.py, against a Discord of the test's own."""

import asyncio
import functools
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.channels.discord_server import (
    ANA,
    GROUP,
    ME,
    MENTION,
    PRIVATE,
    ROLE,
    TOKEN,
    DiscordServer,
    Shown,
)

from seasoned.channels.channel import (
    Address,
    Button,
    Channel,
    ChannelError,
    ChannelEvent,
    Incoming,
    Person,
    Press,
    Reaction,
)
from seasoned.channels.discord.driver import DiscordDriver
from seasoned.core.errors import ConfigError

BEN = Person("43", "ben", "Ben")
CHAT = Address("discord", PRIVATE)
ASK = (Button("Yes", "yes:1"), Button("No", "no:1"))


def story(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def told(**fixtures: Any) -> None:
        asyncio.run(asyncio.wait_for(test(**fixtures), 20))

    return told


class Inbox(list[ChannelEvent]):
    """What the driver handed over; the first `failures` could not be stored."""

    failures = 0
    tried = 0
    meanwhile: Callable[[ChannelEvent], Coroutine[Any, Any, None]] | None = None

    async def receive(self, event: ChannelEvent) -> None:
        self.tried += 1
        if self.tried <= self.failures:
            raise OSError("the disk is full")
        if self.meanwhile is not None:
            await self.meanwhile(event)
        self.append(event)

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self if isinstance(one, Incoming)]

    @property
    def thumbs(self) -> list[str]:
        return [one.thumb for one in self if isinstance(one, Reaction)]


@asynccontextmanager
async def running(
    server: DiscordServer, **options: Any
) -> AsyncGenerator[tuple[DiscordDriver, Inbox]]:
    inbox = Inbox()
    channel = DiscordDriver(TOKEN, server.url, pause_seconds=0.02, **options)
    task = asyncio.create_task(channel.run(inbox.receive))
    try:
        await eventually(lambda: server.sessions.is_connected)
        yield channel, inbox
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def eventually(happened: Callable[[], Any]) -> Any:
    async with asyncio.timeout(8):
        while not (found := happened()):  # noqa: ASYNC110 - there is nothing to wait for
            await asyncio.sleep(0.01)
        return found


# Messages


@story
async def test_a_private_message_is_received_and_answered() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):
        key = await server.write("hello")
        await eventually(lambda: inbox)
        assert inbox == [Incoming(key, CHAT, ANA, "hello", key, is_direct=True)]
        sent = await channel.send(CHAT, "**hi**", ASK)
        buttons = [("Yes", "yes:1"), ("No", "no:1")]
        assert server.messages() == [Shown(sent, "**hi**", buttons)]
        await channel.edit(CHAT, sent, "better")
        assert server.messages() == [Shown(sent, "better", [])]
        await channel.typing(CHAT)
        assert server.posts[-1].path == f"/channels/{PRIVATE}/typing"
        await server.write("last")
        await eventually(lambda: len(inbox) == 2)
        assert inbox.texts == ["hello", "last"], "and none of its own"


@story
async def test_half_characters_arrive_and_links_get_no_previews() -> None:
    async with DiscordServer() as server, running(server) as (channel, _):
        sent = await channel.send(CHAT, "half \ud83d https://evil.example/?q=secret")
        await channel.edit(CHAT, sent, "whole https://evil.example/")
        calls = [one.body for one in server.posts if one.method in ("send", "edit")]
        assert calls[0]["content"].startswith("half ")
        assert "\ud83d" not in calls[0]["content"]
        assert [one["flags"] & 4 for one in calls] == [4, 4], "SUPPRESS_EMBEDS"


@story
async def test_a_message_pings_nobody() -> None:
    async with DiscordServer() as server, running(server) as (channel, _):
        sent = await channel.send(CHAT, "@everyone")
        await channel.edit(CHAT, sent, "@here")
        calls = [one.body for one in server.posts if one.method in ("send", "edit")]
        assert [one["allowed_mentions"] for one in calls] == [{"parse": []}] * 2


@story
async def test_in_a_server_only_what_is_addressed_to_the_bot_counts() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):
        ours = await channel.send(Address("discord", GROUP), "at your service")
        other = await server.write("not for you", chat=GROUP)
        await server.write("a reply to somebody else", chat=GROUP, reply_to=other)
        robot = {"id": "44", "username": "robot", "bot": True}
        await server.write(f"{MENTION} from a bot", chat=GROUP, author=robot)
        await server.write(f"{MENTION} by a webhook", chat=GROUP, webhook_id="5")
        await server.write(f"{MENTION} joined", chat=GROUP, type=7)
        await server.write("@everyone look", chat=GROUP, mention_everyone=True)
        await server.write(f"{MENTION} for you, <@43>", chat=GROUP)
        await server.write(f"<@&{ROLE}> by its role", chat=GROUP)
        await server.write("<@&77> another role", chat=GROUP)
        await server.write("a reply", chat=GROUP, reply_to=ours)
        await server.write(f"see {MENTION} here", chat=GROUP, thread="201")
        await eventually(lambda: len(inbox) == 4)
        group = Address("discord", GROUP)
        there = [(one.at, one.text) for one in inbox if isinstance(one, Incoming)]
        assert there == [
            (group, "for you, <@43>"),
            (group, "by its role"),
            (group, "a reply"),
            (Address("discord", GROUP, "201"), "see here"),
        ]
        assert not any(one.is_direct for one in inbox if isinstance(one, Incoming))


@story
async def test_an_answer_to_a_thread_goes_to_the_thread() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):
        await server.write(f"{MENTION} hello", chat=GROUP, thread="201")
        await eventually(lambda: inbox)
        await channel.send(inbox[0].at, "hi")
        assert [one.text for one in server.messages(GROUP, "201")] == ["hi"]
        assert not server.messages(GROUP)


@story
async def test_the_longest_message_fits_and_a_longer_one_is_refused() -> None:
    async with DiscordServer() as server, running(server) as (channel, _):
        text = "👍" * channel.longest
        assert channel.measure(text) == channel.longest
        await channel.send(CHAT, text)
        with pytest.raises(ChannelError, match="Invalid Form Body") as refused:
            await channel.send(CHAT, text + ".")
        assert refused.value.retry_seconds is None


@story
async def test_it_sends_also_when_it_does_not_listen() -> None:
    async with DiscordServer() as server:
        channel: Channel = DiscordDriver(TOKEN, server.url)
        await channel.send(CHAT, "a notice")
        assert [one.text for one in server.messages()] == ["a notice"]


# Buttons and thumbs


@story
async def test_a_press_is_handed_over_and_answered_by_itself() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):
        sent = await channel.send(Address("discord", GROUP), "May I?", ASK)
        key = await server.press(sent, "yes:1", BEN)
        await eventually(lambda: posted(server, "acknowledge"))
        assert inbox == [Press(key, Address("discord", GROUP), BEN, sent, "yes:1")]
        assert posted(server, "acknowledge") == [{"type": 6}]
        press = inbox[0]
        assert isinstance(press, Press)
        await channel.acknowledge(press, "Thanks")
        assert server.whispers == [(BEN.id, "Thanks")]


@story
async def test_a_press_that_is_answered_while_it_is_stored_is_answered_once() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):

        async def thank(event: ChannelEvent) -> None:
            assert isinstance(event, Press)
            await channel.acknowledge(event, "Thanks")

        inbox.meanwhile = thank
        await server.press(await channel.send(CHAT, "May I?", ASK), "no:1")
        await eventually(lambda: inbox)
        assert server.whispers == [(ANA.id, "Thanks")]
        assert [one["type"] for one in posted(server, "acknowledge")] == [4]
        await server.replay()  # its answer was sent already
        await eventually(lambda: len(inbox) == 2)
        assert len(posted(server, "acknowledge")) == 1


@story
async def test_a_press_that_could_not_be_stored_is_not_answered_as_taken() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):
        inbox.failures = 10_000
        await server.press(await channel.send(CHAT, "May I?", ASK), "yes:1")
        await eventually(lambda: inbox.tried >= 2)
        assert not posted(server, "acknowledge")


@story
async def test_a_press_counts_also_if_its_answer_comes_too_late() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):
        server.fail_next("acknowledge", 404)
        await server.press(await channel.send(CHAT, "May I?", ASK), "yes:1")
        await server.write("next")
        await eventually(lambda: len(inbox) == 2)
        assert not server.sessions.resumed
        unknown = Press("1", CHAT, ANA, "1", "yes:1")  # of an earlier process
        await channel.acknowledge(unknown, "Thanks")
        assert not server.whispers


@story
async def test_thumbs_are_added_changed_and_taken_back() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):
        ours = await channel.send(CHAT, "an answer")
        other = await server.write("a question")
        await server.react(other, "👍")
        await server.react(other, "👍", is_removed=True)
        await server.react(ours, "🎉")
        await server.react(ours, "👍🏽", BEN)
        await server.react(ours, "👎", BEN)
        await server.react(ours, "👍🏽", BEN, is_removed=True)
        await server.react(ours, "👎", BEN, is_removed=True)
        await server.react(ours, "👍", Person(ME["id"], "seasoned"))
        await server.react(ours, "👎", is_removed=True)  # from before this process
        await eventually(lambda: len(inbox) == 6)
        assert inbox.thumbs == ["up", "down", "down", "none", "none"]
        found = [one for one in inbox if isinstance(one, Reaction)]
        assert [one.sender for one in found] == [BEN, BEN, BEN, BEN, ANA], "with their names"
        assert {(one.message, one.at) for one in found} == {(ours, CHAT)}
        assert len({one.id for one in found}) == 5


# Connections


@story
async def test_messages_written_while_the_connection_is_lost_arrive_once() -> None:
    async with DiscordServer() as server, running(server) as (_, inbox):
        await server.write("before")
        await eventually(lambda: inbox)
        await server.drop_connections()
        await server.write("meanwhile")
        await server.write("still")
        await eventually(lambda: server.sessions.is_connected)
        await server.write("after")
        await eventually(lambda: len(inbox) >= 4)
        assert inbox.texts == ["before", "meanwhile", "still", "after"]
        assert len(server.sessions.identified) == len(server.sessions.resumed) == 1


@story
async def test_a_message_that_could_not_be_stored_comes_again_with_the_same_id() -> None:
    async with DiscordServer() as server, running(server) as (_, inbox):
        inbox.failures = 2
        keys = [await server.write("keep me"), await server.write("next")]
        await eventually(lambda: len(inbox) == 2)
        assert [one.id for one in inbox] == keys
        assert inbox.tried == 4
        assert len(server.sessions.resumed) == 2, "by the resume of the session"
        assert len(server.sessions.identified) == 1


@story
async def test_an_event_that_is_delivered_again_has_the_same_id() -> None:
    async with DiscordServer() as server, running(server) as (channel, inbox):
        sent = await channel.send(CHAT, "May I?", ASK)
        for deed in (server.write("hi"), server.press(sent, "yes:1"), server.react(sent, "👍")):
            before = len(inbox)
            await deed
            await server.replay()
            await eventually(lambda n=before: len(inbox) == n + 2)
            assert inbox[-1] == inbox[-2]


@story
async def test_an_event_that_is_not_understood_is_skipped() -> None:
    async with DiscordServer() as server, running(server) as (_, inbox):
        await server.sessions.dispatch("MESSAGE_CREATE", {"content": "from the future"})
        await server.write("hello")
        await eventually(lambda: inbox)
        assert inbox.texts == ["hello"]
        assert not server.sessions.resumed


@story
async def test_it_connects_again_when_discord_asks_and_keeps_its_session() -> None:
    async with DiscordServer() as server, running(server) as (_, inbox):
        for times, frame in enumerate(({"op": 7, "d": None}, {"op": 9, "d": True}), start=1):
            await server.sessions.say(frame)
            await eventually(lambda n=times: len(server.sessions.resumed) == n)
            await eventually(lambda: server.sessions.is_connected)
        await server.write("hello")
        await eventually(lambda: inbox)
        assert len(server.sessions.identified) == 1
        assert not {1000, 1001} & set(server.sessions.closed), "those would end the session"


@story
async def test_a_heartbeat_that_is_not_answered_ends_the_connection_but_not_the_session() -> None:
    async with DiscordServer() as server:
        server.sessions.heartbeat_seconds = 0.25
        async with running(server) as (_, inbox):
            await server.write("before")
            await eventually(lambda: len(server.sessions.heartbeats) > 2)
            assert server.sessions.heartbeats[-1] == 3, "the number of the last stored event"
            assert not server.sessions.resumed
            server.sessions.answers_heartbeats = False
            await eventually(lambda: server.sessions.resumed)
            server.sessions.answers_heartbeats = True
            await server.write("after")
            await eventually(lambda: len(inbox) == 2)
            assert inbox.texts == ["before", "after"]


@story
async def test_heartbeats_go_on_while_an_event_is_stored_slowly() -> None:
    async with DiscordServer() as server:
        server.sessions.heartbeat_seconds = 0.1
        async with running(server) as (_, inbox):

            async def slowly(_: ChannelEvent) -> None:
                await asyncio.sleep(0.6)

            inbox.meanwhile = slowly
            before = len(server.sessions.heartbeats)
            await server.write("heavy")
            await eventually(lambda: inbox)
            assert len(server.sessions.heartbeats) - before >= 4
            assert inbox.tried == 1
            assert not server.sessions.resumed


@story
async def test_without_its_session_the_driver_reads_the_history() -> None:
    async with DiscordServer() as server, running(server) as (_, inbox):
        await server.write("before")
        await server.write(f"{MENTION} group", chat=GROUP)
        await eventually(lambda: len(inbox) == 2)
        server.sessions.forget()
        for number in range(120):
            await server.write(f"meanwhile {number}")
        await server.write("not for the bot", chat=GROUP)
        await server.write(f"{MENTION} again", chat=GROUP)
        await server.drop_connections()
        await eventually(lambda: len(inbox) == 123)
        assert len(server.sessions.identified) == 2
        assert len(set(inbox.texts)) == 123
        private = [one for one in inbox.texts if one.startswith("meanwhile")]
        assert private == [f"meanwhile {number}" for number in range(120)]


@story
async def test_a_history_that_could_not_be_read_is_read_with_the_next_connection() -> None:
    async with DiscordServer() as server, running(server) as (_, inbox):
        await server.write("before")
        await eventually(lambda: inbox)
        server.sessions.forget()
        await server.write("meanwhile")
        server.fail_next("history", 503)
        await server.drop_connections()
        await eventually(lambda: len(inbox) == 2)
        assert inbox.texts == ["before", "meanwhile"]
        assert len(server.sessions.identified) == 2, "it is resumed, not begun again"


@story
async def test_what_was_written_before_the_process_started_is_read() -> None:
    async with DiscordServer() as server:
        old = await server.write("old")

        async def last_seen() -> dict[str, str]:
            return {PRIVATE: old, "999": "1"}  # one is gone meanwhile

        await server.write("new")
        async with running(server, last_seen=last_seen) as (_, inbox):
            await eventually(lambda: inbox)
            assert inbox.texts == ["new"]


@story
async def test_a_stopped_driver_leaves_discord() -> None:
    async with DiscordServer() as server:
        async with running(server):
            pass
        await eventually(lambda: server.sessions.closed)
        assert server.sessions.closed == [1000]


@story
async def test_discord_is_awaited_if_it_cannot_be_reached_at_first() -> None:
    async with DiscordServer() as server:
        server.fail_next("login", 0)
        server.fail_next("login", 503)
        server.fail_next("gateway", 503)
        server.sessions.close_code = 4000
        async with running(server) as (_, inbox):
            await server.write("hello")
            await eventually(lambda: inbox)


@story
async def test_no_session_is_begun_beyond_those_that_discord_allows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with DiscordServer() as server:
        server.sessions_left = 0
        driver = DiscordDriver(TOKEN, server.url, pause_seconds=0.01)
        task = asyncio.create_task(driver.run(Inbox().receive))
        await eventually(lambda: "all the sessions" in caplog.text)
        await asyncio.sleep(0.2)
        assert len([one for one in server.posts if one.method == "gateway"]) == 1
        server.sessions_left = 10
        await eventually(lambda: server.sessions.is_connected)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


# Refusals


@story
async def test_a_short_pause_that_discord_asks_for_is_kept() -> None:
    async with DiscordServer() as server, running(server) as (channel, _):
        clock = asyncio.get_running_loop().time
        for is_global in (False, True):
            server.fail_next("send", 429, retry_after=0.3, is_global=is_global)
            start = clock()
            await channel.send(CHAT, "hi")
            assert clock() - start >= 0.3
        assert len(server.messages()) == 2


@story
async def test_a_long_pause_is_told_to_the_caller() -> None:
    async with DiscordServer() as server, running(server) as (channel, _):
        failures: list[dict[str, Any]] = [{}, {"is_global": True}, {"headers": {"Via": ""}}]
        for failure in failures:
            server.fail_next("send", 429, retry_after=90, **failure)
            with pytest.raises(ChannelError, match="asks to wait 90 s") as refused:
                await channel.send(CHAT, "hi")
            assert refused.value.retry_seconds == 90
        assert not server.messages()


@story
async def test_a_sender_that_gives_up_in_a_pause_for_all_does_not_block_the_others() -> None:
    async with DiscordServer() as server, running(server) as (channel, _):
        server.fail_next("send", 429, retry_after=20, is_global=True)
        impatient = asyncio.create_task(channel.send(CHAT, "never mind"))
        await eventually(lambda: posted(server, "send"))
        await asyncio.sleep(0.05)
        impatient.cancel()
        await asyncio.gather(impatient, return_exceptions=True)
        await asyncio.wait_for(channel.send(Address("discord", GROUP), "hi"), 3)


@story
async def test_refusals_say_whether_trying_again_helps() -> None:
    async with DiscordServer() as server, running(server) as (channel, _):
        for status, helps in ((403, False), (404, False), (400, False), (503, True)):
            server.fail_next("send", status)
            with pytest.raises(ChannelError, match=f"(refused|failed at) .* {status} ") as refused:
                await channel.send(CHAT, "hi")
            assert (refused.value.retry_seconds is not None) == helps
        with pytest.raises(ChannelError, match=r"404 .*Unknown Channel.* is gone"):
            await channel.edit(Address("discord", "404"), "1", "hi")
        server.fail_next("edit", 0)
        with pytest.raises(ChannelError, match="a later try may work") as refused:
            await channel.edit(CHAT, "1", "hi")
        assert refused.value.retry_seconds is not None
        assert not server.messages()


@story
async def test_a_message_whose_answer_is_lost_is_sent_once() -> None:
    async with DiscordServer() as server, running(server) as (channel, _):
        server.fail_next("send", 0, is_taken=True)
        sent = await channel.send(CHAT, "hi")
        assert server.messages() == [Shown(sent, "hi", [])]
        assert len(posted(server, "send")) == 2


@story
async def test_a_wrong_token_is_told() -> None:
    async with DiscordServer() as server:
        wrong = DiscordDriver("wrong", server.url)
        for deed in (wrong.run(Inbox().receive), wrong.send(CHAT, "hi")):
            with pytest.raises(ChannelError, match=r"discord\.token.*developer portal") as told:
                await deed
            assert told.value.retry_seconds is None
        server.sessions.close_code = 4004
        with pytest.raises(ChannelError, match=r"discord\.token.*developer portal"):
            await DiscordDriver(TOKEN, server.url).run(Inbox().receive)


@story
async def test_an_address_that_is_not_discords_is_told() -> None:
    async with DiscordServer() as server:
        with pytest.raises(ChannelError, match=r"discord\.url"):
            await DiscordDriver(TOKEN, server.page_url).run(Inbox().receive)


@story
async def test_a_missing_intent_is_told() -> None:
    async with DiscordServer() as server:
        server.sessions.allows_content = False
        with pytest.raises(ChannelError, match=r"Message Content Intent.*developer portal"):
            await DiscordDriver(TOKEN, server.url).run(Inbox().receive)


@pytest.mark.parametrize("token", ["", "  ", "Bot abc", "a\nb", "tökén"])
def test_a_token_that_cannot_be_one_is_refused_at_once(token: str) -> None:
    with pytest.raises(ConfigError, match=r"discord\.token"):
        DiscordDriver(token)


@story
async def test_the_token_is_in_no_log_error_or_repr(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told: list[str] = []
    async with DiscordServer() as server, running(server) as (channel, inbox):
        sent = await channel.send(CHAT, "May I?", ASK)
        await server.press(sent, "yes:1")
        await eventually(lambda: inbox)
        for status in (403, 503, 0):
            server.fail_next("edit", status)
            with pytest.raises(ChannelError) as refused:
                await channel.edit(CHAT, sent, "hi")
            told += [str(refused.getrepr(style="long")), repr(refused.value.__cause__)]
        inbox.failures = inbox.tried + 1
        await server.drop_connections()
        await server.write("hi")
        await eventually(lambda: len(inbox) == 2)
        told += [repr(channel), str(channel)]
    assert "could not be stored" in caplog.text
    assert TOKEN not in caplog.text
    assert not [one for one in told if TOKEN in one]


def posted(server: DiscordServer, method: str) -> list[Any]:
    return [one.body for one in server.posts if one.method == method]
