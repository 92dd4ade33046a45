"""What a turn means after the reply before it: a short "no", a thing that the reply had."""

import re
from collections.abc import Sequence
from dataclasses import replace

from seasoned.core.similarity import telling_words, words
from seasoned.core.stems import stem
from seasoned.corrections.correction import Correction, Kind

TO_A_STATEMENT = 0.25  # what a bare "no" gains when nothing had been asked
ANSWER = 0.4  # what it is worth at most when something had
IN_THE_REPLY = 0.88  # "X, not Y", when Y is what the reply had
OWN = 0.35  # what is left of a correction when the user corrects himself
ALWAYS_THERE = 4_000  # characters of a reply that are looked at
# Questions without a question mark: their last sentence begins like this.
_QUESTION = re.compile(
    r"(?:^|[.!?,\n]\s*)(?:(?:ok|okay|and|so|but|great|nice|cool|sure|well|now|or|yes|no)\s+)*"
    r"(?:(?:do|does|did|have|has|is|are|was|were|will|would|can|could|should|shall|may)\s+"
    r"(?:you|i|we|it|that|this|there|the|a|any)|what|which|who|when|where|why|how|any(?:thing)?)"
    r"\b[^.!?\n]*$",
    re.IGNORECASE,
)


def in_context(found: Sequence[Correction], reply: str | None) -> list[Correction]:
    """The corrections of one message as they are to be understood beside each other and the reply.

    Whoever takes his own words back says what he meant; that blames nobody.
    """
    amended = any(one.kind is Kind.AMENDED for one in found)
    return [_own(one) if amended else _after(one, reply) for one in found]


def _own(found: Correction) -> Correction:
    if found.kind in (Kind.REPLACEMENT, Kind.MISUNDERSTOOD, Kind.WRONG):
        return replace(found, score=min(found.score, OWN))
    return found


def _after(found: Correction, reply: str | None) -> Correction:
    if reply is None:
        alone = found.turn in ("replies", "objects")
        return replace(found, score=min(found.score, ANSWER)) if alone else found
    if found.kind is Kind.DECLINED or found.turn in ("answers", "objects"):
        if asks(reply):
            return replace(found, kind=Kind.DECLINED, score=min(found.score, ANSWER))
        if found.kind is Kind.DECLINED:
            return replace(found, kind=Kind.WRONG, score=found.score + TO_A_STATEMENT)
    if found.kind is not Kind.REPLACEMENT or not found.unwanted or found.score >= IN_THE_REPLY:
        return found
    return replace(found, score=IN_THE_REPLY) if _has(reply, found.unwanted) else found


def asks(reply: str) -> bool:
    """Whether a reply ends by asking something.

    >>> asks("I can use tabs. Shall I?"), asks("Is it done? Yes, it is."), asks("好いですか。")
    (True, False, True)
    """
    end = reply.rstrip(" \t\r\n\"'”’»)*_.。")[-300:]
    if end.endswith(("?", "？", "か", "吗", "嗎", "呢")):
        return True
    return _QUESTION.search(end) is not None


def _has(reply: str, piece: str) -> bool:
    said = set(map(stem, words(reply[:ALWAYS_THERE])))
    wanted = [stem(word) for word in telling_words(piece)]
    return bool(wanted) and all(word in said for word in wanted)
