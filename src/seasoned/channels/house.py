"""`House`: what the channels need of the rest, which stands above them.

The gateway offers it: turns of its agent, and the few things that people do by commands.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from seasoned.channels.guests import Guest

NewsKind = Literal["chunk", "tool", "approval", "decided", "noticed", "done", "error"]
Answers = Literal["allow", "always", "deny"]
Thumb = Literal["up", "down", "none"]


@dataclass(frozen=True, slots=True)
class News:
    """Something that happens in a turn; the last is `done` with the reply, or `error`.

    An `approval` is a call that waits for an answer: `request` is its id, `text` the call as a
    person reads it, `reason` why it is asked. Once it is `decided`, `text` says how.
    """

    kind: NewsKind
    text: str = ""
    request: str = ""
    reason: str = ""
    answers: Sequence[Answers] = ()


class Stopping(Exception):
    """The house is closing; what is not begun is done after its next start."""


class House(Protocol):
    """Each guest has sessions of their own; others of the same name are not theirs."""

    async def turns(self, guest: Guest, session: str) -> int:
        """Return how many turns a session has had."""
        ...

    def ask(self, guest: Guest, session: str, text: str) -> AsyncIterator[News]:
        """Begin a turn, and tell what happens in it."""
        ...

    def resume(self, guest: Guest, session: str) -> AsyncIterator[News]:
        """Go on with a turn that the end of the process cut off."""
        ...

    async def ended(self, guest: Guest, session: str, turn: int) -> News | None:
        """Return how a turn ended; None if it was cut off."""
        ...

    def decide(self, guest: Guest, session: str, request: str, answer: Answers) -> None:
        """Answer a call that waits, for an operator; `NotFound` if it waits no more."""
        ...

    def refuse(self, guest: Guest, session: str, request: str) -> None:
        """Deny a call that waits, because nobody who may decide is there."""
        ...

    def stop(self, guest: Guest, session: str) -> bool:
        """Stop the running turn; False if there is none."""
        ...

    async def end(self, guest: Guest, session: str) -> None:
        """End a session, so that it is learned from as a whole."""
        ...

    async def rate(
        self,
        guest: Guest,
        session: str,
        exchange: tuple[str, str],
        thumb: Thumb,
        *,
        by: Guest,
        reference: str,
    ) -> None:
        """Take a thumb of `by` for a guest's exchange; each reference counts once."""
        ...

    async def why(self, guest: Guest, session: str, lesson: str) -> str:
        """Explain a lesson, or without one those that the last answer had; as Markdown."""
        ...

    async def teach(self, guest: Guest, words: str) -> str:
        """Teach a rule; return what to say about it."""
        ...

    async def forget(self, guest: Guest, lesson: str) -> str:
        """Forget a lesson; return what to say about it."""
        ...
