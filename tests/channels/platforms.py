"""The platforms of the contract suite under one face: what a person can do on each of them."""

import asyncio
import threading
from collections.abc import Coroutine, Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from typing import Any, Protocol, TypeVar

from tests.channels import discord_server, slack_server, slack_wire, telegram_server
from tests.channels.discord_server import DiscordServer
from tests.channels.hook_server import SECRET, HookServer
from tests.channels.slack_server import SlackServer
from tests.channels.telegram_server import TelegramServer
from tests.server.live.scripts import wait_until

from seasoned.channels.channel import Person

T = TypeVar("T")
OPERATOR, CUSTOMER, STRANGER = "42", "43", "44"


class Message(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def buttons(self) -> Sequence[tuple[str, str]]: ...


class Platform(Protocol):
    """Ana (42) is an operator, Ben (43) a customer, Eve (44) a stranger; each writes privately."""

    name: str
    can_edit: bool
    longest: int

    @property
    def settings(self) -> dict[str, Any]: ...
    def id_of(self, sender: str) -> str:
        """Return the platform's own id of a person."""
        ...

    @property
    def typing_signs(self) -> int | None:
        """How often the bot showed that it writes; None where private chats have no such sign."""
        ...

    def chat_of(self, sender: str) -> str:
        """Return the private chat of a person with the bot."""
        ...

    async def start(self) -> None: ...
    async def stop(self) -> None: ...
    def serves(self, gateway: str) -> None:
        """Hear where the gateway is, for platforms that call it."""

    async def write(self, text: str, sender: str = OPERATOR) -> None: ...
    async def press(self, message: str, data: str, sender: str = OPERATOR) -> None: ...
    async def react(self, message: str, thumb: str, sender: str = OPERATOR) -> None: ...
    def messages(self, sender: str = OPERATOR) -> Sequence[Message]: ...
    async def replay(self) -> None: ...
    async def drop_connections(self) -> None: ...
    def refuse_next(self) -> None:
        """Answer the next message with "too many", and how long to wait."""


class HookPlatform:
    name, can_edit, longest = "hook", False, 16_000

    def __init__(self) -> None:
        self.server = HookServer()

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "SEASONED_HOOK__URL": self.server.url,
            "SEASONED_HOOK__SECRET": SECRET,
            "SEASONED_HOOK__USERS": CUSTOMER,
            "SEASONED_HOOK__OPERATORS": OPERATOR,
        }

    def id_of(self, sender: str) -> str:
        return sender

    @property
    def typing_signs(self) -> None:
        return None

    def chat_of(self, sender: str) -> str:
        return f"room-{sender}"

    async def start(self) -> None:
        await self.server.start()

    async def stop(self) -> None:
        await self.server.stop()

    def serves(self, gateway: str) -> None:
        self.server.gateway = gateway

    async def write(self, text: str, sender: str = OPERATOR) -> None:
        await self.server.write(text, sender, chat=f"room-{sender}")

    async def press(self, message: str, data: str, sender: str = OPERATOR) -> None:
        await self.server.press(message, data, sender)

    async def react(self, message: str, thumb: str, sender: str = OPERATOR) -> None:
        await self.server.react(message, thumb, sender)

    def messages(self, sender: str = OPERATOR) -> Sequence[Message]:
        return self.server.messages(f"room-{sender}")

    async def replay(self) -> None:
        await self.server.replay()

    async def drop_connections(self) -> None:
        """Nothing is kept open between two posts."""

    def refuse_next(self) -> None:
        self.server.fail_next(429)


EMOJI = {"up": "👍", "down": "👎"}


class TelegramPlatform:
    name, can_edit, longest = "telegram", True, 4096

    def __init__(self) -> None:
        self.server = TelegramServer()
        self._open = AsyncExitStack()

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "SEASONED_TELEGRAM__TOKEN": telegram_server.TOKEN,
            "SEASONED_TELEGRAM__URL": self.server.url,
            "SEASONED_TELEGRAM__USERS": CUSTOMER,
            "SEASONED_TELEGRAM__OPERATORS": OPERATOR,
        }

    def id_of(self, sender: str) -> str:
        return sender

    @property
    def typing_signs(self) -> int:
        return len(self.server.posted("sendChatAction"))

    def chat_of(self, sender: str) -> str:
        return sender

    async def start(self) -> None:
        await self._open.enter_async_context(self.server)

    async def stop(self) -> None:
        await self._open.aclose()

    def serves(self, gateway: str) -> None:
        """It is the bot that calls."""

    async def write(self, text: str, sender: str = OPERATOR) -> None:
        await self.server.write(text, sender=Person(sender, f"p{sender}", "Somebody"))

    async def press(self, message: str, data: str, sender: str = OPERATOR) -> None:
        await self.server.press(message, data, Person(sender))

    async def react(self, message: str, thumb: str, sender: str = OPERATOR) -> None:
        await self.server.react(message, EMOJI[thumb], Person(sender))

    def messages(self, sender: str = OPERATOR) -> Sequence[Message]:
        return self.server.messages(sender)

    async def replay(self) -> None:
        await self.server.replay()

    async def drop_connections(self) -> None:
        await self.server.drop_connections()

    def refuse_next(self) -> None:
        self.server.fail_next("sendMessage", 429, "Too Many Requests", retry_after=1)


