"""Rate how far the fixes of a known error may help with another: by words, meaning and gist.

Shared words or near vectors are not enough: "bucket not found" is close to "bucket not empty". The
gist decides; words and vectors find the candidates and say how sure the result is.
"""

import re
from functools import lru_cache

from seasoned.core.words import dice, telling_words, words
from seasoned.errors.complaint import plain_words
from seasoned.errors.gist import Gist, are_opposed, gist_of

SIMILAR = 0.6  # from here on two errors are linked
TOLD = 0.7  # from here on a fix in words may be passed on, though no call can verify it
CHECKED = 0.69  # upper bound if the gist differs: only a fix that fits the call is passed on
SAID_WHOLE = 0.85
NO_COMPLAINT = 0.75  # shared words required if no complaint is recognised
SAME_THING = 0.45  # cosine required for the same complaint about the same thing
NO_THING = 0.68  # cosine required if one of them names no thing
UNEMBEDDED = 0.5  # shared words instead of NO_THING if there is no cosine
PLACEHOLDER = re.compile(r"<[^<>]*>")
# Complaints that say it all: within one tool the thing they mention hardly matters.
WHOLE = frozenset(
    "timed out|refused|dropped|unresolved|unreachable|limited|disk full|out of memory|deadlocked|"
    "read-only|divided by zero|too deep|unpaid|badly encoded|unauthenticated|orphaned".split("|")
)
MACHINES = frozenset(("disk full", "out of memory"))  # whatever program reports it
COMMANDS = frozenset(("command",))  # each program has its own


def meaning_of(template: str) -> str:
    """Return the text to embed for an error: its words, and its gist in our words.

    >>> meaning_of('no such relation "<value>"')
    'no such relation absent table'
    """
    gist = gist_of(template)
    things = () if gist.complaints & WHOLE else sorted(gist.things)
    return " ".join((plain_words(template), *sorted(gist.complaints), *things)).strip()


@lru_cache(maxsize=4096)
def telling_words_of(template: str) -> tuple[str, ...]:
    """Return the telling words of a template, without its holes."""
    return tuple(telling_words(PLACEHOLDER.sub(" ", template)))


def likeness(error: str, known: str, cosine: float | None = None) -> float:
    """Rate from 0 to 1 how surely the fixes of a known error help with another.

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
    """Rate the words two errors share; a known one contained as a whole counts as close."""
    alike = dice(telling_words_of(error), telling_words_of(known))
    whole = _said_in(PLACEHOLDER.sub(" ", known))
    return max(alike, SAID_WHOLE) if whole.count(" ") > 2 and whole in _said_in(error) else alike


@lru_cache(maxsize=8192)
def _said_in(text: str) -> str:
    """Return the words, each between spaces."""
    return f" {' '.join(words(text))} "


def differ(one: Gist, other: Gist) -> bool:
    """Tell whether two errors differ, however similar they sound."""
    if one.complaints != other.complaints or are_opposed(one, other):
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
    """Return how near two errors with the same complaint must be."""
    if one.complaints & WHOLE:
        return 0.0
    if one.things & other.things:
        return 0.0 if unembedded else SAME_THING
    if one.beside and other.beside and one.beside.isdisjoint(other.beside):
        return 1.0
    return UNEMBEDDED if unembedded else NO_THING
