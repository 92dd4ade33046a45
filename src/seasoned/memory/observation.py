"""Memories of a conversation: observations of its messages, and reflections on those."""

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["promise", "decision", "question", "preference", "fact"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Kinds that a summary keeps until something settles them.
BINDING: tuple[Kind, ...] = ("promise", "decision", "question")

PLAIN = "plain"  # made by rules, without a model


@dataclass(frozen=True, slots=True)
class ObservationDraft:
    """An observation to store, with the messages it comes from."""

    kind: Kind
    text: str
    from_seq: int
    to_seq: int
    plain: bool = False
    strong: bool = False  # explicit: kept even if a model misses it


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing worth remembering from messages, on one line."""

    id: str
    session: int  # key of the session
    from_seq: int
    to_seq: int
    kind: Kind
    text: str
    tokens: int
    at: int
    made_by: str
    reflection: str  # id of the reflection that includes it
    settled_seq: int  # message that kept, answered or overturned it; 0 while open

    @property
    def place(self) -> tuple[int, int, int, str]:
        """Where it stands in a list, in the order of messages: `after` of the next page."""
        return (self.to_seq, self.from_seq, self.at, self.id)

    @property
    def binding(self) -> bool:
        return self.kind in BINDING and not self.settled_seq


@dataclass(frozen=True, slots=True)
class Reflection:
    """Several observations condensed into one text."""

    id: str
    session: int
    text: str
    tokens: int
    at: int
    made_by: str
    generation: int  # more than 1 if made from reflections
    consolidated_in: str

    @property
    def place(self) -> tuple[int, int, str]:
        """Where it stands in a list, oldest first: `after` of the next page."""
        return (self.at, self.generation, self.id)
