"""A channel that breaks, refuses or forgets: no letter is lost, and none holds up the others."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.channels.telegram_server import eventually

from seasoned.api import AsyncSeasoned
from seasoned.channels.channel import (
    Address,
    Button,
    ChannelDown,
    ChannelError,
    ChannelEvent,
    Incoming,
    Person,
    Press,
    Receive,
)
from seasoned.channels.guests import Guest, GuestList
from seasoned.channels.house import Answers, News, Thumb
from seasoned.channels.inbox import KEPT, Inbox
from seasoned.channels.reception import MOST_WAITING, Reception
from seasoned.core.clock import FixedClock

pytestmark = pytest.mark.sqlite_only

ANA, BEN = Person("42", "ana"), Person("43", "ben")
PRIVATE, GROUP = Address("paper", "1"), Address("paper", "-1")


@dataclass
class Paper:
    """A channel on paper; `failures` are what sending meets, `events` what people do."""

    failures: list[Exception] = field(default_factory=list[Exception])
    sent: list[str] = field(default_factory=list[str])
    events: asyncio.Queue[ChannelEvent] = field(default_factory=asyncio.Queue[ChannelEvent])
    name: str = "paper"
    longest: int = 1000
    edit_seconds: float = 0.0

    def measure(self, text: str) -> int:
        return len(text)

    async def run(self, receive: Receive) -> None:
        while True:
            await receive(await self.events.get())
            self.events.task_done()

    async def send(self, to: Address, text: str, buttons: Sequence[Button] = ()) -> str:
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append(text)
        return f"m{len(self.sent)}"

    async def edit(
        self, to: Address, message: str, text: str, buttons: Sequence[Button] = ()
    ) -> None: ...
    async def typing(self, to: Address) -> None: ...
    async def acknowledge(self, press: Press, text: str = "") -> None: ...

    async def hear(self, *events: ChannelEvent) -> None:
        for event in events:
            await self.events.put(event)
        await self.events.join()


@dataclass
class EchoHouse:
    """Answers with what it was asked, once the sender's turn is let through."""

    held: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])

    async def turns(self, guest: Guest, session: str) -> int:
        return 0

    async def ask(self, guest: Guest, session: str, text: str) -> AsyncIterator[News]:
        if guest.user in self.held:
            await self.held[guest.user].wait()
        yield News("done", f"You said {text}")

    def resume(self, guest: Guest, session: str) -> AsyncIterator[News]:
        return self.ask(guest, session, "go on")

    async def ended(self, guest: Guest, session: str, turn: int) -> News | None:
        return None

    def decide(self, guest: Guest, session: str, request: str, answer: Answers) -> None: ...
    def refuse(self, guest: Guest, session: str, request: str) -> None: ...
    def stop(self, guest: Guest, session: str) -> bool:
        return False

    async def end(self, guest: Guest, session: str) -> None: ...
    async def rate(
        self,
        guest: Guest,
        session: str,
        exchange: tuple[str, str],
        thumb: Thumb,
        *,
        by: Guest,
        reference: str,
    ) -> None: ...
    async def why(self, guest: Guest, session: str, lesson: str) -> str:
        return ""

    async def teach(self, guest: Guest, words: str) -> str:
        return ""

    async def forget(self, guest: Guest, lesson: str) -> str:
        return ""


Story = Callable[[Paper, EchoHouse, Callable[[], Reception], Inbox], Awaitable[None]]


def told(story: Story, clock: FixedClock | None = None) -> None:
    async def play() -> None:
        async with AsyncSeasoned(
            ":memory:", clock=clock or FixedClock(), environment={}
        ) as seasoned:
            inbox, paper, house = Inbox(seasoned.app.unit), Paper(), EchoHouse()

            def reception() -> Reception:
                guests = GuestList("paper", "42,43", "")
                short = {"failed_seconds": 0.01, "forget_seconds": 0.01}
                return Reception(paper, inbox, house, guests, **short)

            await story(paper, house, reception, inbox)

    asyncio.run(play())


class Running:
    """Runs a reception; `ended` is how it ended by itself."""

    def __init__(self, reception: Reception) -> None:
        self._reception = reception
        self.task = asyncio.create_task(_run(reception))

    async def __aenter__(self) -> "Running":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self._reception.close()


def _run(reception: Reception) -> Coroutine[Any, Any, None]:
    return reception.run()


def note(number: int, sender: Person = ANA, at: Address = PRIVATE) -> Incoming:
    return Incoming(f"u{number}", at, sender, f"number {number}")


def test_a_letter_that_breaks_us_does_not_hold_up_those_behind_it() -> None:
    async def story(
        paper: Paper, house: EchoHouse, reception: Callable[[], Reception], inbox: Inbox
    ) -> None:
        paper.failures += [KeyError("odd")] * 3
        async with Running(reception()):
            await paper.hear(note(1), note(2))
            await eventually(lambda: paper.sent[-1:] == ["You said number 2"])
        assert paper.sent[0].startswith("Something went wrong")
        assert await inbox.counts("paper") == {"waiting": 0, "undelivered": 1}

    told(story)


