"""Read an error once for all that a repair may take from it: names, values, suggestions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from seasoned.learning.change_words import common_prefix, likeness

MAX_ERROR = 8_000
_QUOTED = re.compile(
    r"(?<![\w\\])(?:`([^`'\n]{1,300})[`']|'([^'\n]{1,300})'|\"([^\"\n]{1,300})\""
    r"|«([^»\n]{1,300})»|»([^«\n]{1,300})«|“([^”\n]{1,300})”|‘([^’\n]{1,300})’"
    r"|「([^」\n]{1,300})」)(?!\w)"
)
# No colon inside: "a.c:3:1" is a file, a line and a column; but a URL stays whole.
_TOKEN = re.compile(r"\w+://[^\s'\"`<>]+|[\w./@%+~=$-]*[\w/~]")
_RUN = re.compile(r"[^\s'\"`,;()\[\]{}<>«»“”]+")
_CUE = re.compile(
    r"did you mean|(?:may ?be|perhaps) you meant|meant to|most similar|similar (?:command|name)s?"
    r"|closest|suggest\w*|candidates?(?: are)?"
    r"|valid (?:choice|option|value|name|field)s?(?: are| is)?"
    r"|(?:must|should|has to) be(?: one of)?|one of(?: these| the following)?|expected|available\b"
    r"|choose from|is ambiguous|allowed|supported|possible\b|known\b|options?\b",
    re.IGNORECASE,
)
_STRONG_CUE = re.compile(
    r"did you mean|(?:may ?be|perhaps) you meant|most similar|similar (?:command|name)s?|closest",
    re.IGNORECASE,
)
FILLER = frozenset(
    "this one of these the following is are to a an or and command commands not be in it if you "
    "use run try with for see".split()
)


@dataclass(frozen=True, slots=True)
class ErrorText:
    """An error read once: its words, quoted values, numbers, paths, lines and suggestions."""

    words: tuple[str, ...]
    lower: tuple[str, ...]
    quoted: tuple[str, ...]
    numbers: tuple[str, ...]
    paths: tuple[str, ...]
    lines: tuple[str, ...]
    suggested: tuple[str, ...]
    candidates: tuple[str, ...]
    asks: bool


@lru_cache(maxsize=64)
def read(error: str) -> ErrorText:
    """What an error's text offers."""
    half = MAX_ERROR // 2
    text = error if len(error) <= MAX_ERROR else f"{error[:half]}\n{error[-half:]}"
    tokens = tuple(_TOKEN.findall(text))
    runs = tuple(r for r in (r.strip(".:?!*|") for r in _RUN.findall(text)) if r)
    asking = _STRONG_CUE.search(text)
    cue = asking or _CUE.search(text)
    tail = text[cue.end() :] if cue else ""
    return ErrorText(
        words=tokens,
        lower=tuple(t.casefold() for t in tokens),
        quoted=tuple(next(g for g in m.groups() if g is not None) for m in _QUOTED.finditer(text)),
        numbers=tuple(t for t in tokens if t.isdigit()),
        paths=tuple(t for t in tokens if "/" in t or re.fullmatch(r"[\w-]+(\.[\w-]+)+", t)),
        lines=tuple(s for s in (line.strip() for line in text.split("\n")) if s),
        suggested=_suggestions(tail),
        candidates=tuple(dict.fromkeys((*_suggestions(tail), *tokens, *runs))),
        asks=asking is not None,
    )


def _suggestions(tail: str) -> tuple[str, ...]:
    runs = (r.strip(".:?!*|") for r in _RUN.findall(tail))
    return tuple(r for r in runs if r and r.casefold() not in FILLER)


def nearest(word: str, error: ErrorText, known: Sequence[str] = ()) -> str | None:
    """The word of the error that looks most like a wrong one: the suggested ones come first.

    The less the error presents a word as a suggestion, the more alike it has to be; a word that
    stands in the call already (`known`) is no correction.

    >>> nearest("isntall", read("unknown command 'isntall'; known: init, install, list"))
    'install'
    """
    pools = (
        (error.suggested[:150], 0.5 if error.asks else 0.66),
        (error.candidates[:600], 0.75),
    )
    letters, size = set(word), len(word)
    for pool, floor in pools:
        best, found = floor, None
        for candidate in pool:
            # Cheap first: most words are of another length or have too few letters in common.
            other = len(candidate)
            short = size > 1 and candidate.startswith(word)  # an abbreviation
            if other < 2 or (2 * min(size, other) < floor * (size + other) and not short):
                continue
            if len(letters.intersection(candidate)) < floor * len(letters) - 1:
                continue
            if candidate != word and candidate not in known:
                score = max(likeness(word, candidate, floor), 0.7 * short)
                # Of two that are as like, the one that begins alike: slips come later in a word.
                score += 0.01 * common_prefix(word, candidate) if score else 0.0
                if score > best or (found is None and score >= best):
                    best, found = score, candidate
        if found is not None:
            return found
    return None
