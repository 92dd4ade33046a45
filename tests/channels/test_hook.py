"""The hook: whom it believes, and what it makes of odd requests; notices that go to a chat."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.channels.hook_server import HookServer
from tests.channels.platforms import HookPlatform, LoopThread, running
from tests.server.live.scripts import Door, calls, wait_until
from tests.server.live.serving import LiveGateway

pytestmark = pytest.mark.sqlite_only

Bridge = tuple[HookPlatform, HookServer, LoopThread]


@pytest.fixture
def bridge() -> Generator[Bridge]:
    platform = HookPlatform()
    with running(platform) as loop:
        yield platform, platform.server, loop


def test_only_fresh_requests_with_our_signature_are_taken(bridge: Bridge, tmp_path: Path) -> None:
    platform, server, loop = bridge
    gateway = LiveGateway(tmp_path / "home", "Hello.", **platform.settings)
    platform.serves(gateway.url)
    body = json.dumps({"id": "m1", "chat": "room", "sender": "42", "text": "Hi"}).encode()
    try:
        wait_until(lambda: loop.run(server.post(b"{}")) == 400)
        assert loop.run(server.post(body, secret="guessed")) == 403
        assert loop.run(server.post(body, age=600)) == 403
        assert server.posts == []
        for odd in (b"no JSON", b"[]", b'{"id": "m2", "chat": "room", "sender": "42"}'):
            assert loop.run(server.post(odd)) == 400
        assert loop.run(server.post(body)) == 200
        wait_until(lambda: [one["text"] for one in server.posts] == ["Hello."])
    finally:
        gateway.end()


def test_without_the_setting_there_is_no_hook(bridge: Bridge, tmp_path: Path) -> None:
    _, server, loop = bridge
    gateway = LiveGateway(tmp_path / "home", "Hello.")
    server.gateway = gateway.url
    try:
        assert loop.run(server.post(b"{}")) == 404
    finally:
        gateway.end()


def test_a_bridge_that_refuses_for_good_is_shown_and_does_not_stop_the_others(
    bridge: Bridge, tmp_path: Path
) -> None:
    platform, server, loop = bridge
    gateway = LiveGateway(tmp_path / "home", "One.", "Two.", **platform.settings)
    platform.serves(gateway.url)
    try:
        server.fail_next(410)
        loop.run(platform.write("Hi"))

        def state() -> dict[str, object]:
            return gateway.get("/health").json()["reports"]["channels"]["channels"]["hook"]

        wait_until(lambda: state()["undelivered"] == 1)
        assert "410" in str(state()["last_error"])
        loop.run(platform.write("Again"))
        wait_until(lambda: [one["text"] for one in server.posts] == ["Two."])
    finally:
        gateway.end()


def test_new_rules_are_announced_in_a_chat(bridge: Bridge, tmp_path: Path) -> None:
    platform, server, loop = bridge
    settings: dict[str, Any] = platform.settings
    settings |= {"SEASONED_NOTIFY__CHANNEL": "chat", "SEASONED_NOTIFY__TO": "hook:ops"}
    gateway = LiveGateway(tmp_path / "home", "Hi.", "Gut.", **settings)
    platform.serves(gateway.url)
    try:
        loop.run(platform.write("Hello"))
        wait_until(lambda: len(platform.messages()) == 1)
        loop.run(platform.write("No. Always answer in German."))
        wait_until(lambda: len(server.messages("ops")) == 1)
        assert "Always answer in German" in server.messages("ops")[0].text
    finally:
        gateway.end()


def test_in_a_group_an_operator_decides_what_a_customer_asked_for(
    bridge: Bridge, tmp_path: Path
) -> None:
    platform, server, loop = bridge
    door = Door()
    gateway = LiveGateway(
        tmp_path / "home",
        calls("open_door", name="front"),
        "Open.",
        tools=[door.tool()],
        **platform.settings,
    )
    platform.serves(gateway.url)
    try:
        loop.run(server.write("Open the door", "43", group=True))
        wait_until(lambda: len(server.messages()) == 1)
        (question,) = server.messages()
        assert [label for label, _ in question.buttons] == ["Allow", "Deny"]
        allow = question.buttons[0][1]
        loop.run(server.press(question.id, allow, "43"))
        wait_until(lambda: server.notices == ["Only an operator may decide this."])
        assert door.opened == 0
        loop.run(server.press(question.id, allow.replace("allow", "always"), "42"))
        wait_until(lambda: server.notices[1:] == ["This button is not known."])
        loop.run(server.press(question.id, allow, "42"))
        wait_until(lambda: door.opened == 1)
        wait_until(lambda: server.messages()[-1].text == "Open.")
        assert server.notices[-1] == "Allowed."
    finally:
        gateway.end()
