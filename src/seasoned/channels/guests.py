"""Who may talk to the agent in a channel, and as whom.

Somebody who writes there is a user with a scope of their own. Operators are named in the settings:
they may approve what tools do, and what they teach holds for the whole project.
"""

from dataclasses import dataclass

from seasoned.channels.channel import Person

EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class Guest:
    """A person as the agent knows them; `user` is the user of their scope."""

    user: str
    is_operator: bool = False


class GuestList:
    """Names from the settings: ids and @names, comma-separated; `*` lets everybody in.

    >>> guests = GuestList("telegram", "7, @Ana", "7")
    >>> guests.find(Person("7")), guests.find(Person("8", "ana"))
    (Guest(user='telegram-7', is_operator=True), Guest(user='telegram-8', is_operator=False))
    >>> guests.find(Person("9", "eve")) is None
    True
    """

    def __init__(self, channel: str, users: str, operators: str) -> None:
        self._channel = channel
        self._users, self._operators = _names(users), _names(operators)

    @property
    def is_empty(self) -> bool:
        """Whether nobody at all may write."""
        return not self._users and not self._operators

    def names(self, user: str) -> bool:
        """Tell whether a user of this channel is listed by id, and not let in by `*` alone.

        >>> GuestList("telegram", "*, 7", "").names("telegram-7")
        True
        >>> GuestList("telegram", "*, 7", "").names("telegram-8")
        False
        """
        person = user.removeprefix(f"{self._channel}-")
        return person != user and person in self._users | self._operators

    @property
    def is_open(self) -> bool:
        """Whether anybody may write, under as many names as they like."""
        return EVERYBODY in self._users

    def find(self, person: Person) -> Guest | None:
        """Return the guest that a person is; None if they are not on the list."""
        # Nobody becomes an operator by `*`, and nobody by a name alone that can be taken over.
        is_operator = person.id in self._operators
        if is_operator or EVERYBODY in self._users or _is_in(person, self._users):
            return Guest(f"{self._channel}-{person.id}", is_operator)
        return None


def _names(text: str) -> frozenset[str]:
    return frozenset(one.strip() for one in text.split(",") if one.strip())


def _is_in(person: Person, names: frozenset[str]) -> bool:
    handle = f"@{person.handle}".casefold() if person.handle else None
    return person.id in names or handle in {one.casefold() for one in names}
