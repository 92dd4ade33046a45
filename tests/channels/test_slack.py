"""Slack: messages, buttons and thumbs, each taken once it is stored."""

import asyncio
from typing import Any

import pytest
from tests.channels.slack_server import SlackServer
from tests.channels.slack_stories import (
    BOTH_WAYS,
    CHAT,
    NO,
    YES,
    driver,
    eventually,
    running,
    told,
)
from tests.channels.slack_wire import ME

from seasoned.channels.channel import (
    Address,
    Channel,
    Incoming,
    Person,
    Press,
    Reaction,
)
from seasoned.channels.slack.mrkdwn import mrkdwn
from seasoned.channels.splitting import split

pytestmark = pytest.mark.sqlite_only


@BOTH_WAYS
def test_a_private_message_is_received_and_answered(connected: Any) -> None:
    async def story() -> None:
        async with SlackServer() as server, connected(server) as (slack, inbox):
            channel: Channel = slack
            ts = await server.write("a < b & *c*?")
            await eventually(lambda: inbox)
            assert inbox == [
                Incoming(f"D100:{ts}", CHAT, Person("U42"), "a < b & *c*?", ts, is_direct=True)
            ]
            sent = await channel.send(CHAT, "**Yes**, <!channel>")
            assert server.posts[-1].arguments["unfurl_links"] is False
            assert server.messages()[-1].text == "*Yes*, &lt;!channel&gt;"
            await channel.edit(CHAT, sent, "*No*")
            (last,) = [one for one in server.messages() if one.id == sent]
            assert (last.text, last.thread) == ("_No_", "")

    told(story)


@BOTH_WAYS
def test_buttons_are_pressed_answered_and_taken_away(connected: Any) -> None:
    async def story() -> None:
        async with SlackServer() as server, connected(server) as (slack, inbox):
            thread = Address("slack", "C1", await server.write("hi", chat="C1"))
            sent = await slack.send(thread, "May I?", [YES, NO])
            assert server.messages("C1")[-1].buttons == [("Yes", "yes:1"), ("No", "no:1")]
            await server.press(sent, "no:1")
            await eventually(lambda: inbox)
            (press,) = inbox
            assert isinstance(press, Press)
            ana = Person("U42", "ana", "ana")
            assert press == Press(press.id, thread, ana, sent, "no:1")
            await slack.acknowledge(press)
            assert server.posts[-1].method == "chat.postMessage", "there is nothing to say"
            await slack.acknowledge(press, "Noted.")
            call = server.posts[-1]
            assert call.method == "chat.postEphemeral"
            assert call.arguments["user"] == "U42"
            assert call.arguments["thread_ts"] == thread.thread
            await slack.edit(thread, sent, "I do not.")
            shown = server.messages("C1")[-1]
            assert (shown.text, shown.buttons) == ("I do not.", [])
            await server.replay()
            await eventually(lambda: len(inbox) == 2)
            assert inbox[1].id == press.id

    told(story)


@BOTH_WAYS
def test_thumbs_in_any_skin_tone_count_under_the_bots_messages(connected: Any) -> None:
    async def story() -> None:
        async with SlackServer() as server, connected(server) as (slack, inbox):
            thread = Address("slack", "C1", await server.write("hi", chat="C1"))
            sent = await slack.send(thread, "Here you are.")
            other = await server.write("not the bot's", chat="C1")
            await server.react(other, "👍")
            await server.react(sent, "tada")
            await server.react(sent, "👍🏽")
            await server.react(sent, "👎")
            await server.unreact(sent, "👍🏽")
            await server.unreact(sent, "👎")
            await eventually(lambda: len(inbox) == 4)
            assert all(isinstance(one, Reaction) for one in inbox)
            seen = [one.thumb for one in inbox if isinstance(one, Reaction)]
            assert seen == ["up", "down", "down", "none"]
            assert {(one.at, one.sender.id) for one in inbox} == {(thread, "U42")}
            assert len({one.id for one in inbox}) == 4
            await server.replay()
            await eventually(lambda: len(inbox) == 5)
            assert inbox[4] == inbox[3]

    told(story)


def test_in_a_channel_a_mention_opens_a_thread_that_is_followed() -> None:
    async def story() -> None:
        async with SlackServer() as server, running(server) as (slack, inbox):
            await server.write("not for the bot", chat="C1")
            ts = await server.write(f"<@{ME}> hello", chat="C1")
            await eventually(lambda: len(inbox) == 1)
            thread = Address("slack", "C1", ts)
            assert inbox == [Incoming(f"C1:{ts}", thread, Person("U42"), "hello", ts, False)]
            await server.write("and more", chat="C1", thread=ts)
            await server.write("nobody answers me", chat="C1", thread=ts, sender="U43")
            await eventually(lambda: len(server.acknowledged) == 5)
            await slack.send(thread, "Hello!")
            await server.write("now I ask too", chat="C1", thread=ts, sender="U43")
            other = await server.write("a talk of others", chat="C1")
            await server.write("in their thread", chat="C1", thread=other)
            await server.write(f"<@{ME}> you there?", chat="C1", thread=other)
            await eventually(lambda: "you there?" in inbox.texts)
            seen = list(dict.fromkeys(inbox.texts))
            assert seen == ["hello", "and more", "now I ask too", "you there?"]
            assert inbox[-1].at == Address("slack", "C1", other)
            assert inbox[1].at == inbox[2].at == thread

    told(story)


