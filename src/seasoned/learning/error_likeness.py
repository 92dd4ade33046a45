"""How far the fixes of a known error may help with another, by words, by meaning and by gist.

Neither shared words nor near vectors are enough: "bucket not found" is next to "bucket not empty".
What decides is the gist; words and vectors find what is worth comparing, and say how sure it is.
"""

import re
from functools import lru_cache

from seasoned.core.similarity import dice, telling_words, words
from seasoned.learning.error_complaint import plain
from seasoned.learning.error_gist import Gist, gist_of, opposed

SIMILAR = 0.6  # from here on two errors are linked
TOLD = 0.7  # from here on a fix in words may be passed on, which no call can be checked against
CHECKED = 0.69  # at most, where the gist differs: only a fix that fits the call may be passed on
SAID_WHOLE = 0.85
NO_COMPLAINT = 0.75  # share of words that makes two errors one whose complaint is not recognised
SAME_THING = 0.45  # cosine from which on a complaint about one thing is one error
NO_THING = 0.68  # the same where one of them does not say of what it complains
UNEMBEDDED = 0.5  # share of words, instead of NO_THING, where there is no cosine
PLACEHOLDER = re.compile(r"<[^<>]*>")
# Complaints that say all: within one tool it hardly matters which thing they name beside it.
WHOLE = frozenset(
    "timed out|refused|dropped|unresolved|unreachable|limited|disk full|out of memory|deadlocked|"
    "read-only|divided by zero|too deep|unpaid|badly encoded|unauthenticated|orphaned".split("|")
)
MACHINES = frozenset(("disk full", "out of memory"))  # whichever program runs into it
COMMANDS = frozenset(("command",))  # each program has its own


def meaning_of(template: str) -> str:
    """What is embedded of an error: its words, and its gist in the words that we have for it.

    >>> meaning_of('no such relation "<value>"')
    'no such relation absent table'
    """
    gist = gist_of(template)
    things = () if gist.complaints & WHOLE else sorted(gist.things)
    return " ".join((plain(template), *sorted(gist.complaints), *things)).strip()


@lru_cache(maxsize=4096)
def telling(template: str) -> tuple[str, ...]:
    """The words of a template that tell, without its holes."""
    return tuple(telling_words(PLACEHOLDER.sub(" ", template)))


def likeness(error: str, known: str, cosine: float | None = None) -> float:
    """How sure it is that what helps with a known error helps with another, 0 to 1.

    >>> likeness("RuntimeError: no ink", "no ink"), likeness("no ink", "RuntimeError: no ink")
    (0.85, 0.6666666666666666)
    >>> likeness("no such table: <value>", 'ERROR: relation "<value>" does not exist', 0.9) > TOLD
    True
    >>> likeness("cannot read <path>: access denied", "cannot write <path>: access denied", 0.9)
    0.69
    """
    said = by_words(error, known)
    one, other = gist_of(error), gist_of(known)
    if differ(one, other):
        return min(said, CHECKED)
    if not one.complaints:
        return said if said >= NO_COMPLAINT else min(said, CHECKED)
    near = said if cosine is None else max(said, cosine)
    return max(said, TOLD + near / 5) if near >= _needed(one, other, cosine is None) else said


def by_words(error: str, known: str) -> float:
    """How much of one error is in the other; a known one that is said whole counts as close."""
    alike = dice(telling(error), telling(known))
    whole = _said_in(PLACEHOLDER.sub(" ", known))
    return max(alike, SAID_WHOLE) if whole.count(" ") > 2 and whole in _said_in(error) else alike


@lru_cache(maxsize=8192)
def _said_in(text: str) -> str:
    """Its words, each between spaces."""
    return f" {' '.join(words(text))} "


def differ(one: Gist, other: Gist) -> bool:
    """Whether two errors are different ones, however alike they sound."""
    if one.complaints != other.complaints or opposed(one, other):
        return True
    if not one.complaints and one.negated != other.negated:
        return True
    if one.speaker and other.speaker and one.speaker != other.speaker:
        return not one.complaints & MACHINES
    if not one.complaints or one.complaints & WHOLE:
        return False
    both = one.things & other.things
    if one.speaker != other.speaker or not one.speaker:
        both -= COMMANDS
    return bool(one.things and other.things) and not both


def _needed(one: Gist, other: Gist, unembedded: bool) -> float:
    """How near two errors with the same complaint must be to be one."""
    if one.complaints & WHOLE:
        return 0.0
    if one.things & other.things:
        return 0.0 if unembedded else SAME_THING
    if one.beside and other.beside and one.beside.isdisjoint(other.beside):
        return 1.0
    return UNEMBEDDED if unembedded else NO_THING
