"""What is remembered of a conversation: observations of its messages, and reflections on those."""

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["promise", "decision", "question", "preference", "fact"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# What a summary must not lose, as long as nothing has settled it.
BINDING: tuple[Kind, ...] = ("promise", "decision", "question")

PLAIN = "plain"  # made by rules of ours, not by a model


@dataclass(frozen=True, slots=True)
class Noticed:
    """An observation before it is stored: of which kind, and from which messages it comes."""

    kind: Kind
    text: str
    from_seq: int
    to_seq: int
    plain: bool = False
    strong: bool = False  # said in so many words: not to be lost, whatever a model makes of it


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that messages amount to, on one line."""

    id: str
    session: int  # the session's key
    from_seq: int
    to_seq: int
    kind: Kind
    text: str
    tokens: int
    at: int
    made_by: str
    reflection: str  # the id of the one that took it up
    settled_seq: int  # the message that kept, answered or overturned it; 0: it is open

    @property
    def binding(self) -> bool:
        return self.kind in BINDING and not self.settled_seq


@dataclass(frozen=True, slots=True)
class Reflection:
    """What several observations amount to."""

    id: str
    session: int
    text: str
    tokens: int
    at: int
    made_by: str
    generation: int  # more than 1 where reflections became one
    consolidated_in: str
