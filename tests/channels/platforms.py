"""The platforms of the contract suite under one face: what a person can do on each of them."""

import asyncio
import threading
from collections.abc import Coroutine, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from tests.channels.hook_server import SECRET, HookServer

T = TypeVar("T")
OPERATOR, CUSTOMER, STRANGER = "42", "43", "44"


class Message(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def buttons(self) -> list[tuple[str, str]]: ...


class Platform(Protocol):
    """Ana (42) is an operator, Ben (43) a customer, Eve (44) a stranger; each writes privately."""

    name: str
    can_edit: bool
    longest: int

    @property
    def settings(self) -> dict[str, str]: ...
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
    def refuse_next(self, seconds: float) -> None:
        """Answer the next message with "too many", and how long to wait."""


class HookPlatform:
    name, can_edit, longest = "hook", False, 16_000

    def __init__(self) -> None:
        self.server = HookServer()

    @property
    def settings(self) -> dict[str, str]:
        return {
            "SEASONED_HOOK__URL": self.server.url,
            "SEASONED_HOOK__SECRET": SECRET,
            "SEASONED_HOOK__USERS": CUSTOMER,
            "SEASONED_HOOK__OPERATORS": OPERATOR,
        }

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

    def refuse_next(self, seconds: float) -> None:
        self.server.fail_next(429)


PLATFORMS = (HookPlatform,)


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
