"""Take what comes from a platform, and answer it: one letter of a conversation after the other.

A message is stored before its platform hears that we have it, and waits in the inbox until its
answer is delivered. Whatever happens in between, after the next start it is known how far it came.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, cast

from seasoned.channels.answer import Answer
from seasoned.channels.channel import Address, Channel, ChannelError, ChannelEvent, Incoming, Press
from seasoned.channels.channel import Reaction as Thumb
from seasoned.channels.commands import STOP, STOPPED, Commands, Order, command_of
from seasoned.channels.guests import Guest, GuestList
from seasoned.channels.house import House, News, Stopping
from seasoned.channels.inbox import NOT_BEGUN, Inbox, Letter
from seasoned.channels.questions import Questions
from seasoned.core.errors import SeasonedError

log = logging.getLogger("seasoned.channels")

AT_ONCE = 16  # conversations that are answered at the same time
TYPING_SECONDS = 4.0
FAILED_SECONDS = 5.0  # before a letter is tried again whose work broke
STRANGER = (
    "I do not know you, so I may not answer. Your id here is {id}: whoever runs me can add it to "
    "{channel}.users."
)
NOTHING = "(I have nothing to say to this.)"
STOPPED_TURN = "stopped by the user"  # how the agent says it
BROKE = "I could not answer this: {reason}"
BROKE_QUIETLY = "Something went wrong, and I could not answer this. Please try again later."


class Reception:
    """Receives for one channel. `run` answers what waits, and ends when it is cancelled."""

    def __init__(self, channel: Channel, inbox: Inbox, house: House, guests: GuestList) -> None:
        self.channel = channel
        self.answered = 0
        self.last_error = ""
        self._inbox = inbox
        self._house = house
        self._guests = guests
        self._questions = Questions(channel, house, guests)
        self._commands = Commands(house, inbox)
        self._said: dict[str, str] = {}  # words as they came; stored are those without secrets
        self._workers: dict[Address, asyncio.Task[None]] = {}
        self._stops: set[str] = set()
        self._free = asyncio.Semaphore(AT_ONCE)
        self._draining = False

    async def run(self) -> None:
        """Answer what waited when the last process ended, then receive."""
        await self._inbox.forget_old(self.channel.name)
        for at in await self._inbox.waiting(self.channel.name):
            self._wake(at)
        await self.channel.run(self.receive)

    async def receive(self, event: ChannelEvent) -> None:
        """Take an event; when this returns, it is stored or needs no more attention."""
        if isinstance(event, Incoming):
            await self._take(event)
        elif isinstance(event, Press):
            await self._questions.press(event)
        else:
            await self._rate(event)

    @property
    def working(self) -> int:
        """The number of conversations in which an answer is written."""
        return len(self._workers)

    async def drain(self, seconds: float) -> None:
        """Begin nothing new, and deliver what is being written."""
        self._draining = True
        if self._workers:
            await asyncio.wait(tuple(self._workers.values()), timeout=seconds)

    async def close(self) -> None:
        self._draining = True
        workers = tuple(self._workers.values())
        for one in workers:
            one.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    async def _take(self, event: Incoming) -> None:
        guest = self._guests.find(event.sender)
        if guest is None:
            if event.is_direct and await self._inbox.add(event, "refusal"):
                self._wake(event.at)
            return
        self._said[event.id] = event.text
        if not await self._inbox.add(event):
            self._said.pop(event.id, None)
            return
        if command_of(event.text)[0] == STOP and event.at in self._workers:
            session = await self._inbox.session(event.at, event.sender)
            if self._house.stop(guest, session):
                self._stops.add(event.id)  # its own letter comes after the stopped one
        self._wake(event.at)

    async def _rate(self, event: Thumb) -> None:
        """Count a thumb of whoever asked, or of an operator."""
        letter = await self._inbox.answered_by(event.at, event.message)
        guest = self._guests.find(event.sender)
        if letter is None or guest is None or not letter.session or letter.reply is None:
            return
        if letter.sender.id != event.sender.id and not guest.is_operator:
            return
        asker = self._guests.find(letter.sender) or guest
        exchange = (letter.text, letter.reply)
        reference = f"{self.channel.name}:{event.id}"
        await self._house.rate(asker, letter.session, exchange, event.thumb, reference)

    def _wake(self, at: Address) -> None:
        if at not in self._workers and not self._draining:
            self._workers[at] = asyncio.create_task(self._work(at))

    async def _work(self, at: Address) -> None:
        """Answer the letters of a conversation until none waits."""
        try:
            while not self._draining and await self._work_on_next(at):
                pass
        except Stopping:
            return  # what waits in the inbox is answered after the next start
        finally:
            del self._workers[at]

    async def _work_on_next(self, at: Address) -> bool:
        """Answer the first letter that waits; False if there is none."""
        try:
            letter = await self._inbox.next(at)
            if letter is None:
                return False
            async with self._free:
                await self._try(letter)
        except SeasonedError as error:  # the database, for instance
            self.last_error = str(error)
            log.warning("%s: %s; it is tried again", self.channel.name, error)
            await asyncio.sleep(FAILED_SECONDS)
        return True

    async def _try(self, letter: Letter) -> None:
        try:
            await self._answer(letter)
        except ChannelError as error:
            self.last_error = str(error)
            log.warning("%s: an answer could not be delivered: %s", self.channel.name, error)
            await self._inbox.done(letter, letter.reply or "", str(error))

    async def _answer(self, letter: Letter) -> None:
        answer = Answer(self.channel, self._inbox, letter)
        if letter.kind == "refusal":
            text = STRANGER.format(id=letter.sender.id, channel=self.channel.name)
            await self._deliver(letter, answer, text)
            return
        if letter.reply is not None:
            await self._deliver(letter, answer, letter.reply)
            return
        guest = self._guests.find(letter.sender)
        if guest is None:  # taken off the list since
            await self._inbox.done(letter, "")
            return
        letter = letter.with_text(self._said.get(letter.id, letter.text))
        session = letter.session or await self._inbox.session(letter.at, letter.sender)
        command, rest = command_of(letter.text)
        if letter.id in self._stops:
            self._stops.discard(letter.id)
            told = STOPPED
        elif command:
            told = await self._commands.obey(command, Order(letter, guest, session, rest))
        else:
            told = await self._converse(letter, guest, session, answer)
        await self._deliver(letter, answer, told)

    async def _deliver(self, letter: Letter, answer: Answer, text: str) -> None:
        await self._inbox.answer(letter, text)
        await answer.finish(text)
        await self._inbox.done(letter, text)
        self._said.pop(letter.id, None)
        self.answered += 1

    async def _converse(self, letter: Letter, guest: Guest, session: str, answer: Answer) -> str:
        """Have the agent answer; return the reply, or what to say instead of one."""
        if letter.turns != NOT_BEGUN:
            turns = await self._house.turns(guest, session)
            if turns > letter.turns:
                outcome = await self._house.ended(guest, session, letter.turns + 1)
                if outcome is not None:
                    return self._told(outcome, guest)
                return await self._listen(letter, guest, session, answer, is_new=False)
        else:
            await self._inbox.begin(letter, session, await self._house.turns(guest, session))
        return await self._listen(letter, guest, session, answer, is_new=True)

    async def _listen(
        self, letter: Letter, guest: Guest, session: str, answer: Answer, *, is_new: bool
    ) -> str:
        house = self._house
        news = house.ask(guest, session, letter.text) if is_new else house.resume(guest, session)
        typing = asyncio.create_task(self._keep_typing(letter.at))
        questions, said, outcome = self._questions, "", News("error", "the turn broke off")
        try:
            async with aclosing(cast("Any", news)) as heard:
                async for one in cast("AsyncIterator[News]", heard):
                    outcome = one
                    if one.kind == "chunk":
                        said += one.text
                        await answer.grow(said)
                    elif one.kind == "tool":
                        said = ""  # what comes after the call is the reply
                    elif one.kind == "approval":
                        await questions.ask(
                            guest, session, letter.at, one, is_direct=letter.is_direct
                        )
                    elif one.kind == "decided":
                        await questions.decided(one.request, one.text)
            if outcome.kind == "error" and self._draining:
                raise Stopping
            return self._told(outcome, guest, said)
        except SeasonedError as error:
            log.warning("%s: a message cannot be answered: %s", self.channel.name, error)
            self.last_error = str(error)
            return self._told(News("error", str(error)), guest)
        finally:
            typing.cancel()
            with suppress(asyncio.CancelledError):
                await typing
            await questions.close(session)

    def _told(self, outcome: News, guest: Guest, said: str = "") -> str:
        """Say how a turn ended; the reasons of a failure are for operators."""
        if outcome.kind == "done":
            return outcome.text.strip() or NOTHING
        if outcome.text == STOPPED_TURN:
            return f"{said.strip()}\n\n{STOPPED}".strip()
        return BROKE.format(reason=outcome.text) if guest.is_operator else BROKE_QUIETLY

    async def _keep_typing(self, at: Address) -> None:
        while True:
            try:
                await self.channel.typing(at)
            except ChannelError as error:  # it is a courtesy
                log.debug("%s: typing is not shown: %s", self.channel.name, error)
            await asyncio.sleep(TYPING_SECONDS)
