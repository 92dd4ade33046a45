"""Take what comes from a platform, and answer it: each person's letters one after the other.

A message is stored before its platform hears that we have it, and waits in the inbox until its
answer is delivered. Whatever happens in between, after the next start it is known how far it came.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any, cast

from seasoned.channels.answer import NOTHING, Answer
from seasoned.channels.channel import (
    Address,
    Channel,
    ChannelDown,
    ChannelError,
    ChannelEvent,
    Incoming,
    Press,
)
from seasoned.channels.channel import Reaction as Thumb
from seasoned.channels.commands import STOP, STOPPED, Commands, Order, command_of
from seasoned.channels.guests import Guest, GuestList
from seasoned.channels.house import House, News, Stopping
from seasoned.channels.inbox import NOT_BEGUN, Correspondence, Inbox, Letter
from seasoned.channels.questions import Questions
from seasoned.core.errors import DatabaseError, SeasonedError

log = logging.getLogger("seasoned.channels")

AT_ONCE = 16  # conversations that are answered at the same time
TYPING_SECONDS = 4.0
FAILED_SECONDS = 5.0  # before a letter is tried again whose work broke
MOST_TRIES = 3  # of a letter at which our own code breaks
REFUSED_TRIES = 6  # while the platform does not let us in, then the channel ends
MOST_WAITING = 50  # letters of one person
FORGET_SECONDS = 24 * 3600.0
STRANGER = (
    "I do not know you, so I may not answer. Your id here is {id}: whoever runs me can add it to "
    "{channel}.users, or to {channel}.operators."
)
OVERFLOW = (
    f"You wrote faster than I answer: {MOST_WAITING} of your messages waited, so I did not take "
    "those that came after them. Please send again what still matters."
)
STOPPED_TURN = "stopped by the user"  # how the agent says it
BROKE = "I could not answer this: {reason}"
BROKE_QUIETLY = "Something went wrong, and I could not answer this. Please try again later."


class Reception:
    """Receives for one channel. `run` answers what waits, and ends when it is cancelled."""

    def __init__(
        self,
        channel: Channel,
        inbox: Inbox,
        house: House,
        guests: GuestList,
        *,
        failed_seconds: float = FAILED_SECONDS,
        forget_seconds: float = FORGET_SECONDS,
    ) -> None:
        self.channel = channel
        self.answered = 0
        self.last_error = ""
        self._inbox = inbox
        self._house = house
        self._guests = guests
        self._questions = Questions(channel, house, guests)
        self._commands = Commands(house, inbox)
        self._said: dict[str, str] = {}  # words as they came; stored are those without secrets
        self._workers: dict[Correspondence, asyncio.Task[None]] = {}
        self._stops: set[str] = set()
        self._early: dict[int, dict[str, Thumb]] = {}  # under unfinished answers, by who gave them
        self._tries: dict[int, int] = {}  # of letters that could not be answered, by key
        self._refused_at: float | None = None  # since when the platform does not let us in
        self._failed_seconds, self._forget_seconds = failed_seconds, forget_seconds
        self._down: asyncio.Future[None] | None = None  # raises why the channel ends
        self._free = asyncio.Semaphore(AT_ONCE)
        self._draining = False

    async def run(self) -> None:
        """Answer what waited when the last process ended, then receive."""
        await self._inbox.forget_old(self.channel.name)
        self._down = asyncio.get_running_loop().create_future()
        for at, sender in await self._inbox.waiting(self.channel.name):
            self._wake(at, sender)
        parts = [
            asyncio.ensure_future(one)
            for one in (self.channel.run(self.receive), self._forget(), self._down)
        ]
        try:
            done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()
        finally:
            for one in parts:
                one.cancel()
            await asyncio.gather(*parts, return_exceptions=True)

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
            await self._refuse(event)
            return
        if await self._inbox.waiting_of(event.at.channel, event.sender.id) >= MOST_WAITING:
            await self._turn_away(event, guest)
            return
        self._said[event.id] = event.text
        if not await self._inbox.add(event):
            self._said.pop(event.id, None)
            return
        if await self._stopped_by(event, guest):
            self._stops.add(event.id)  # its own letter comes after the stopped one
        self._wake(event.at, event.sender.id)

    async def _refuse(self, event: Incoming) -> None:
        """Tell a stranger once that they may not write; their words are not kept."""
        channel, sender = event.at.channel, event.sender.id
        if not event.is_direct or await self._inbox.was_refused(channel, sender):
            return
        if await self._inbox.add(replace(event, text=""), "refusal"):
            self._wake(event.at, sender)

    async def _turn_away(self, event: Incoming, guest: Guest) -> None:
        """Do not take a letter of somebody of whom too many wait; tell them once."""
        channel, sender = event.at.channel, event.sender.id
        log.warning("%s: too many messages of %s wait, another is not taken", channel, sender)
        await self._stopped_by(event, guest)
        if await self._inbox.waiting_of(channel, sender, "overflow"):
            return
        if await self._inbox.add(replace(event, text=""), "overflow"):
            self._wake(event.at, sender)

    async def _stopped_by(self, event: Incoming, guest: Guest) -> bool:
        """Stop the running turn if that is what a letter wants."""
        if command_of(event.text)[0] != STOP or (event.at, event.sender.id) not in self._workers:
            return False
        return self._house.stop(guest, await self._inbox.session(event.at, event.sender))

    async def _rate(self, event: Thumb) -> None:
        """Count a thumb of whoever asked, or of an operator."""
        letter = await self._inbox.answered_by(event.at, event.message)
        guest = self._guests.find(event.sender)
        if letter is None or guest is None or not letter.session:
            return
        if letter.reply is None:  # it is still written
            self._early.setdefault(letter.key, {})[event.sender.id] = event
            return
        if letter.sender.id != event.sender.id and not guest.is_operator:
            return
        asker = self._guests.find(letter.sender) or guest
        exchange = (letter.text, letter.reply)
        reference = f"{self.channel.name}:{event.id}"
        await self._house.rate(
            asker, letter.session, exchange, event.thumb, by=guest, reference=reference
        )

    async def _forget(self) -> None:
        """Delete what was answered long ago, while the process runs for months."""
        while True:
            await asyncio.sleep(self._forget_seconds)
            try:
                await self._inbox.forget_old(self.channel.name)
            except DatabaseError as error:
                log.warning("%s: old letters are not deleted yet: %s", self.channel.name, error)

    def _wake(self, at: Address, sender: str) -> None:
        who = (at, sender)
        if who not in self._workers and not self._draining:
            self._workers[who] = asyncio.create_task(self._work(who))

    async def _work(self, who: Correspondence) -> None:
        """Answer a person's letters in a conversation until none waits."""
        try:
            while not self._draining and await self._work_on_next(who):
                pass
        except Stopping:
            return  # what waits in the inbox is answered after the next start
        finally:
            del self._workers[who]

    async def _work_on_next(self, who: Correspondence) -> bool:
        """Answer the first letter that waits; False if there is none."""
        try:
            letter = await self._inbox.next(*who)
            if letter is None:
                return False
            async with self._free:
                await self._try(letter)
        except ChannelDown as error:  # the letter waits until we are let in again
            self._refused_by_platform(error)
            await asyncio.sleep(self._failed_seconds)
        except SeasonedError as error:  # the database
            self.last_error = str(error)
            log.warning("%s: %s; it is tried again", self.channel.name, error)
            await asyncio.sleep(self._failed_seconds)
        return True

    def _refused_by_platform(self, error: ChannelDown) -> None:
        """End the channel if the platform goes on to refuse us; health then says why."""
        self.last_error = str(error)
        log.warning("%s: an answer waits: %s", self.channel.name, error)
        now = asyncio.get_running_loop().time()
        if self._refused_at is None:
            self._refused_at = now
        refused_long = now - self._refused_at > REFUSED_TRIES * self._failed_seconds
        if refused_long and self._down is not None and not self._down.done():
            self._down.set_exception(error)

    async def _try(self, letter: Letter) -> None:
        """Answer a letter; one that breaks us again and again does not hold up those behind it."""
        try:
            await self._answer(letter)
        except (ChannelDown, DatabaseError, Stopping):
            raise
        except ChannelError as error:
            self.last_error = str(error)
            log.warning("%s: an answer could not be delivered: %s", self.channel.name, error)
            await self._end(letter, letter.reply or "", str(error))
        except Exception as error:
            self.last_error = f"{type(error).__name__}: {error}"
            tries = self._tries[letter.key] = self._tries.get(letter.key, 0) + 1
            log.exception("%s: a message could not be answered, try %d", self.channel.name, tries)
            if tries < MOST_TRIES:
                await asyncio.sleep(self._failed_seconds)
                return
            with suppress(ChannelError):
                await self.channel.send(letter.at, BROKE_QUIETLY)
            await self._end(letter, letter.reply or "", self.last_error)

    async def _end(self, letter: Letter, reply: str, error: str = "") -> None:
        """Note that a letter needs no more attention."""
        await self._inbox.done(letter, reply, error)
        self._said.pop(letter.id, None)
        self._stops.discard(letter.id)
        self._tries.pop(letter.key, None)
        for thumb in self._early.pop(letter.key, {}).values():
            await self._rate(thumb)

    async def _answer(self, letter: Letter) -> None:
        answer = Answer(self.channel, self._inbox, letter)
        if letter.kind == "refusal":
            text = STRANGER.format(id=letter.sender.id, channel=self.channel.name)
            await self._deliver(letter, answer, text)
            return
        if letter.kind == "overflow":
            await self._deliver(letter, answer, OVERFLOW)
            return
        if letter.reply is not None:
            await self._deliver(letter, answer, letter.reply)
            return
        guest = self._guests.find(letter.sender)
        if guest is None:  # taken off the list since
            await self._end(letter, "")
            return
        letter = letter.with_text(self._said.get(letter.id, letter.text))
        session = letter.session or await self._inbox.session(letter.at, letter.sender)
        command, rest = command_of(letter.text)
        if letter.id in self._stops:
            told = STOPPED
        elif command:
            told = await self._commands.obey(command, Order(letter, guest, session, rest))
        else:
            told = await self._converse(letter, guest, session, answer)
        await self._deliver(letter, answer, told)

    async def _deliver(self, letter: Letter, answer: Answer, text: str) -> None:
        await self._inbox.answer(letter, text)
        await answer.finish(text)
        await self._end(letter, text)
        self.answered += 1
        self._refused_at = None

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
            await asyncio.gather(typing, return_exceptions=True)
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
            except Exception as error:  # noqa: BLE001 - logged; it is a courtesy
                log.debug("%s: typing is not shown: %s", self.channel.name, error)
            await asyncio.sleep(TYPING_SECONDS)
