"""What a correction is: that, and how, a user says the assistant should have done otherwise."""

from dataclasses import dataclass, field
from enum import StrEnum

SAFE = 0.8  # from here on a rule may be learned without asking anyone else
UNCERTAIN = 0.5  # from here on a second opinion is worth its price; below, it is only a sign


class Kind(StrEnum):
    """How a turn corrects.

    AMENDED is a user who corrects himself ("no wait, I meant Tuesday"): his request changes, but
    nobody made a mistake that a rule could prevent. DECLINED is an offer turned down. Both stay
    below UNCERTAIN, so that only a caller who lowers the floor sees them. DISSATISFIED is a user
    who is unhappy with a reply, which may have been right: it is never SAFE.
    """

    WRONG = "wrong"
    REPLACEMENT = "replacement"
    INSTRUCTION = "instruction"
    REPEATED = "repeated"
    MISUNDERSTOOD = "misunderstood"
    DISSATISFIED = "dissatisfied"
    AMENDED = "amended"
    DECLINED = "declined"
    ASKED_AGAIN = "asked_again"
    EDITED = "edited"
    INTERRUPTED = "interrupted"
    DENIED = "denied"


@dataclass(frozen=True)
class Correction:
    """A correction in a message: `message[span[0]:span[1]]` says it.

    `wanted` and `unwanted` are what should be done, or be the case, and what should not, where the
    grammar gives them: "use pytest, not unittest", "stop adding emojis". `language` is None where
    no words said it.
    """

    kind: Kind
    score: float
    span: tuple[int, int]
    language: str | None = None
    wanted: str | None = None
    unwanted: str | None = None
    turn: str = field(default="", repr=False, compare=False)  # what turn before it makes it one

    @property
    def safe(self) -> bool:
        """Whether a rule may be learned from it at once."""
        return self.score >= SAFE

    @property
    def uncertain(self) -> bool:
        """Whether an embedder or a model should be asked before anything is learned."""
        return UNCERTAIN <= self.score < SAFE
