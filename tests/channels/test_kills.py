"""A bot that is killed at any moment: after the next start, every message has one answer."""

import json
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.channels.platforms import (
    OPERATOR,
    PLATFORMS,
    LoopThread,
    Platform,
    TelegramPlatform,
    running,
)
from tests.server.live.scripts import wait_until
from tests.server.serving import Gateway

from seasoned import Seasoned

pytestmark = pytest.mark.sqlite_only

WORDS = "word " * 60 + "end."
ROUNDS = 3


@pytest.fixture
def telegram() -> Generator[tuple[TelegramPlatform, LoopThread]]:
    platform = TelegramPlatform()
    with running(platform) as loop:
        yield platform, loop


def scripted(folder: Path, step: Any) -> dict[str, str]:
    script = folder / "script.json"
    script.write_text(json.dumps([step] * 50), "utf-8")
    return {
        "SEASONED_AGENT__MODEL": f"scripted:{script}",
        "SEASONED_EMBEDDING__PROVIDER": "none",
    }


def test_the_result_of_a_job_arrives_in_the_chat(
    telegram: tuple[TelegramPlatform, LoopThread], tmp_path: Path
) -> None:
    platform, _ = telegram
    variables = scripted(tmp_path, "The offers are compared.") | platform.settings
    gateway = Gateway(tmp_path / "home", **variables)
    try:
        with Seasoned(tmp_path / "home" / "seasoned.db") as s:
            s.jobs.start("Compare the offers", deliver="telegram:42#later")
        wait_until(
            lambda: [one.text for one in platform.messages()] == ["The offers are compared."]
        )
    finally:
        gateway.end()


@pytest.mark.parametrize("made", PLATFORMS)
def test_a_killed_bot_answers_each_message_once(
    made: Callable[[], Platform], tmp_path: Path
) -> None:
    platform = made()
    with running(platform) as loop:
        _kill_and_resume(platform, loop, tmp_path)


def _kill_and_resume(platform: Platform, loop: LoopThread, tmp_path: Path) -> None:
    variables = scripted(tmp_path, {"say": WORDS, "pause_seconds": 0.01}) | platform.settings
    chance = random.Random(7)

    def stored() -> int:
        with closing(sqlite3.connect(tmp_path / "home" / "seasoned.db")) as db:
            (found,) = db.execute("SELECT COUNT(*) FROM channel_inbox").fetchone()
            return int(found)

    for number in range(ROUNDS):
        gateway = Gateway(tmp_path / "home", **variables)
        platform.serves(gateway.url)
        loop.run(platform.write(f"message {number}"))
        wait_until(lambda number=number: stored() == number + 1)
        time.sleep(chance.uniform(0, 1.2))
        gateway.end(signal.SIGKILL)
    gateway = Gateway(tmp_path / "home", **variables)
    platform.serves(gateway.url)
    try:

        def waiting() -> int:
            report = gateway.get("/health").json()["reports"]["channels"]
            return report["channels"][platform.name]["waiting"]

        wait_until(lambda: waiting() == 0)
        _check_answers([one.text.strip() for one in platform.messages()])
        user = f"{platform.name}-{platform.id_of(OPERATOR)}"
        (session,) = gateway.get("/v1/sessions", user=user).json()["items"]
        assert session["turns"] == ROUNDS
    finally:
        assert gateway.end()[0] == 0
    _check_answers([one.text.strip() for one in platform.messages()])


def _check_answers(texts: list[str]) -> None:
    """Each answer is there as a whole; one that the kill cut from its number may be there again.

    No platform tells afterwards whether it took a message, and where the kill hits is chance.
    """
    whole = [one for one in texts if one == WORDS]
    assert len(whole) >= ROUNDS, texts
    assert len(texts) <= ROUNDS + 1, texts
    assert all(WORDS.startswith(one.rstrip(" …")) for one in texts), texts
