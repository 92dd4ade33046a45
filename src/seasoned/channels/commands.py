"""What people may do in a channel by a command; everything else they write is for the agent."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from seasoned.channels.guests import Guest
from seasoned.channels.house import House
from seasoned.channels.inbox import Inbox, Letter, base_session
from seasoned.core.errors import DatabaseError, NotAllowed, NotFound, SeasonedError
from seasoned.core.ids import new_id

HELP = """I answer what you write, and learn from it. Say what was wrong and I keep to it; \
👍 and 👎 under an answer count, too.

/why: what I had learned that went into my last answer
/teach WORDS: a rule to keep to from now on
/forget ID: forget a lesson; /why shows ids
/new: begin a new conversation
/stop: stop the answer that I am writing"""
UNKNOWN = "I do not know this command; /help lists those there are."
NOT_YOURS = "This is not yours to see or to change; an operator may."
NO_LESSON = "I know no lesson of this id; /why shows those of my last answer."
NOTHING_TO_STOP = "I am not writing anything."
STOPPED = "Stopped."
STOP = "stop"


@dataclass(frozen=True, slots=True)
class Order:
    """A command as it was given: in which letter, by whom, and what follows its name."""

    letter: Letter
    guest: Guest
    session: str
    rest: str


def command_of(text: str) -> tuple[str, str]:
    """Return the command that a text gives and what follows it; empty if it gives none.

    >>> command_of("/Teach@seasoned_bot  Be brief."), command_of("/usr/bin is full")
    (('teach', 'Be brief.'), ('', ''))
    """
    first, _, rest = text.strip().partition(" ")
    first, _, more = first.partition("\n")
    name = first[1:].partition("@")[0]
    if not first.startswith("/") or not name.isalpha():
        return "", ""
    return name.casefold(), f"{more}\n{rest}".strip() if more else rest.strip()


class Commands:
    """Does what a guest's command says, and returns the answer to it."""

    def __init__(self, house: House, inbox: Inbox) -> None:
        self._house = house
        self._inbox = inbox
        self._known: dict[str, Callable[[Order], Awaitable[str]]] = {
            "start": self._help,
            "help": self._help,
            "why": self._why,
            "teach": self._teach,
            "forget": self._forget,
            "new": self._new,
            STOP: self._stop,
        }

    async def obey(self, name: str, order: "Order") -> str:
        known = self._known.get(name)
        if known is None:
            return UNKNOWN
        try:
            return await known(order)
        except DatabaseError:
            raise  # it is tried again
        except NotAllowed:  # its words are for whoever has a command line
            return NOT_YOURS
        except NotFound:
            return NO_LESSON
        except SeasonedError as error:
            return str(error)

    async def _help(self, order: "Order") -> str:
        return HELP

    async def _why(self, order: "Order") -> str:
        return await self._house.why(order.guest, order.session, order.rest)

    async def _teach(self, order: "Order") -> str:
        if not order.rest:
            return "Say what to keep to: /teach WORDS"
        return await self._house.teach(order.guest, order.rest)

    async def _forget(self, order: "Order") -> str:
        if not order.rest:
            return "Say which: /forget ID"
        return await self._house.forget(order.guest, order.rest)

    async def _new(self, order: "Order") -> str:
        await self._house.end(order.guest, order.session)
        base = base_session(order.letter.at)
        await self._inbox.begin_session(order.letter, f"{base}#{new_id()}")
        return "A new conversation begins. What I learned stays."

    async def _stop(self, order: "Order") -> str:
        return STOPPED if self._house.stop(order.guest, order.session) else NOTHING_TO_STOP
