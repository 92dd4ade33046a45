"""The Telegram driver with the real python-telegram-bot, against a Telegram of the test's own."""

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.channels.telegram_server import ANA, ME, TOKEN, TelegramServer, eventually

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
from seasoned.channels.splitting import split
from seasoned.channels.telegram.driver import TelegramDriver
from seasoned.core.errors import ConfigError

pytestmark = pytest.mark.sqlite_only

CHAT = Address("telegram", "42")
TEAM = Address("telegram", "-100200")
BO = Person("43", "bo", "Bo")
Story = Callable[[TelegramServer, TelegramDriver, "Inbox"], Coroutine[Any, Any, None]]


class Inbox(list[ChannelEvent]):
    """What the driver handed over; the next `failures` cannot be stored."""

    failures = 0
    tried = 0

    async def receive(self, event: ChannelEvent) -> None:
        self.tried += 1
        if self.failures:
            self.failures -= 1
            raise OSError("the disk is full")
        self.append(event)

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self if isinstance(one, Incoming)]


def driver_of(server: TelegramServer, **options: Any) -> TelegramDriver:
    fast: dict[str, Any] = {"poll_seconds": 5, "pause_seconds": 0.02, "group_edit_seconds": 0.2}
    return TelegramDriver(TOKEN, server.url, **(fast | options))


@asynccontextmanager
async def running(server: TelegramServer, **options: Any) -> AsyncGenerator[Any]:
    inbox, driver = Inbox(), driver_of(server, **options)
    task = asyncio.create_task(driver.run(inbox.receive))
    await eventually(lambda: server.polls)
    try:
        yield driver, inbox
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def told(story: Story, **options: Any) -> None:
    async def all_of_it() -> None:
        async with TelegramServer() as server, running(server, **options) as (driver, inbox):
            await story(server, driver, inbox)

    asyncio.run(all_of_it())


async def refusal(call: Coroutine[Any, Any, Any]) -> ChannelError:
    with pytest.raises(ChannelError) as refused:
        await call
    return refused.value


def test_a_private_message_is_received_and_answered() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, inbox: Inbox) -> None:
        message = await server.write("hello")
        await eventually(lambda: inbox)
        assert inbox == [Incoming("5001", CHAT, ANA, "hello", message, is_direct=True)]
        await driver.typing(CHAT)
        assert server.posted("sendChatAction")[0]["action"] == "typing"
        sent = await driver.send(CHAT, "**Hi** & `a < b`")
        (shown,) = server.messages()
        assert (shown.id, shown.text) == (sent, "Hi & a < b")
        assert shown.html == "<b>Hi</b> &amp; <code>a &lt; b</code>"
        await driver.edit(CHAT, sent, "_Bye_")
        assert [one.html for one in server.messages()] == ["<i>Bye</i>"]
        await driver.edit(CHAT, sent, "_Bye_")  # which changes nothing, and is no error
        await driver.send(CHAT, "half of an emoji: \ud83d")
        assert server.messages()[1].text.startswith("half of an emoji: ")
        previews = {one["link_preview_options"]["is_disabled"] for _, one in server.posts[-4:]}
        assert previews == {True}, "an address in an answer is fetched by nobody"

    told(story)


def test_it_is_a_channel_that_counts_as_telegram_does() -> None:
    driver: Channel = TelegramDriver(TOKEN)
    assert (driver.name, driver.longest, driver.edit_seconds) == ("telegram", 4096, 1.0)
    assert driver.measure("**a**\N{GRINNING FACE}") == 3

    async def story(server: TelegramServer, driver: TelegramDriver, _: Inbox) -> None:
        text = "\n\n".join(f"**{n}** \N{GRINNING FACE} & <b> `x < {n}`" for n in range(700))
        for piece in split(text, driver.longest, driver.measure):
            await driver.send(CHAT, piece)
        assert len(server.messages()) > 2
        assert "699 \N{GRINNING FACE} & <b> x < 699" in server.messages()[-1].text
        too_long = await refusal(driver.send(CHAT, "a" * 4097))
        assert "message is too long" in str(too_long).lower()
        assert too_long.retry_seconds is None

    told(story)


