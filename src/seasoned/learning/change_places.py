"""Where in a text an edit belongs, said in ways that hold for another text too.

A place is plain JSON, for example ["named", sources] (the word the error names), ["literal",
words], ["behind", word], ["start"], ["end"], ["at", index, shape]. Places are kept ranked; the
first that is found counts.
"""

from collections.abc import Sequence
from typing import Any

from seasoned.learning.change_error import ErrorText, nearest
from seasoned.learning.change_sources import Source, located, sources
from seasoned.learning.change_words import has_shape, likeness, shape

Place = list[Any]
# Places that say little about the text, so they hold only for the same command.
BY_INDEX = frozenset({"at", "from_end"})


def places(
    old: Sequence[str], start: int, stop: int, error: ErrorText, put: Sequence[str], constant: bool
) -> list[Place]:
    """All the ways to say `old[start:stop]`, the most telling first; `put` is what comes there."""
    if start == stop:
        return _gaps(old, start, error, bool(put) and shape(put[0]) == "flag")
    found: list[Place] = []
    if stop - start == 1:
        named = _names(old[start], error)
        if named:
            found.append(["named", named, shape(old[start])])
        if _misspelt(old, error) == start:
            found.append(["misspelt"])
    literal: Place = ["literal", list(old[start:stop])]
    form = shape(old[start])
    index: list[Place] = [["at", start, form], ["from_end", start - len(old), form]]
    # A constant that replaces a constant is about that very word.
    return [literal, *found, *index] if constant else [*found, literal, *index]


def _names(word: str, error: ErrorText) -> list[Source]:
    strong, weak = sources(word, error)
    return [s for s in strong + weak if s[0] not in {"suggested", "number"}]


def _gaps(old: Sequence[str], start: int, error: ErrorText, flag: bool) -> list[Place]:
    if start == 0:
        return [["start"]]
    behind: Place = ["behind", old[start - 1]]
    found: list[Place] = []
    if start < len(old):
        named = _names(old[start], error)
        found += [["before_named", named]] if named else []
    if start > 1:
        named = _names(old[start - 1], error)
        found += [["behind_named", named]] if named else []
    end: list[Place] = [["end"]] if start == len(old) else []
    # An option belongs to the command or subcommand before it; an argument to what it is about.
    if flag and start <= 2 and shape(old[start - 1]) == "word":
        found = [behind, *end, *found]
    else:
        found = [*end, *found, behind]
    form = shape(old[start - 1])
    found.append(["at", start, form])
    if start < len(old):
        found.append(["from_end", start - len(old), form])
    return found


def _misspelt(old: Sequence[str], error: ErrorText) -> int | None:
    """The word that looks most like something the error suggests, without being it."""
    best, where = 0.6, None
    suggested = set(error.suggested)
    for index, word in enumerate(old[:10]):
        if not index or len(word) < 2 or word in suggested:
            continue
        near = nearest(word, error, old)
        score = likeness(word, near) if near is not None else 0.0
        if near not in suggested and (len(word) < 4 or word in error.candidates):
            continue
        if score > best:
            best, where = score, index
    return where


def found_at(
    place: Place, old: Sequence[str], size: int, error: ErrorText, near: Sequence[int] = ()
) -> int | None:
    """The index of a place in another text; of several, the one that is `near` (indexes)."""
    kind = place[0]
    count = len(old)
    at: int | None = None
    if kind in {"start", "all"}:
        at = 0
    elif kind == "end":
        at = count
    elif kind in BY_INDEX:
        at = _formed(place, old, size)
    elif kind == "literal":
        at = _nearest_hit(_hits(place[1], old), near)
    elif kind == "behind":
        at = _nearest_hit([hit + 1 for hit in _hits([place[1]], old)], near)
    elif kind == "misspelt":
        at = _misspelt(old, error)
    else:
        at = _named(place, old, error, near)
    return at if at is not None and 0 <= at <= count - size else None


def _formed(place: Place, old: Sequence[str], size: int) -> int | None:
    at: int = place[1] if place[0] == "at" else len(old) + place[1]
    word: int = at if size else at - 1
    if not 0 <= word < len(old) or not has_shape(old[word], place[2]):
        return None
    return at


def _hits(wanted: Sequence[str], old: Sequence[str]) -> list[int]:
    size, words = len(wanted), list(wanted)
    return [i for i in range(len(old) - size + 1) if list(old[i : i + size]) == words]


def _nearest_hit(hits: Sequence[int], near: Sequence[int]) -> int | None:
    return next((index for index in near if index in hits), hits[0] if hits else None)


def _named(place: Place, old: Sequence[str], error: ErrorText, near: Sequence[int]) -> int | None:
    behind = place[0] == "behind_named"
    for source in place[1]:
        value = located(source, error, None, old)
        hits = [i + behind for i, word in enumerate(old) if word == value and (i or 0 in near)]
        if hits and (len(place) < 3 or has_shape(value or "", place[2])):
            return _nearest_hit(hits, [*near, hits[-1]])
    return None