def test_what_breaks_once_is_answered_at_the_next_try() -> None:
    async def story(
        paper: Paper, house: EchoHouse, reception: Callable[[], Reception], inbox: Inbox
    ) -> None:
        paper.failures += [KeyError("odd"), ChannelDown("who are you?")]
        async with Running(reception()):
            await paper.hear(note(1))
            await eventually(lambda: paper.sent == ["You said number 1"])
        assert await inbox.counts("paper") == {"waiting": 0, "undelivered": 0}

    told(story)


def test_answers_wait_while_the_platform_does_not_let_us_in_and_the_channel_says_why() -> None:
    async def story(
        paper: Paper, house: EchoHouse, reception: Callable[[], Reception], inbox: Inbox
    ) -> None:
        paper.failures += [ChannelDown("the token was revoked")] * 1000
        async with Running(reception()) as running:
            await paper.hear(note(1))
            with pytest.raises(ChannelDown, match="revoked"):
                await asyncio.wait_for(running.task, 8)
        assert await inbox.counts("paper") == {"waiting": 1, "undelivered": 0}
        paper.failures.clear()  # the operator sets the new token, and starts again
        async with Running(reception()):
            await eventually(lambda: paper.sent == ["You said number 1"])

    told(story)


def test_a_platform_that_is_away_for_long_gets_each_answer_once_and_in_order() -> None:
    async def story(
        paper: Paper, house: EchoHouse, reception: Callable[[], Reception], inbox: Inbox
    ) -> None:
        paper.failures += [ChannelError("away", retry_seconds=0.001)] * 60
        async with Running(reception()):
            await paper.hear(note(1), note(2), note(3))
            await eventually(lambda: len(paper.sent) == 3)
        assert paper.sent == [f"You said number {number}" for number in (1, 2, 3)]

    told(story)


def test_an_answer_that_the_platform_refuses_is_counted_and_the_next_arrives() -> None:
    async def story(
        paper: Paper, house: EchoHouse, reception: Callable[[], Reception], inbox: Inbox
    ) -> None:
        paper.failures.append(ChannelError("blocked by the user"))
        async with Running(reception()):
            await paper.hear(note(1), note(2))
            await eventually(lambda: paper.sent == ["You said number 2"])
        assert await inbox.counts("paper") == {"waiting": 0, "undelivered": 1}

    told(story)


def test_in_a_group_nobody_waits_for_the_turn_of_another() -> None:
    async def story(
        paper: Paper, house: EchoHouse, reception: Callable[[], Reception], inbox: Inbox
    ) -> None:
        house.held["paper-42"] = asyncio.Event()
        async with Running(reception()):
            await paper.hear(note(1, ANA, GROUP), note(2, ANA, GROUP), note(3, BEN, GROUP))
            await eventually(lambda: paper.sent == ["You said number 3"])
            house.held["paper-42"].set()
            await eventually(lambda: len(paper.sent) == 3)
        assert paper.sent[1:] == ["You said number 1", "You said number 2"]

    told(story)


def test_a_flood_of_one_person_is_bounded_told_once_and_holds_up_nobody() -> None:
    async def story(
        paper: Paper, house: EchoHouse, reception: Callable[[], Reception], inbox: Inbox
    ) -> None:
        house.held["paper-42"] = asyncio.Event()
        async with Running(reception()):
            await paper.hear(*(note(number) for number in range(500)))
            await paper.hear(note(500, BEN, Address("paper", "2")))
            await eventually(lambda: paper.sent == ["You said number 500"])
            assert (await inbox.counts("paper"))["waiting"] == MOST_WAITING + 1
            house.held["paper-42"].set()
            await eventually(lambda: len(paper.sent) == MOST_WAITING + 2)
            assert paper.sent[-1].startswith("You wrote faster than I answer")
            await paper.hear(note(501))
            await eventually(lambda: paper.sent[-1] == "You said number 501")

    told(story)


def test_what_was_answered_long_ago_is_deleted_while_the_process_runs() -> None:
    clock = FixedClock()

    async def story(
        paper: Paper, house: EchoHouse, reception: Callable[[], Reception], inbox: Inbox
    ) -> None:
        async with Running(reception()):
            await paper.hear(note(1))
            await eventually(lambda: len(paper.sent) == 1)
            assert await inbox.answered_by(PRIVATE, "m1") is not None
            clock.advance(seconds=KEPT / 1_000_000 + 1)
            async with asyncio.timeout(8):
                while await inbox.answered_by(PRIVATE, "m1") is not None:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)

    told(story, clock)