def test_in_a_group_only_what_is_addressed_to_the_bot_counts() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, inbox: Inbox) -> None:
        async def say(text: str, **more: Any) -> None:
            await server.write(text, chat=TEAM.chat, **more)

        await say("not for you")
        await say("@someone_else hello")
        await say("mail me at ana@seasoned_bot")
        await say("/help@other_bot")
        await say("a reply to a person", reply_to="55")
        await say("@seasoned_bot from a bot", **{"from": {**ME, "id": 7}})
        await say("@seasoned_bot as a channel", sender_chat={"id": -100, "type": "channel"})
        await say("@Seasoned_Bot, what is new?")
        await say("\N{GRINNING FACE} so @seasoned_bot what is new?")
        await say("please\n@seasoned_bot answer")
        await say("what is new, @seasoned_bot?", is_caption=True)
        await say("/help@seasoned_bot me")
        await say("/new")
        sent = await driver.send(TEAM, "hi")
        await say("a reply to you", reply_to=sent)
        name = {"type": "text_mention", "offset": 0, "length": 8, "user": ME}
        await say("Seasoned by name", entities=[name])
        await eventually(lambda: "by name" in inbox.texts)
        assert inbox.texts == [
            "what is new?",
            "\N{GRINNING FACE} so what is new?",
            "please\nanswer",
            "what is new?",
            "/help me",
            "/new",
            "a reply to you",
            "by name",
        ]
        assert {(one.at, getattr(one, "is_direct", None)) for one in inbox} == {(TEAM, False)}

    told(story)


def test_a_topic_of_a_forum_is_a_thread() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, inbox: Inbox) -> None:
        topic = Address("telegram", TEAM.chat, "17")
        created = {**server.message(chat=TEAM.chat), "from": ME}
        created["forum_topic_created"] = {"name": "News", "icon_color": 1}
        there: dict[str, Any] = {"chat": TEAM.chat, "thread": "17"}
        await server.write("to all", **there, reply_to_message=created)
        await server.write("@seasoned_bot hello", **there, reply_to_message=created)
        reply: dict[str, Any] = {"message_thread_id": 99}  # of a group without topics
        await server.write("@seasoned_bot there", chat=TEAM.chat, **reply)
        await eventually(lambda: len(inbox) == 2)
        assert [one.at for one in inbox] == [topic, TEAM]
        await driver.typing(topic)
        sent = await driver.send(topic, "hi", [Button("Yes", "y")])
        assert [(one.id, one.thread) for one in server.messages(TEAM.chat)] == [(sent, "17")]
        await server.press(sent, "y")
        await eventually(lambda: len(inbox) == 3)
        assert inbox[2].at == topic
        assert "thread not found" in str(
            await refusal(driver.send(Address("telegram", TEAM.chat, "18"), "hi"))
        )

    told(story)


def test_a_button_is_pressed_answered_and_taken_away() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, inbox: Inbox) -> None:
        sent = await driver.send(CHAT, "May I?", [Button("Yes", "ok:1"), Button("No", "no:1")])
        assert server.messages()[0].buttons == [("Yes", "ok:1"), ("No", "no:1")]
        query = await server.press(sent, "ok:1", BO)
        await eventually(lambda: inbox)
        press = Press(query, CHAT, BO, sent, "ok:1")
        assert inbox == [press]
        await driver.acknowledge(press, "Thanks" + "!" * 300)
        assert server.acknowledged[query].startswith("Thanks!")
        await driver.edit(CHAT, sent, "May I? Yes.")
        assert server.messages()[0].buttons == []
        del server.acknowledged[query]
        await driver.acknowledge(press)  # too late, which is no error
        server.fail_next("answerCallbackQuery", 502)
        assert (await refusal(driver.acknowledge(press))).retry_seconds is not None

    told(story)


def test_a_press_under_a_message_that_is_too_old_counts() -> None:
    async def story(server: TelegramServer, _: TelegramDriver, inbox: Inbox) -> None:
        old = {"chat": {"id": 42, "type": "private"}, "message_id": 9, "date": 0}
        who = {"id": 42, "is_bot": False, "first_name": "Ana"}
        query = {"id": "q", "from": who, "chat_instance": "1", "data": "ok:1"}
        server.deliver(callback_query=query)  # of an inline message, which we never send
        server.deliver(callback_query={**query, "message": old})
        await eventually(lambda: inbox)
        assert inbox == [Press("q", CHAT, Person("42", "", "Ana"), "9", "ok:1")]

    told(story)


