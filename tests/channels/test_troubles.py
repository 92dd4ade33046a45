"""Troubles of a running bot: messages that vanish, a token that is revoked, presses, odd rooms."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.channels.hook_server import HookServer
from tests.channels.platforms import (
    CUSTOMER,
    HookPlatform,
    SlackPlatform,
    TelegramPlatform,
    running,
)
from tests.channels.telegram_server import TelegramServer
from tests.channels.world import World
from tests.server.live.scripts import LONG, Door, calls, wait_until
from tests.server.serving import Gateway

from seasoned.channels.channel import Person

pytestmark = pytest.mark.sqlite_only

TEAM = "-100200"
NEW_TOKEN = "110201543:another-token-of-the-same-bot"
ANA, BEN = Person("42", "ana", "Ana"), Person("43", "ben", "Ben")


@pytest.fixture
def telegram(tmp_path: Path) -> Generator[tuple[World, TelegramServer]]:
    platform = TelegramPlatform()
    with running(platform) as loop:
        world = World(platform, loop, tmp_path / "home")
        yield world, platform.server
        for gateway in world.gateways:
            gateway.end()


@pytest.fixture
def hook(tmp_path: Path) -> Generator[tuple[World, HookServer]]:
    platform = HookPlatform()
    with running(platform) as loop:
        world = World(platform, loop, tmp_path / "home")
        yield world, platform.server
        for gateway in world.gateways:
            gateway.end()


def test_an_answer_whose_message_was_deleted_is_sent_anew(
    telegram: tuple[World, TelegramServer],
) -> None:
    world, server = telegram
    world.start(LONG)
    world.write("Tell me much")
    first = world.wait_for_answer()
    server.delete(first.id)
    world.wait_until_idle_after(1)
    assert world.texts()[-1].split() == str(LONG["say"]).split()
    world.react(world.platform.messages()[-1], "up")
    scope = {"user": "telegram-42"}
    gateway = world.gateways[-1]
    wait_until(lambda: len(gateway.get("/v1/feedback", scope=scope).json()["items"]) == 1)


def test_a_thumb_under_an_answer_that_is_still_written_counts(
    telegram: tuple[World, TelegramServer],
) -> None:
    world, _ = telegram
    gateway = world.start(LONG)
    world.write("Tell me much")
    world.react(world.wait_for_answer(), "down")

    def given() -> list[dict[str, Any]]:
        return gateway.get("/v1/feedback", scope={"user": "telegram-42"}).json()["items"]

    wait_until(lambda: len(given()) == 1)
    assert given()[0]["turn"]["response"].split() == str(LONG["say"]).split()


def test_a_token_that_is_revoked_is_told_and_the_new_one_delivers_what_waits(
    telegram: tuple[World, TelegramServer],
) -> None:
    world, server = telegram
    gateway = world.start({"say": "Here it is.", "pause_seconds": 0.3})
    world.write("A question")
    wait_until(lambda: not server.unconfirmed)
    server.token = NEW_TOKEN
    world.loop.run(server.drop_connections())
    wait_until(lambda: world.health()["state"] == "failed")
    assert "telegram.token" in world.health()["reason"]
    assert world.health()["waiting"] == 1
    gateway.end()
    world.start("Never asked.", SEASONED_TELEGRAM__TOKEN=NEW_TOKEN)
    wait_until(lambda: world.texts()[-1:] == ["Here it is."])


def test_a_press_that_cannot_be_answered_does_not_hold_up_the_chat(
    telegram: tuple[World, TelegramServer],
) -> None:
    world, server = telegram
    door = Door()
    world.start(calls("open_door", name="front"), "It is open.", "Still here.", tools=[door.tool()])
    world.write("Open the door")
    question = world.wait_for_answer()
    server.fail_next("answerCallbackQuery", 400, "Bad Request: something else", times=1000)
    world.press(question, "Allow")
    wait_until(lambda: world.texts()[-1] == "It is open.")
    world.write("Are you there?")
    wait_until(lambda: world.texts()[-1] == "Still here.")
    assert not server.unconfirmed


def test_two_people_of_a_group_talk_at_once_and_their_thumbs_are_their_own(
    telegram: tuple[World, TelegramServer],
) -> None:
    world, server = telegram
    gateway = world.start("For the first.", "For the second.")
    loop = world.loop
    loop.run(server.write("@seasoned_bot hello", sender=ANA, chat=TEAM))
    loop.run(server.write("@seasoned_bot hello", sender=BEN, chat=TEAM))
    wait_until(lambda: len(server.messages(TEAM)) == 2)
    world.wait_until_idle()
    for user in ("telegram-42", "telegram-43"):
        (session,) = gateway.get("/v1/sessions", scope={"user": user}).json()["items"]
        assert session["turns"] == 1
    for message in server.messages(TEAM):
        loop.run(server.react(message.id, "👎", ANA))  # an operator may rate both
    for user in ("telegram-42", "telegram-43"):
        scope = {"user": user}

        def given(scope: dict[str, str] = scope) -> list[dict[str, Any]]:
            return gateway.get("/v1/feedback", scope=scope).json()["items"]

        wait_until(lambda given=given: len(given()) == 1)
        (one,) = given()
        assert one["annotator"] == "telegram-42"


def test_rooms_with_colons_in_their_names_get_their_own_reminders(
    hook: tuple[World, HookServer], tmp_path: Path
) -> None:
    world, server = hook
    script = tmp_path / "script.json"
    steps = [calls("remind", what="Ring the bell", when="1s"), *["The bell rings."] * 20]
    script.write_text(json.dumps(steps), "utf-8")
    model = {"SEASONED_AGENT__MODEL": f"scripted:{script}", "SEASONED_EMBEDDING__PROVIDER": "none"}
    gateway = Gateway(tmp_path / "home", **model, **world.platform.settings)
    server.gateway = gateway.url
    room = "!room:example.org#1"
    try:
        world.loop.run(server.write("Remind me", CUSTOMER, chat=room))
        wait_until(lambda: len(server.posts) >= 2)  # the answer, and the reminder
        assert {one["chat"] for one in server.posts} == {room}
    finally:
        gateway.end()


def test_a_bridge_that_sends_too_much_is_refused_and_nothing_is_cut(
    hook: tuple[World, HookServer],
) -> None:
    world, server = hook
    world.start("Hello.")

    def posted(text: str) -> int:
        body: dict[str, Any] = {"id": "m1", "chat": "room", "sender": CUSTOMER, "text": text}
        return world.loop.run(server.post(json.dumps(body).encode()))

    wait_until(lambda: posted("") == 400)
    assert posted("x" * 64_001) == 400
    assert posted("x" * 1_000_000) == 413
    assert posted("x" * 64_000) == 200
    wait_until(lambda: [one.text for one in server.messages()] == ["Hello."])


def test_slack_threads_are_followed_after_a_restart_of_the_gateway(tmp_path: Path) -> None:
    platform = SlackPlatform()
    with running(platform) as loop:
        world = World(platform, loop, tmp_path / "home")
        gateway = world.start("First.")
        server = platform.server
        ts = loop.run(server.write("<@U0BOT> hello", chat="C1", sender="U42"))
        wait_until(lambda: any(one.text == "First." for one in server.messages("C1")))
        world.wait_until_idle()
        gateway.end()
        second = world.start("Second.")
        wait_until(lambda: world.health()["state"] == "present" and bool(server.links))
        loop.run(server.write("and then?", chat="C1", thread=ts, sender="U42"))
        wait_until(lambda: any(one.text == "Second." for one in server.messages("C1")))
        second.end()
