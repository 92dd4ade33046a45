"""A platform of our own, and the gateway whose agent answers there."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.channels.platforms import OPERATOR, LoopThread, Message, Platform
from tests.server.live.scripts import wait_until
from tests.server.live.serving import LiveGateway


@dataclass
class World:
    """A platform, and the gateway with an agent that answers what the steps say."""

    platform: Platform
    loop: LoopThread
    home: Path
    gateways: list[LiveGateway] = field(default_factory=list[LiveGateway])

    def start(
        self, *steps: Any, tools: Sequence[Callable[..., Any]] = (), **settings: str
    ) -> LiveGateway:
        gateway = LiveGateway(self.home, *steps, tools=tools, **self.platform.settings | settings)
        self.gateways.append(gateway)
        self.platform.serves(gateway.url)
        return gateway

    def write(self, text: str, sender: str = OPERATOR) -> None:
        self.loop.run(self.platform.write(text, sender))

    def press(self, message: Message, label: str, sender: str = OPERATOR) -> None:
        data = next(data for shown, data in message.buttons if shown == label)
        self.loop.run(self.platform.press(message.id, data, sender))

    def react(self, message: Message, thumb: str, sender: str = OPERATOR) -> None:
        self.loop.run(self.platform.react(message.id, thumb, sender))

    def texts(self, sender: str = OPERATOR) -> list[str]:
        return [one.text for one in self.platform.messages(sender)]

    def wait_for(self, *texts: str, sender: str = OPERATOR) -> None:
        """Wait until these are the messages that somebody sees."""
        try:
            wait_until(lambda: self.texts(sender) == list(texts))
        except AssertionError:
            raise AssertionError(f"{self.texts(sender)} instead of {list(texts)}") from None

    def wait_for_answer(self, number: int = 1, sender: str = OPERATOR) -> Message:
        wait_until(lambda: len(self.platform.messages(sender)) >= number)
        return self.platform.messages(sender)[number - 1]

    def user(self, sender: str) -> str:
        """Return the user in whose scope somebody is."""
        return f"{self.platform.name}-{self.platform.id_of(sender)}"

    def health(self) -> dict[str, Any]:
        report = self.gateways[-1].get("/health").json()["reports"]["channels"]
        return report["channels"][self.platform.name]

    def stored(self) -> str:
        """Return all that the inbox holds."""
        with closing(sqlite3.connect(self.gateways[-1].database)) as db:
            return repr(db.execute("SELECT * FROM channel_inbox").fetchall())

    def wait_until_idle_after(self, answers: int) -> None:
        wait_until(lambda: self.health()["answered"] == answers)

    def wait_until_idle(self) -> None:
        wait_until(lambda: self.health()["waiting"] == 0)
