"""Reduce an error to its gist: the complaint, the thing complained about, and the speaker."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from seasoned.core.words import STOP_WORDS, stem
from seasoned.errors.complaint import complaints_in, plain_words
from seasoned.errors.words import THINGS

# Different names for one thing; the first is ours.
_SAME_THING = """
table relation
module package library
directory folder
host hostname
argument parameter option flag
user account mailbox username
column field
repository repo
processor cpu vcpu
function procedure
command subcommand
attribute property
file document path
email mail
address port socket
token credential password
row entry key value
type media
certificate cert
database schema
"""
_NAMED = {word: line.split()[0] for line in _SAME_THING.split("\n") for word in line.split()}
# Things that any error may mention; they count only if there is no other.
_ANYWHERE = frozenset(
    "operation request query process system api tool code error message response status line "
    "position instruction data result name".split()
)
# A complaint ending in one of these is about what follows; others are about what precedes.
_LOOKS_AHEAD = frozenset(
    "such unknown find locate see duplicate duplicated for of unsupported invalid unexpected "
    "undefined no to from by in a an the with missing required mandatory unrecognized extra "
    "illegal exceeds exceed resolve".split()
)
_BEFORE, _AFTER = 6, 4  # words between a complaint and its thing, at most
_SPEAKER = re.compile(r"([a-z][\w+-]*): ")
_LEVELS = frozenset("error err fatal warning remote exception panic failure critical".split())
_NEGATIONS = frozenset("not no never without non nor nicht kein ne pas sin não".split())
_SHELLS: dict[str, str] = dict.fromkeys("bash zsh sh dash ksh fish".split(), "sh")
_OPPOSITES = """
encode/decode read/write start/end open/close connect/disconnect upload/download import/export
minimum/maximum first/last source/destination source/target input/output before/after push/pull
public/private enable/disable lock/unlock insert/delete add/remove create/delete create/remove
install/uninstall mount/unmount encrypt/decrypt send/receive left/right upper/lower old/new
older/newer positive/negative parent/child sender/recipient debit/credit login/logout allow/deny
past/future early/late sign/verify
"""
_OPPOSED = [tuple(stem(word) for word in pair.split("/")) for pair in _OPPOSITES.split()]


@dataclass(frozen=True, slots=True)
class Gist:
    """`things` are complained about; `speaker` is the program or code in front.

    `beside` are the stems of the remaining words; `negated` if one of them is a "not".
    """

    complaints: frozenset[str]
    things: frozenset[str]
    speaker: str
    beside: frozenset[str]
    negated: bool


@lru_cache(maxsize=4096)
def gist_of(template: str) -> Gist:
    """Return the gist of a template, independent of its wording.

    >>> one, other = gist_of("no such table: <value>"), gist_of('relation "<value>" does not exist')
    >>> sorted(one.complaints), sorted(one.things)
    (['absent'], ['table'])
    >>> (one.complaints, one.things) == (other.complaints, other.things)
    True
    """
    text = plain_words(template)
    found = list(complaints_in(text))
    things = {_thing_beside(text, start, end) for _, start, end in found} - {""}
    speaker = _SPEAKER.match(template)
    name = speaker[1] if speaker and speaker[1] not in _LEVELS else ""
    rest = _without(text, found)
    return Gist(
        frozenset(complaint for complaint, _, _ in found),
        frozenset(things),
        _SHELLS.get(name, name),
        frozenset(stem(word) for word in rest if word not in STOP_WORDS | _LEVELS),
        not _NEGATIONS.isdisjoint(rest),
    )


def are_opposed(one: Gist, other: Gist) -> bool:
    """Tell whether the two contain opposite words, such as read and write.

    >>> are_opposed(gist_of("cannot read <path>"), gist_of("cannot write <path>"))
    True
    """
    mine, theirs = one.beside - other.beside, other.beside - one.beside
    return any((a in mine and b in theirs) or (b in mine and a in theirs) for a, b in _OPPOSED)


def _thing_beside(text: str, start: int, end: int) -> str:
    """Return the thing that the complaint at `start:end` is about, under its usual name."""
    before = [word for word in text[:start].split() if word not in STOP_WORDS][-_BEFORE:]
    after = [word for word in text[end:].split() if word not in STOP_WORDS][:_AFTER]
    said = text[start:end].split()
    beside = (after, before[::-1]) if said[-1] in _LOOKS_AHEAD else (before[::-1], after)
    things = [thing for words in (*beside, said) for word in words if (thing := _thing(word))]
    return next((thing for thing in things if thing not in _ANYWHERE), things[0] if things else "")


def _without(text: str, found: Iterable[tuple[str, int, int]]) -> list[str]:
    """Return the words of a text outside its complaints."""
    for _, start, end in found:
        text = text[:start] + " " * (end - start) + text[end:]
    return text.split()


def _thing(word: str) -> str:
    for form in (word, word.removesuffix("s")):
        if form in _NAMED or form in THINGS:
            return _NAMED.get(form, form)
    return ""