def test_both_events_of_a_mention_and_all_retries_have_one_id() -> None:
    async def story() -> None:
        async with SlackServer() as server, running(server) as (slack, inbox):
            ts = await server.write(f"<@{ME}> hello", chat="C1")
            await eventually(lambda: inbox)
            await slack.send(inbox[0].at, "Hello!")
            await server.write(f"<@{ME}> again", chat="C1", thread=ts)
            await eventually(lambda: len(inbox) == 3)
            assert inbox[1] == inbox[2], "a mention and a message in a followed thread"
            await server.replay()
            await eventually(lambda: len(inbox) == 5)
            assert {one.id for one in inbox[1:]} == {inbox[1].id}

    told(story)


def test_a_reply_to_the_bots_own_message_needs_no_mention() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            async with running(server) as (slack, _):
                notice = await slack.send(Address("slack", "C1"), "A notice.")
            async with running(server) as (_, inbox):  # another process
                await server.write("what is this?", chat="C1", thread=notice)
                await eventually(lambda: inbox)
                assert inbox[0].at == Address("slack", "C1", notice)

    told(story)


def test_a_thread_is_followed_again_after_a_restart() -> None:
    async def story() -> None:
        async def threads() -> list[tuple[str, str]]:
            return [("C1", "17.2")]

        async with SlackServer() as server, running(server, threads=threads) as (_, inbox):
            await server.write("and then?", chat="C1", thread="17.2")
            await eventually(lambda: inbox.texts == ["and then?"])

    told(story)


def test_bots_edits_and_notices_are_ignored_but_acknowledged() -> None:
    async def story() -> None:
        async with SlackServer() as server, running(server) as (_, inbox):
            await server.write("I am a bot", bot_id="B1")
            await server.write("I am you", sender=ME)
            await server.write("joined", subtype="channel_join")
            await server.write("", files=[{"id": "F1"}])
            edit = {"type": "message", "subtype": "message_changed", "channel": "D100", "ts": "9.9"}
            await server.tell({**edit, "message": {"text": "new", "user": "U42"}, "hidden": True})
            await server.tell({"type": "app_home_opened", "user": "U42", "channel": "D100"})
            await server.write("with a file", subtype="file_share", thread="5.5")
            await eventually(lambda: inbox)
            assert inbox.texts == ["with a file"]
            assert inbox[0].at == Address("slack", "D100", "5.5")
            await eventually(lambda: len(server.acknowledged) == 7)

    told(story)


@BOTH_WAYS
def test_an_event_that_could_not_be_stored_is_sent_again(connected: Any) -> None:
    async def story() -> None:
        async with SlackServer() as server, connected(server) as (_, inbox):
            inbox.failures = 2
            await server.write("hello")
            await eventually(lambda: inbox)
            assert inbox.texts == ["hello"]
            await asyncio.sleep(0.3)
            assert (inbox.tried, server.attempts) == (3, [0, 1, 2]), "taken, so not sent again"
            assert server.statuses in ([], [500, 500, 200])
            assert len(server.acknowledged) in (0, 1)

    told(story)


def test_a_thread_shows_that_an_answer_is_written_where_slack_allows_it() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            slack = driver(server)
            thread = Address("slack", "C1", "1.1")
            await slack.typing(CHAT)
            assert not server.posts
            server.fail_next("assistant.threads.setStatus", 500)
            await slack.typing(thread)
            await slack.typing(thread)
            assert server.posts[-1].arguments["thread_ts"] == "1.1"
            server.fail_next("assistant.threads.setStatus", error="missing_scope", needed="x")
            await slack.typing(thread)
            await slack.typing(thread)
            assert len(server.posts) == 3, "a bot that may not is not asked again"
            await slack.close()

    told(story)


def test_long_texts_fit_as_slack_counts_them_with_and_without_buttons() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            slack = driver(server)
            text = "\n\n".join(
                f"{n}. `a < b` && **c** > d, see https://a.b/{n}" for n in range(300)
            )
            pieces = split(text, slack.longest, slack.measure)
            assert len(pieces) > 3
            for piece in pieces:
                await slack.send(CHAT, piece)
                sent = await slack.send(CHAT, piece, [YES])
                await slack.edit(CHAT, sent, piece, [NO])
            shown = server.messages()
            assert [one.text for one in shown[::2]] == [mrkdwn(piece) for piece in pieces]
            assert [one.buttons for one in shown[:2]] == [[], [("No", "no:1")]]
            await slack.close()

    told(story)
