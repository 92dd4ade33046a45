"""A bot that is killed at any moment: after the next start, every message has one answer."""

import json
import random
import signal
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.channels.platforms import LoopThread, TelegramPlatform, running
from tests.server.live.scripts import wait_until
from tests.server.serving import Gateway

pytestmark = pytest.mark.sqlite_only

WORDS = "word " * 60 + "end."
ROUNDS = 5


@pytest.fixture
def telegram() -> Generator[tuple[TelegramPlatform, LoopThread]]:
    platform = TelegramPlatform()
    with running(platform) as loop:
        yield platform, loop


def test_a_killed_bot_answers_each_message_once(
    telegram: tuple[TelegramPlatform, LoopThread], tmp_path: Path
) -> None:
    platform, loop = telegram
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"say": WORDS, "pause_seconds": 0.01}] * 50), "utf-8")
    variables = {
        "SEASONED_AGENT__MODEL": f"scripted:{script}",
        "SEASONED_EMBEDDING__PROVIDER": "none",
        **platform.settings,
    }
    chance = random.Random(7)
    for number in range(ROUNDS):
        gateway = Gateway(tmp_path / "home", **variables)
        loop.run(platform.write(f"message {number}"))
        wait_until(lambda: not platform.server.unconfirmed)
        time.sleep(chance.uniform(0, 1.2))
        gateway.end(signal.SIGKILL)
    gateway = Gateway(tmp_path / "home", **variables)
    try:
        wait_until(lambda: len(platform.messages()) == ROUNDS)
        wait_until(lambda: {one.text for one in platform.messages()} == {WORDS})
        health = gateway.get("/health").json()["reports"]["channels"]["channels"]["telegram"]
        wait_until(lambda: health["waiting"] == 0)
        (session,) = gateway.get("/v1/sessions", user="telegram-42").json()["items"]
        assert session["turns"] == ROUNDS
    finally:
        assert gateway.end()[0] == 0
    assert len(platform.messages()) == ROUNDS