def test_thumbs_are_given_changed_and_taken_back() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, inbox: Inbox) -> None:
        sent = await driver.send(CHAT, "An answer")
        for emoji in ("👍", "👎", "🎉", "", "👍"):
            await server.react(sent, emoji)
        await eventually(lambda: len(inbox) == 4)
        assert [one.thumb for one in inbox if isinstance(one, Reaction)] == [
            *("up", "down"),
            "none",  # by the 🎉 in its place
            "up",
        ]
        assert inbox[0] == Reaction("5001", CHAT, ANA, sent, "up")
        assert server.polls[0]["allowed_updates"] == [
            *("message", "callback_query"),
            "message_reaction",
        ]

    told(story)


def test_an_update_is_confirmed_only_once_it_is_stored() -> None:
    async def story(server: TelegramServer, _: TelegramDriver, inbox: Inbox) -> None:
        inbox.failures = 3
        await server.write("one")
        await eventually(lambda: inbox.tried == 2)
        assert server.unconfirmed == [5001]
        await server.write("two")
        await eventually(lambda: inbox.texts == ["one", "two"])
        assert inbox.tried == 5
        await eventually(lambda: not server.unconfirmed)

    told(story)


def test_what_was_not_confirmed_comes_again_after_a_restart_with_the_same_id() -> None:
    async def story() -> None:
        async with TelegramServer() as server:
            await server.write("one")
            await server.write("two")
            first = Inbox()

            async def slow(event: ChannelEvent) -> None:
                if first:
                    await asyncio.sleep(60)
                await first.receive(event)

            task = asyncio.create_task(driver_of(server).run(slow))
            await eventually(lambda: first)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            async with running(server) as (_, second):
                await eventually(lambda: len(second) == 2)
                assert second[0] == first[0]
                await eventually(lambda: not server.unconfirmed)

    asyncio.run(story())


def test_a_replayed_update_is_handed_on_again_and_nothing_else() -> None:
    async def story(server: TelegramServer, _: TelegramDriver, inbox: Inbox) -> None:
        await server.write("one")
        await server.write("two")
        await eventually(lambda: len(inbox) == 2 and not server.unconfirmed)
        await server.replay()
        await eventually(lambda: len(inbox) == 3)
        assert inbox[2] == inbox[1]
        await server.write("three")
        await eventually(lambda: inbox.texts == ["one", "two", "two", "three"])

    told(story)


def test_updates_that_are_numbered_anew_after_a_quiet_week_are_confirmed() -> None:
    async def story(server: TelegramServer, _: TelegramDriver, inbox: Inbox) -> None:
        await server.write("one")
        await eventually(lambda: len(inbox) == 1 and not server.unconfirmed)
        server.begin_numbers_anew(17)
        await server.write("two")
        await eventually(lambda: not server.unconfirmed)
        await server.write("three")
        await eventually(lambda: not server.unconfirmed)
        assert inbox.texts == ["one", "two", "three"]

    told(story)


def test_updates_that_nobody_understands_are_skipped_and_confirmed() -> None:
    async def story(server: TelegramServer, _: TelegramDriver, inbox: Inbox) -> None:
        photo = {"file_id": "p", "file_unique_id": "p", "width": 9, "height": 9}
        server.deliver(message={**server.message(), "photo": [photo]})
        server.deliver(edited_message={**server.message(), "text": "edited", "edit_date": 1})
        joined = {"id": 43, "is_bot": False, "first_name": "Bo"}
        server.deliver(message={**server.message(chat=TEAM.chat), "new_chat_members": [joined]})
        server.deliver(a_kind_of_next_year={"what": "ever"})
        server.deliver(message={"text": "neither a chat nor a date"})
        server.deliver(message="not even an object")
        server.deliver(message_reaction={"chat": {"id": 1, "type": "private"}})
        await server.write("and one that is understood")
        await eventually(lambda: inbox.texts == ["and one that is understood"])
        await eventually(lambda: not server.unconfirmed)
        assert len(inbox) == 1

    told(story)


