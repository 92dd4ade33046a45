"""Whether a short message praises the last reply, or rejects it."""

import re
from typing import Literal

from seasoned.rules.approval_phrases import (
    GOES_ON,
    NEGATIVE,
    NEITHER,
    NO_ERROR,
    NO_LONGER,
    NOT_BAD,
    NOT_GOOD,
    POSITIVE,
    REQUEST,
)
from seasoned.rules.phrases import IMPERATIVES
from seasoned.rules.text import folded, tidy

LONGEST = 120  # characters: a longer message is about something, not a verdict
MOST_WORDS = 14
FEW_WORDS = 6  # in so many, praise may stand anywhere
UNSPACED_LONGEST = 40
Verdict = Literal["positive", "negative"]

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_QUOTED = re.compile(
    r"(?<!\w)(?:'[^']{1,60}'|\"[^\"]{1,60}\"|“[^”]{1,60}”|«[^»]{1,60}»|「[^」]{1,60}」)(?!\w)"
)
# These begin verdicts as well: "me encanta", "sigue fallando".
_NO_REQUESTS = frozenset({"me", "se", "sigue", "don't"})
_REQUESTS = frozenset({"fix", "correct"}).union(*IMPERATIVES.values()) - _NO_REQUESTS
NO_BLAME = (NOT_BAD, NO_ERROR, NO_LONGER)


def approval(message: str) -> Verdict | None:
    """Praise or rejection of the last reply; None for whatever is not plainly one of them.

    >>> approval("works now, thanks"), approval("it still fails"), approval("no funciona")
    ('positive', 'negative', 'negative')
    >>> approval("not bad at all"), approval("kein Problem"), approval("thanks, now add a test")
    ('positive', None, None)
    """
    text = message[: 2 * LONGEST].strip()
    limit = UNSPACED_LONGEST if _UNSPACED.search(text) else LONGEST
    if not text or len(message.strip()) > limit or len(text.split()) > MOST_WORDS:
        return None
    plain = _QUOTED.sub(" ", folded(tidy(text, LONGEST)))
    return None if _asks_for_something(plain) else _verdict(NEITHER.sub(" ", plain))


def _asks_for_something(plain: str) -> bool:
    """Whether it is a question, or a request as "find the wrong entries"."""
    first, _, rest = plain.partition(" ")
    return "?" in plain or bool(rest and first in _REQUESTS) or bool(REQUEST.search(plain))


def _verdict(plain: str) -> Verdict | None:
    fine = any(pattern.search(plain) for pattern in NO_BLAME)
    for pattern in NO_BLAME:
        plain = pattern.sub(" ", plain)
    if NEGATIVE.search(plain) or NOT_GOOD.search(plain):
        return "negative"
    praise = POSITIVE.search(plain)
    if not (fine or praise) or GOES_ON.search(plain):
        return None
    # "The perfect tense is …" has the word, but is about something.
    if praise and praise.start() > 0 and len(plain.split()) > FEW_WORDS:
        return None
    return "positive"
