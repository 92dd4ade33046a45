"""The result of detection: how a user corrects the assistant, how certain that is, and where."""

from dataclasses import dataclass, field
from enum import StrEnum

SAFE = 0.8  # from this score on, a rule may be learned without a second opinion
UNCERTAIN = 0.5  # from this score on, a second opinion is worth its cost; below, it is a weak sign


class CorrectionKind(StrEnum):
    """How a turn corrects.

    AMENDED means that the user corrects himself ("no wait, I meant Tuesday"): the request changes,
    but the assistant made no mistake that a rule could prevent. DECLINED is an offer turned down.
    Both score below UNCERTAIN, so only callers who lower the floor see them. DISSATISFIED means
    that the user dislikes a reply, which may still be right: it is never SAFE. Three kinds
    correct nothing: a WISH says how to work from now on; a REMARK is any other message, which a
    model may judge; REFUTED is what a model found to be no correction. JUDGED is what only a model
    found to be one.
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
    WISH = "wish"
    REMARK = "remark"
    JUDGED = "judged"
    REFUTED = "refuted"


@dataclass(frozen=True)
class Correction:
    """A correction in a message: `message[span[0]:span[1]]` says it.

    `wanted` and `unwanted` are the desired and the undesired thing, if the phrase names them: "use
    pytest, not unittest", "stop adding emojis". `language` is None if the correction has no words.
    """

    kind: CorrectionKind
    score: float
    span: tuple[int, int]
    language: str | None = None
    wanted: str | None = None
    unwanted: str | None = None
    turn: str = field(default="", repr=False, compare=False)  # an option in compiler.TURNS

    @property
    def safe(self) -> bool:
        """Whether a rule may be learned from it at once."""
        return self.score >= SAFE

    @property
    def uncertain(self) -> bool:
        """Whether an embedder or a model should be asked before a rule is learned."""
        return UNCERTAIN <= self.score < SAFE
