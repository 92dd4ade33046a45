"""What a turn means after the reply before it: a short "no", a thing that the reply had."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from seasoned.core.similarity import telling_words, words
from seasoned.core.stems import stem
from seasoned.corrections.correction import Correction, Kind
from seasoned.corrections.replies import asks, denies, fails, suggests

TO_A_STATEMENT = 0.25  # what a bare "no" gains when nothing had been asked
ANSWER = 0.4  # what it is worth at most when something had
IN_THE_REPLY = 0.88  # "X, not Y", when Y is what the reply had
OWN = 0.35  # what is left of a correction when the user corrects himself
ALWAYS_THERE = 4_000  # characters of a reply that are looked at
WEAK = 0.6  # below it, words that may be about anything mean nothing without a reply
MISSED = 0.52  # a "no" to what a reply suggested, or to a reply that could not help
_BEFORE_IT: Mapping[str, Callable[[str], bool]] = {"missed": suggests, "failed": fails}


def in_context(found: Sequence[Correction], reply: str | None) -> list[Correction]:
    """The corrections of one message as they are to be understood beside each other and the reply.

    Whoever takes his own words back says what he meant; that blames nobody.
    """
    found = [one for one in found if _called_for(one, reply)]
    amended = any(one.kind is Kind.AMENDED for one in found)
    return [_own(one) if amended else _after(one, reply) for one in found]


def _called_for(found: Correction, reply: str | None) -> bool:
    """Whether the reply did what this phrase answers; most phrases answer anything."""
    before = _BEFORE_IT.get(found.turn)
    return before is None or (reply is not None and before(reply))


def _own(found: Correction) -> Correction:
    if found.kind in (Kind.REPLACEMENT, Kind.MISUNDERSTOOD, Kind.WRONG):
        return replace(found, score=min(found.score, OWN))
    return found


def _after(found: Correction, reply: str | None) -> Correction:
    if reply is None:
        weak = found.score < WEAK and found.kind in (Kind.REPLACEMENT, Kind.DISSATISFIED)
        alone = weak or found.turn in ("replies", "objects")
        return replace(found, score=min(found.score, ANSWER)) if alone else found
    if found.kind is Kind.DECLINED:
        return _refused(found, reply)
    if found.turn in ("answers", "objects") and asks(reply):
        return replace(found, kind=Kind.DECLINED, score=min(found.score, ANSWER))
    if found.kind is Kind.DISSATISFIED and found.score < MISSED and fails(reply):
        return replace(found, score=MISSED)
    if found.kind is not Kind.REPLACEMENT or not found.unwanted or found.score >= IN_THE_REPLY:
        return found
    return replace(found, score=IN_THE_REPLY) if _has(reply, found.unwanted) else found


def _refused(found: Correction, reply: str) -> Correction:
    """A "no": to a suggestion or to bad news, to a question, or to a statement."""
    agrees = asks(reply) or denies(reply)
    if suggests(reply) or (agrees and fails(reply)):
        return replace(found, kind=Kind.DISSATISFIED, score=MISSED)
    if agrees:
        return replace(found, score=min(found.score, ANSWER))
    return replace(found, kind=Kind.WRONG, score=found.score + TO_A_STATEMENT)


def _has(reply: str, piece: str) -> bool:
    said = set(map(stem, words(reply[:ALWAYS_THERE])))
    wanted = [stem(word) for word in telling_words(piece)]
    return bool(wanted) and all(word in said for word in wanted)
