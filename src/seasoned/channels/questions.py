"""Calls that wait for approval, as messages with buttons. Only operators may press them."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.channels.channel import Address, Button, Channel, ChannelError, Press
from seasoned.channels.guests import Guest, GuestList
from seasoned.channels.house import Answers, House, News
from seasoned.channels.patience import patiently
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import new_id

log = logging.getLogger("seasoned.channels")

LABELS: dict[Answers, str] = {"allow": "Allow", "always": "Always allow", "deny": "Deny"}
MARK = "ask"  # how the data of our buttons begins
LONGEST_CALL = 1500


@dataclass(slots=True)
class Question:
    """A call that waits in a guest's session, and the message that asks about it."""

    guest: Guest
    session: str
    request: str
    at: Address
    text: str
    answers: Sequence[Answers] = ()  # "always" would hold for the guest, so only an operator has it
    message: str = ""


class Questions:
    """The open questions of a channel. They end with the process, as the calls do."""

    def __init__(self, channel: Channel, house: House, guests: GuestList) -> None:
        self._channel = channel
        self._house = house
        self._guests = guests
        self._open: dict[str, Question] = {}  # by the id in the buttons' data

    async def ask(
        self, guest: Guest, session: str, at: Address, news: News, *, is_direct: bool
    ) -> None:
        """Ask about a call; a guest alone with the agent has nobody to ask, so it is denied."""
        if is_direct and not guest.is_operator:
            self._house.refuse(guest, session, news.request)
            return
        call = news.text.replace("```", "'''")[:LONGEST_CALL]
        text = f"May I run this? {news.reason}\n\n```\n{call}\n```"
        question = Question(guest, session, news.request, at, text)
        name = new_id()
        self._open[name] = question
        question.answers = tuple(
            one for one in news.answers if guest.is_operator or one != "always"
        )
        buttons = [Button(LABELS[one], f"{MARK}:{name}:{one}") for one in question.answers]
        try:
            question.message = await patiently(lambda: self._channel.send(at, text, buttons))
        except ChannelError as error:
            log.warning("%s: a question could not be asked: %s", self._channel.name, error)
            self._open.pop(name, None)
            self._house.refuse(guest, session, news.request)

    async def decided(self, request: str, outcome: str) -> None:
        """Show under a question how it ended, here or elsewhere."""
        for name, one in tuple(self._open.items()):
            if one.request == request:
                del self._open[name]
                await self._close(one, outcome)

    async def close(self, session: str) -> None:
        """End the questions of a session whose turn has ended."""
        for name, one in tuple(self._open.items()):
            if one.session == session:
                del self._open[name]
                await self._close(one, "Nobody answered in time.")

    async def press(self, press: Press) -> bool:
        """Take a press of a button; False if it is not one of ours."""
        mark, _, rest = press.data.partition(":")
        if mark != MARK:
            return False
        told = self._decide(press, rest)
        try:
            await self._channel.acknowledge(press, told)
        except ChannelError as error:  # it is decided; whoever pressed sees it under the question
            log.info("%s: a press is not answered: %s", self._channel.name, error)
        return True

    def _decide(self, press: Press, data: str) -> str:
        """Decide as the button says; return what to tell whoever pressed it."""
        name, _, answer = data.partition(":")
        guest = self._guests.find(press.sender)
        if guest is None or not guest.is_operator:
            return "Only an operator may decide this."
        question = self._open.get(name)
        if question is None:
            return "This question is over."
        offered: dict[str, Answers] = {one: one for one in question.answers}
        chosen = offered.get(answer)
        if chosen is None:
            return "This button is not known."
        try:
            self._house.decide(question.guest, question.session, question.request, chosen)
        except (NotFound, BadInput) as error:
            return str(error)[:190]
        return "Denied." if chosen == "deny" else "Allowed."

    async def _close(self, question: Question, outcome: str) -> None:
        if not question.message or not self._channel.edit_seconds:
            return
        try:
            await self._channel.edit(question.at, question.message, f"{question.text}\n\n{outcome}")
        except ChannelError as error:  # it is decided; only the old buttons stay
            log.info("%s: a question keeps its buttons: %s", self._channel.name, error)