class SlackPlatform:
    name, can_edit, longest = "slack", True, 3900

    def __init__(self) -> None:
        self.server = SlackServer()
        self._open = AsyncExitStack()

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "SEASONED_SLACK__BOT_TOKEN": slack_server.BOT_TOKEN,
            "SEASONED_SLACK__APP_TOKEN": slack_server.APP_TOKEN,
            "SEASONED_SLACK__URL": self.server.url,
            "SEASONED_SLACK__USERS": f"U{CUSTOMER}",
            "SEASONED_SLACK__OPERATORS": f"U{OPERATOR}",
        }

    def id_of(self, sender: str) -> str:
        return f"U{sender}"

    @property
    def typing_signs(self) -> None:
        return None

    def chat_of(self, sender: str) -> str:
        return f"D{sender}"

    async def start(self) -> None:
        await self._open.enter_async_context(self.server)

    async def stop(self) -> None:
        await self._open.aclose()

    def serves(self, gateway: str) -> None:
        """It is the app that calls."""

    async def write(self, text: str, sender: str = OPERATOR) -> None:
        await self.server.write(text, sender=f"U{sender}", chat=f"D{sender}")

    async def press(self, message: str, data: str, sender: str = OPERATOR) -> None:
        await self.server.press(message, data, f"U{sender}")

    async def react(self, message: str, thumb: str, sender: str = OPERATOR) -> None:
        await self.server.react(message, EMOJI[thumb], f"U{sender}")

    def messages(self, sender: str = OPERATOR) -> Sequence[Message]:
        return [one for one in self.server.messages(f"D{sender}") if one.sender == slack_wire.ME]

    async def replay(self) -> None:
        await self.server.replay()

    async def drop_connections(self) -> None:
        await self.server.drop_connections()

    def refuse_next(self) -> None:
        self.server.fail_next("chat.postMessage", 429, "ratelimited", retry_after=1)


class DiscordPlatform:
    name, can_edit, longest = "discord", True, 2000

    def __init__(self) -> None:
        self.server = DiscordServer()
        self._open = AsyncExitStack()

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "SEASONED_DISCORD__TOKEN": discord_server.TOKEN,
            "SEASONED_DISCORD__URL": self.server.url,
            "SEASONED_DISCORD__USERS": CUSTOMER,
            "SEASONED_DISCORD__OPERATORS": OPERATOR,
        }

    def id_of(self, sender: str) -> str:
        return sender

    @property
    def typing_signs(self) -> int:
        return sum(one.path.endswith("/typing") for one in self.server.posts)

    def chat_of(self, sender: str) -> str:
        return self._chat(sender)

    async def start(self) -> None:
        await self._open.enter_async_context(self.server)
        for sender in (OPERATOR, CUSTOMER, STRANGER):
            self.server.open_private(self._chat(sender))

    async def stop(self) -> None:
        await self._open.aclose()

    def serves(self, gateway: str) -> None:
        """Wait until the bot has come, which hears nothing before."""
        wait_until(lambda: self.server.sessions.is_connected)

    async def write(self, text: str, sender: str = OPERATOR) -> None:
        person = Person(sender, f"p{sender}", "Somebody")
        await self.server.write(text, sender=person, chat=self._chat(sender))

    async def press(self, message: str, data: str, sender: str = OPERATOR) -> None:
        await self.server.press(message, data, Person(sender))

    async def react(self, message: str, thumb: str, sender: str = OPERATOR) -> None:
        await self.server.react(message, EMOJI[thumb], Person(sender))

    def messages(self, sender: str = OPERATOR) -> Sequence[Message]:
        return self.server.messages(self._chat(sender))

    async def replay(self) -> None:
        await self.server.replay()

    async def drop_connections(self) -> None:
        await self.server.drop_connections()

    def refuse_next(self) -> None:
        self.server.fail_next("send", 429, retry_after=0.5)

    def _chat(self, sender: str) -> str:
        return f"5{sender}"


PLATFORMS = (HookPlatform, TelegramPlatform, DiscordPlatform, SlackPlatform)


class LoopThread:
    """An event loop in a thread, in which the platform's server runs."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@contextmanager
def running(platform: Platform) -> Generator[LoopThread]:
    loop = LoopThread()
    try:
        loop.run(platform.start())
        yield loop
    finally:
        loop.run(platform.stop())
        loop.close()
