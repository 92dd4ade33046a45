"""`Channel`: what a chat platform must offer, and the events that come from it.

A platform's driver turns its updates into these events and hands each to `receive`, which returns
once the event is stored; only then does the driver acknowledge it to the platform. So an update
that arrives again is known, and none is lost between the two.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from seasoned.core.errors import SeasonedError


@dataclass(frozen=True, slots=True)
class Address:
    """A conversation on a platform: a chat, and the thread in it if there is one."""

    channel: str  # telegram, discord, slack, …
    chat: str
    thread: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever wrote or pressed; `id` is the platform's own and does not change."""

    id: str
    handle: str = ""  # without the @
    name: str = ""  # as others see it


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that a person sent. `id` names the update: one id is answered once."""

    id: str
    at: Address
    sender: Person
    text: str
    message: str = ""  # the platform's id of the message itself
    is_direct: bool = True  # a private chat; in a group the bot was addressed


@dataclass(frozen=True, slots=True)
class Press:
    """A button under one of our messages was pressed."""

    id: str
    at: Address
    sender: Person
    message: str
    data: str


@dataclass(frozen=True, slots=True)
class Reaction:
    """A thumb under one of our messages; `none` takes an earlier one back."""

    id: str
    at: Address
    sender: Person
    message: str
    thumb: Literal["up", "down", "none"]


ChannelEvent = Incoming | Press | Reaction
Receive = Callable[[ChannelEvent], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    data: str  # at most 64 bytes, which is what every platform takes


class ChannelError(SeasonedError):
    """A platform did not take a message; `retry_seconds` is how long it asks to wait."""

    def __init__(self, message: str, *, retry_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_seconds = retry_seconds  # None: trying again would not help


class ChannelDown(ChannelError):
    """The platform does not let us in until a setting changes; the message may be fine."""


class Channel(Protocol):
    """A driver of one platform. Texts are Markdown; the driver writes them as its platform does."""

    @property
    def name(self) -> str: ...

    @property
    def longest(self) -> int:
        """The number of characters that one message may have."""
        ...

    @property
    def edit_seconds(self) -> float:
        """The least time between two edits of a message; 0 if it cannot edit."""
        ...

    def measure(self, text: str) -> int:
        """The length of a text as this platform counts it."""
        ...

    async def run(self, receive: Receive) -> None:
        """Receive events until cancelled; reconnect with growing pauses by itself."""
        ...

    async def send(self, to: Address, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send one message of at most `longest` characters; return the platform's id of it."""
        ...

    async def edit(
        self, to: Address, message: str, text: str, buttons: Sequence[Button] = ()
    ) -> None: ...

    async def typing(self, to: Address) -> None:
        """Show for some seconds that an answer is being written."""
        ...

    async def acknowledge(self, press: Press, text: str = "") -> None:
        """Tell the platform that a press was taken, with a short text for whoever pressed."""
        ...
