"""The story of docs/running.md, as a new user would follow it: from nothing to a bot that learns.

The commands are those of the page, typed at a terminal. Telegram and the model's provider are
servers of our own.
"""

import json
import os
import pty
import re
import select
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.channels.platforms import EMOJI, TelegramPlatform, running
from tests.channels.telegram_server import ANA, TOKEN
from tests.json_service import JsonService, Reply
from tests.llm.wire_formats import EVENTS, openai_events
from tests.server.live.scripts import wait_until
from tests.server.serving import Gateway

pytestmark = pytest.mark.sqlite_only

PAGE = Path(__file__).parents[2] / "docs" / "running.md"
PASSPHRASE, KEY = "correct horse battery", "sk-test-0123456789abcdefghij"
ANSWERS = {
    "New passphrase": PASSPHRASE,
    "The same again": PASSPHRASE,
    "Passphrase of": PASSPHRASE,
    "Value of telegram.token": TOKEN,
    "Value of llm.key": KEY,
}
PATIENCE = 60.0


def commands_of_the_page() -> list[list[str]]:
    """Return the commands of the section on the bot, without comments."""
    section = PAGE.read_text("utf-8").split("## A Telegram bot that learns")[1].split("\n## ")[0]
    block = re.findall(r"```bash\n(.*?)```", section, re.DOTALL)[0]
    return [line.partition("#")[0].split() for line in block.splitlines()]


def typed(words: list[str], home: Path) -> str:
    """Run a command at a terminal, and answer what it asks; return what it showed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["SEASONED_HOME"] = str(home)
        os.execv(sys.executable, [sys.executable, "-m", "seasoned", *words])
    shown, heard, deadline = "", 0, time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < deadline, shown
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            part = os.read(terminal, 4096).decode()
        except OSError:  # it has ended
            break
        if not part:
            break
        shown += part
        for question, answer in ANSWERS.items():
            if question in shown[heard:] and shown.rstrip().endswith(":"):
                heard = len(shown)
                os.write(terminal, f"{answer}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0, shown
    return shown


def replies(*texts: str) -> list[Reply]:
    return [Reply(b"".join(openai_events(text)), headers=EVENTS) for text in texts]


def test_from_nothing_to_a_telegram_bot_that_learns(tmp_path: Path) -> None:
    install, init, *secrets_and_settings, serve = commands_of_the_page()
    assert install[:2] == ["make", "install"]
    assert serve == ["seasoned", "serve"]
    home, platform = tmp_path / "home", TelegramPlatform()
    model = JsonService(*replies("Hello, Ana.", "Guten Tag.", "Sehr gut.", "Wie immer."))
    with running(platform) as loop:
        telegram = platform.server
        for words in (init, *secrets_and_settings):
            assert words[0] == "seasoned"
            shown = typed(words[1:], home)
            assert TOKEN not in shown
            assert KEY not in shown
        typed(["config", "set", "telegram.url", telegram.url], home)
        typed(["config", "set", "llm.url", f"{model.url}/v1"], home)

        def told(text: str) -> str:
            """Write to the bot, and return its answer."""
            before = len(telegram.messages())
            loop.run(telegram.write(text))
            wait_until(lambda: len(telegram.messages()) > before)
            time.sleep(0.5)  # the answer may grow
            return telegram.messages()[-1].text

        gateway = Gateway(home, SEASONED_PASSPHRASE=PASSPHRASE)
        stranger = told("Hi")
        assert stranger.startswith("I do not know you")
        assert f"Your id here is {ANA.id}" in stranger
        assert gateway.end()[0] == 0
        assert model.asked == []

        typed(["config", "set", "telegram.operators", ANA.id], home)
        gateway = Gateway(home, SEASONED_PASSPHRASE=PASSPHRASE)
        assert told("Hi") == "Hello, Ana."
        noted = told("No. Always answer in German.")
        assert noted.startswith("Guten Tag.")
        assert "Noted: Always answer in German." in noted
        told("/new")
        assert told("How are you?") == "Sehr gut."
        assert "Always answer in German." in json.dumps(model.asked[-1].body)
        loop.run(telegram.react(telegram.messages()[-1].id, EMOJI["down"], ANA))

        def feedback() -> list[dict[str, Any]]:
            return gateway.get("/v1/feedback", user="telegram-42").json()["items"]

        wait_until(lambda: len(feedback()) == 1)
        assert feedback()[0]["turn"]["prompt"] == "How are you?"
        assert "Always answer in German." in told("/why")
        desk = gateway.get("/", headers={"Accept": "text/html"})
        assert "Seasoned" in desk.text
        assert gateway.end()[0] == 0
    model.stop()
    stored = b"".join(one.read_bytes() for one in home.rglob("*") if one.is_file())
    assert TOKEN.encode() not in stored
    assert KEY.encode() not in stored