def test_html_that_telegram_cannot_read_is_sent_as_plain_text() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, _: Inbox) -> None:
        wrong = "Bad Request: can't parse entities: Unsupported start tag at byte offset 3"
        server.fail_next("sendMessage", 400, wrong)
        sent = await driver.send(CHAT, "**Hi**", [Button("Yes", "y")])
        assert [one.text for one in server.messages()] == ["**Hi**"]
        assert server.messages()[0].buttons == [("Yes", "y")]
        server.fail_next("editMessageText", 400, wrong)
        await driver.edit(CHAT, sent, "**Bye**")
        assert server.messages()[0].text == "**Bye**"
        server.fail_next("sendMessage", 400, wrong)
        await driver.send(CHAT, "**x** " * 2000)  # too long with its asterisks
        assert server.messages()[1].text.startswith("x x x")

    told(story)


def test_a_busy_telegram_says_how_long_to_wait() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, _: Inbox) -> None:
        sent = await driver.send(CHAT, "hi")
        for method, call in (
            ("sendMessage", driver.send(CHAT, "hi")),
            ("editMessageText", driver.edit(CHAT, sent, "ho")),
        ):
            server.fail_next(method, 429, "Too Many Requests: retry after 7", retry_after=7)
            assert (await refusal(call)).retry_seconds == 7

    told(story)


@pytest.mark.parametrize(
    ("status", "description", "may_pass"),
    [
        (502, "Bad Gateway", True),
        (500, "Internal Server Error", True),
        (403, "Forbidden: bot was blocked by the user", False),
        (400, "Bad Request: chat not found", False),
        (401, "Unauthorized", False),
    ],
)
def test_a_refusal_says_why_and_whether_to_try_again(
    status: int, description: str, may_pass: bool
) -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, _: Inbox) -> None:
        server.fail_next("sendMessage", status, description)
        refused = await refusal(driver.send(CHAT, "hi"))
        assert (refused.retry_seconds is not None) == may_pass
        reason = "telegram.token" if status == 401 else description.partition(": ")[2]
        assert reason in str(refused).lower()
        await driver.send(CHAT, "hi")
        assert len(server.messages()) == 1

    told(story)


def test_an_unreachable_telegram_is_worth_another_try() -> None:
    async def story() -> None:
        async with TelegramServer() as server:
            driver = driver_of(server)
        refused = await refusal(driver.send(CHAT, "hi"))
        assert refused.retry_seconds is not None
        await driver.close()
        await driver.close()

    asyncio.run(story())


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with TelegramServer() as server:
            monkeypatch.setenv("http_proxy", server.url)
            monkeypatch.setenv("no_proxy", "127.0.0.1")
            driver = TelegramDriver(TOKEN, "http://telegram.test/bot")
            await driver.send(CHAT, "hi")
            await driver.close()
            assert [one.text for one in server.messages()] == ["hi"]

    asyncio.run(story())


def test_a_group_that_became_a_supergroup_is_written_to_at_the_second_try() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, _: Inbox) -> None:
        server.moved["-7"] = TEAM.chat
        group = Address("telegram", "-7")
        assert (await refusal(driver.send(group, "hi"))).retry_seconds == 0
        sent = await driver.send(group, "hi")
        await driver.edit(group, sent, "ho")
        assert [one.text for one in server.messages(TEAM.chat)] == ["ho"]

    told(story)


def test_edits_in_a_group_are_slower() -> None:
    async def story(server: TelegramServer, driver: TelegramDriver, _: Inbox) -> None:
        await server.write("/hi", chat=TEAM.chat)
        for at, least in ((CHAT, 0.0), (TEAM, 0.8)):
            sent = await driver.send(at, "0")
            start = time.monotonic()
            await driver.edit(at, sent, "1")
            await driver.edit(at, sent, "2")
            took = time.monotonic() - start
            assert least <= took, at
            assert took < 0.8 or least, at

    told(story, group_edit_seconds=0.4)


def test_lost_connections_and_failing_servers_lose_no_message() -> None:
    async def story(server: TelegramServer, _: TelegramDriver, inbox: Inbox) -> None:
        server.fail_next("getUpdates", 502, times=3)
        server.fail_next("getUpdates", 429, retry_after=1)
        for text in ("one", "two", "three"):
            await server.drop_connections()
            await server.write(text)
            await eventually(lambda text=text: text in inbox.texts)
        assert inbox.texts == ["one", "two", "three"]

    told(story)


def test_a_telegram_that_is_down_at_the_start_is_tried_again() -> None:
    async def story() -> None:
        async with TelegramServer() as server:
            server.fail_next("getMe", 502, times=3)
            await server.write("hello")
            async with running(server) as (_, inbox):
                await eventually(lambda: inbox.texts == ["hello"])
            assert len(server.posted("getMe")) == 4

    asyncio.run(story())


