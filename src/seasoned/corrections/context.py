"""Judge corrections by the reply before them: did it ask, suggest, fail, claim or state?

A "no" to a question is an answer, a "no" to a statement is a correction; "X, not Y" is more certain
if the reply had Y. `suggests` and `fails` know English only, because no labelled dialogues of other
languages were available to test them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from seasoned.core.words import stem, telling_words, words
from seasoned.corrections.correction import Correction, CorrectionKind

TO_A_STATEMENT = 0.25  # added to a bare "no" if the reply asked nothing
ANSWER = 0.4  # highest score of a "no" that answers a question
IN_THE_REPLY = 0.88  # "X, not Y" if the reply had Y
CONTRADICTS = 0.9  # "no, use X, not Y" objects to any reply
OWN_MISTAKE = 0.35  # highest score if the user corrects himself
WEAK = 0.6  # below it, phrases that may be about anything need a reply
MISSED = 0.52  # a "no" to a suggestion, or to a reply that could not help
READ_OF_REPLY = 4_000  # characters
END_OF_REPLY = 300  # characters: the message answers the end of the reply
LAST_LINES = 6  # a question may be followed by its options
END_OF_CLAIM = 600  # characters: what works is said before the next steps


def in_context(found: Sequence[Correction], reply: str | None) -> list[Correction]:
    """Return the corrections of one message with scores and kinds adjusted to its reply.

    If the user takes his own words back, nothing else in the message blames the assistant.
    """
    found = [one for one in found if _fits_reply(one, reply)]
    amended = any(one.kind is CorrectionKind.AMENDED for one in found)
    return [_own_mistake(one) if amended else _after_reply(one, reply) for one in found]


def _fits_reply(found: Correction, reply: str | None) -> bool:
    """Whether the reply did what this phrase answers; most phrases answer any reply."""
    condition = _REPLY_CONDITIONS.get(found.turn)
    return condition is None or (reply is not None and condition(reply))


def _own_mistake(found: Correction) -> Correction:
    if found.kind in (
        CorrectionKind.REPLACEMENT,
        CorrectionKind.MISUNDERSTOOD,
        CorrectionKind.WRONG,
    ):
        return replace(found, score=min(found.score, OWN_MISTAKE))
    return found


def _after_reply(found: Correction, reply: str | None) -> Correction:
    if reply is None:
        return _without_reply(found)
    if found.kind is CorrectionKind.DECLINED:
        return _after_no(found, reply)
    if found.turn in ("answers", "objects") and asks(reply):
        return replace(found, kind=CorrectionKind.DECLINED, score=min(found.score, ANSWER))
    if found.kind is CorrectionKind.DISSATISFIED and found.score < MISSED and fails(reply):
        return replace(found, score=MISSED)
    if found.kind is CorrectionKind.REPLACEMENT and found.unwanted:
        return _after_choice(found, reply)
    return found


def _after_choice(found: Correction, reply: str) -> Correction:
    """Judge "use X, not Y": it corrects a reply that had Y; else it is a wish or a new task."""
    if _mentions(reply, found.unwanted or ""):
        return replace(found, score=max(found.score, IN_THE_REPLY))
    return found if found.score >= CONTRADICTS else replace(found, score=min(found.score, ANSWER))


def _without_reply(found: Correction) -> Correction:
    weak = found.score < WEAK and found.kind in (
        CorrectionKind.REPLACEMENT,
        CorrectionKind.DISSATISFIED,
    )
    if weak or found.turn in ("replies", "objects"):
        return replace(found, score=min(found.score, ANSWER))
    return found


def _after_no(found: Correction, reply: str) -> Correction:
    """Judge a bare "no": to a suggestion or bad news, to a question, or to a statement."""
    agrees = asks(reply) or denies(reply)
    if suggests(reply) or (agrees and fails(reply)):
        return replace(found, kind=CorrectionKind.DISSATISFIED, score=MISSED)
    if agrees:
        return replace(found, score=min(found.score, ANSWER))
    return replace(found, kind=CorrectionKind.WRONG, score=found.score + TO_A_STATEMENT)


def _mentions(reply: str, piece: str) -> bool:
    said = set(map(stem, words(reply[:READ_OF_REPLY])))
    wanted = [stem(word) for word in telling_words(piece)]
    return bool(wanted) and all(word in said for word in wanted)


_ASKING = ("?", "？", "か", "吗", "嗎", "呢")
_TRIMMED = " \t\r\n\"'”’»)*_.。"
_YOU = "(?:you|u|ya)"
# Questions without a question mark: the last sentence begins like one.
_QUESTION = re.compile(
    r"(?:^|[.!?,\n]\s*)"
    r"(?:(?:ok|okay|and|so|but|great|nice|cool|sure|well|now|or|yes|no|then|alright)\s+)*"
    r"(?:(?:do|does|did|have|has|is|are|was|were|will|would|can|could|should|shall|may)\s+"
    rf"(?:{_YOU}|i|we|it|that|this|there|the|a|any)"
    r"|what|which|who|when|where|why|how|any(?:thing)?"
    r"|(?:(?:i'm|i am|just) )?(?:curious|wondering|wonder)(?: \w+){0,2}? (?:if|whether))"
    r"\b[^.!?\n]*$",
    re.IGNORECASE,
)
_SUGGESTION = re.compile(
    r"\b(?:(?:how|what) about (?!you)"
    r"|(?<!what )(?<!where )(?<!when )(?<!why )(?<!how )(?<!who )"
    rf"(?:(?:have|did) {_YOU} (?:ever |also )?(?:seen?|heard?|watch(?:ed)?|read|been|enjoy|like)"
    rf"|do {_YOU} (?:like|enjoy)"
    r"|(?:would|will|does) (?:(?:[\w:]+ ){1,3}(?:work|suit|fit)|(?:it|that|this|those) do)"
    rf"|would {_YOU} (?:enjoy|watch|go|be (?:ok|okay|fine|interested|happy|open))))\b[^.!?\n]*$",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\b(?:sorry|apologi[sz]e|unfortunately|afraid|sadly|regretfully|unsuccessful|unable|unavailable"
    r"|not available|booked up|(?:could|can)(?: ?not|n'?t) (?:find|book|locate|get|see|accommodate)"
    r"|there (?:are|is|were|was) (?:no|none|nothing|not any)|there (?:are|is|were|was)n't any"
    r"|(?:do|does|did)(?: not|n'?t) (?:have|seem to have|find)"
    r"|(?:have|found|find) (?:no|none|nothing))\b",
    re.IGNORECASE,
)

_CLAIM = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|works|working now|fixed|resolved|green|succeed(?:s|ed)?"
    r"|successful(?:ly)?)\b|[✅✓✔]",
    re.IGNORECASE,
)
# An offer that waits for the user's word, without a question mark.
_OFFER = re.compile(
    r"\b(?:let me know|if you (?:want|like|prefer|agree)|i(?:'m| am) happy to|say the word"
    r"|(?:check|confirm)(?:ing|ed)? (?:that )?with you|up to you|your call"
    r"|(?:tell me|say) (?:if|whether|which|when|what)|want me to|would you like"
    r"|do you (?:want|prefer)|(?:shall|should) i|which (?:one|of|option|approach)"
    r"|what do you think|thoughts)\b[^\n]*$",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"(?:n't|\b(?:not|never|no|none|nothing))\b[^.!?\n]*$", re.IGNORECASE)


def asks(reply: str) -> bool:
    """Whether a reply ends with a question, or with an offer that waits for the user's word.

    >>> asks("I can use tabs. Shall I?"), asks("Is it done? Yes, it is."), asks("好いですか。")
    (True, False, True)
    """
    end = _end(reply)
    lines = [line.rstrip(_TRIMMED) for line in end.splitlines()]
    if any(line.endswith(_ASKING) for line in [one for one in lines if one][-LAST_LINES:]):
        return True
    return _QUESTION.search(end) is not None or _OFFER.search(end) is not None


def denies(reply: str) -> bool:
    """Whether a reply ends with a negation; "no" to that agrees.

    >>> denies("So you did not like it."), denies("I did not ask. It is deployed.")
    (True, False)
    """
    return _DENIAL.search(_end(reply)) is not None


def suggests(reply: str) -> bool:
    """Whether a reply ends by suggesting something to the user.

    >>> suggests("I see. How about the red one?"), suggests("Shall I deploy it?")
    (True, False)
    """
    return _SUGGESTION.search(_end(reply).rstrip("?")) is not None


def fails(reply: str) -> bool:
    """Whether a reply says that it could not do what the user wanted.

    >>> fails("Sorry, there are no trains on Sunday. Another day?"), fails("It leaves at nine.")
    (True, False)
    """
    return _FAILURE.search(_end(reply)) is not None


def _end(reply: str) -> str:
    return reply.rstrip(_TRIMMED)[-END_OF_REPLY:].replace("’", "'")


def claims(reply: str) -> bool:
    """Whether a reply says that its work is done and works.

    >>> claims("Fixed it. All tests pass."), claims("The test fails in line 3.")
    (True, False)
    """
    return _CLAIM.search(reply.rstrip(_TRIMMED)[-END_OF_CLAIM:]) is not None


_REPLY_CONDITIONS: Mapping[str, Callable[[str], bool]] = {
    "missed": suggests,
    "failed": fails,
    "claimed": claims,
}