@pytest.mark.parametrize("token", ["110201543:" + "x" * 35, "not-a-token", "with a\nline"])
def test_a_wrong_token_is_told_at_the_start(token: str) -> None:
    async def story() -> None:
        async with TelegramServer() as server:
            driver = TelegramDriver(token, server.url)
            with pytest.raises(
                ChannelError, match=r"telegram\.token; copy it from @BotFather"
            ) as e:
                await driver.run(Inbox().receive)
            assert e.value.retry_seconds is None
            assert token not in "".join(traceback.format_exception(e.value))

    asyncio.run(story())


def test_settings_that_cannot_be_used_are_told() -> None:
    with pytest.raises(ConfigError, match=r"telegram\.token is empty"):
        TelegramDriver(" ")
    with pytest.raises(ConfigError, match=r"telegram\.url must begin with http"):
        TelegramDriver(TOKEN, "127.0.0.1:8081")


def test_a_token_that_is_revoked_ends_it_but_a_proxys_404_does_not() -> None:
    async def story() -> None:
        async with TelegramServer() as server, running(server) as (driver, inbox):
            server.fail_next("getUpdates", 404, "Not Found")
            await server.write("one")
            await eventually(lambda: inbox.texts == ["one"])
            await server.write("two")
            await eventually(lambda: inbox.texts == ["one", "two"])
            assert len(server.posted("getMe")) == 2
            await driver.close()
        async with TelegramServer() as server:
            task = asyncio.create_task(driver_of(server).run(Inbox().receive))
            await eventually(lambda: server.polls)
            server.fail_next("getUpdates", 401, "Unauthorized", times=99)
            server.fail_next("getMe", 401, "Unauthorized", times=99)
            await server.write("wakes the request that waits")
            async with asyncio.timeout(8):
                with pytest.raises(ChannelError, match=r"telegram\.token"):
                    await task

    asyncio.run(story())


def test_a_webhook_or_a_second_poller_is_told_with_growing_pauses(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story(server: TelegramServer, _: TelegramDriver, inbox: Inbox) -> None:
        server.webhook = True
        await server.write("one")
        await eventually(lambda: "webhook is active" in caplog.text)
        before = len(server.polls)
        await asyncio.sleep(0.4)
        assert len(server.polls) - before < 6, "the pauses grow"
        server.webhook = False
        await server.write("two")
        await eventually(lambda: inbox.texts == ["one", "two"])
        assert "delete its webhook (deleteWebhook)" in caplog.text
        caplog.clear()
        async with running(server) as (_, second):
            await eventually(lambda: "terminated by other getUpdates" in caplog.text)
            await server.write("three")
            await eventually(lambda: "three" in [*inbox.texts, *second.texts])
        assert "let only one process use this bot's token" in caplog.text

    told(story)


def test_the_token_is_in_no_log_no_error_and_no_repr(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    errors: list[ChannelError] = []

    async def story(server: TelegramServer, driver: TelegramDriver, inbox: Inbox) -> None:
        server.fail_next("getUpdates", 502, "Bad Gateway")
        inbox.failures = 1
        await server.drop_connections()
        await server.write("hello")
        await eventually(lambda: inbox)
        sent = await driver.send(CHAT, "hi")
        for status in (400, 401, 403, 409, 429, 500):
            server.fail_next("sendMessage", status, retry_after=1 if status == 429 else None)
            errors.append(await refusal(driver.send(CHAT, "hi")))
        await driver.edit(CHAT, sent, "ho")
        await driver.close()
        caplog.records.append(logging.makeLogRecord({"msg": repr(driver)}))
        caplog.records.append(logging.makeLogRecord({"msg": repr(driver._bot())}))  # pyright: ignore[reportPrivateUsage]

    told(story)
    shown = caplog.text + "".join(record.getMessage() for record in caplog.records)
    shown += "".join("".join(traceback.format_exception(one)) for one in errors)
    assert "/botHIDDEN/getUpdates" in shown, "httpx logs the addresses"
    assert "Calling Bot API endpoint" in shown, "the library logs its calls"
    assert "send_request_headers" in shown, "httpcore logs its steps"
    assert TOKEN not in shown
    assert TOKEN.partition(":")[2] not in shown
