"""Read an error for the values that a repair may take from it, and name where each one stands.

A source is plain JSON, for example ["quoted", -1] or ["after", "named"]: it points at a value in
this error, and so at the matching value in the next one.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from seasoned.changes.words import common_prefix, word_likeness

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
    """The words, quoted values, numbers, paths, lines and suggestions of an error."""

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
def read_error(error: str) -> ErrorText:
    """Split an error into everything a repair may refer to."""
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
    """Return the word of the error most similar to a wrong one; suggested words come first.

    A word that the error does not suggest must be more similar. Words that are already in the call
    (`known`) are no corrections.

    >>> nearest("isntall", read_error("unknown command 'isntall'; known: init, install, list"))
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
            short = size > 1 and candidate.startswith(word)  # `word` abbreviates it
            if other < 2 or (2 * min(size, other) < floor * (size + other) and not short):
                continue
            if len(letters.intersection(candidate)) < floor * len(letters) - 1:
                continue
            if candidate != word and candidate not in known:
                score = max(word_likeness(word, candidate, floor), 0.7 * short)
                # On a tie prefer the longer common prefix: typos come late in a word.
                score += 0.01 * common_prefix(word, candidate) if score else 0.0
                if score > best or (found is None and score >= best):
                    best, found = score, candidate
        if found is not None:
            return found
    return None


Source = list[Any]

_WEIGHTS = {"word": 1.0, "path": 1.0}


def sources_of(
    value: str, error: ErrorText, it: str | None = None, old: Sequence[str] = ()
) -> tuple[list[Source], list[Source]]:
    """Return every way to point at `value` in an error: the reliable ones, then the accidental."""
    strong: list[Source] = []
    weak: list[Source] = []
    phrase = " " in value
    if it is not None and not phrase and nearest(it, error, old) == value:
        strong.append(["nearest"])
    _indexed("suggested", value, error.suggested[:2], strong, backwards=False)
    _indexed("phrase" if phrase else "quoted", value, error.quoted, strong)
    if value.isdigit():
        _indexed("number", value, error.numbers, strong)
    elif "/" in value or "." in value:
        _indexed("path", value, error.paths, strong)
    telling = bool(strong) or not value.isalpha()
    for index, word in enumerate(error.words):
        if word == value:
            for size in (2, 1):
                context = error.lower[max(0, index - size) : index]
                if len(context) == size and not FILLER.issuperset(context):
                    source = ["after", " ".join(context)]
                    if source not in strong and source not in weak:
                        (strong if telling else weak).append(source)
    if phrase:
        _line_sources(value, error, strong)
    return strong[:8], weak[:6]


def _indexed(
    kind: str, value: str, found: Sequence[str], into: list[Source], backwards: bool = True
) -> None:
    for index, other in enumerate(found):
        if other == value:
            into.append([kind, index])
            if backwards:
                into.append([kind, index - len(found)])
            return


def _line_sources(value: str, error: ErrorText, into: list[Source]) -> None:
    for index, line in enumerate(error.lines):
        if line == value and index:
            into.append(["line", " ".join(error.lines[index - 1].casefold().split()[-2:])])
            return
        at = line.find(": " + value)
        if at >= 0 and line.endswith(value) and " " in value:
            into.append(["rest", " ".join(line[:at].casefold().split()[-2:])])
            return


def weight(source: Source) -> float:
    """Weigh a source for when several disagree: the words before a value tell most."""
    if source[0] == "after":
        return 3.0 if " " in source[1] else 1.5
    return _WEIGHTS.get(source[0], 2.0)


def locate(source: Source, error: ErrorText, it: str | None, old: Sequence[str]) -> str | None:
    """Return the value that a source points at in this error or in the old text, if any."""
    kind = source[0]
    if kind in _OF_THE_WORD:
        return _OF_THE_WORD[kind](source, error, it, old) if it is not None else None
    if kind in {"after", "line", "rest"}:
        return _contextual(kind, source[1], error)
    pools = {
        # A negative index means an argument, never the command or subcommand.
        "word": ["", "", *old[2:]] if source[1:] and _is_negative(source[1]) else old,
        "suggested": error.suggested,
        "phrase": error.quoted,
        "quoted": error.quoted,
        "number": error.numbers,
        "path": error.paths,
    }
    value = _item(pools[kind], source[1])
    return None if kind == "quoted" and value is not None and " " in value else value


def _is_negative(index: Any) -> bool:
    return isinstance(index, int) and index < 0


def _item(found: Sequence[str], index: int) -> str | None:
    return found[index] if -len(found) <= index < len(found) else None


def _trimmed(it: str, prefix: str, suffix: str) -> str | None:
    if not it.startswith(prefix) or not it.endswith(suffix):
        return None
    return it[len(prefix) : len(it) - len(suffix)] or None


_OF_THE_WORD: dict[str, Callable[[Source, ErrorText, str, Sequence[str]], str | None]] = {
    "it": lambda source, error, it, old: it,
    "trimmed": lambda source, error, it, old: _trimmed(it, source[1], source[2]),
    "nearest": lambda source, error, it, old: nearest(it, error, old),
}


def _contextual(kind: str, context: str, error: ErrorText) -> str | None:
    if kind == "after":
        size = context.count(" ") + 1
        for index in range(size, len(error.words)):
            if " ".join(error.lower[index - size : index]) == context:
                return error.words[index]
        return None
    for index, line in enumerate(error.lines):
        if kind == "line":
            ends = " ".join(line.casefold().split()[-2:]) == context
            if ends and index + 1 < len(error.lines):
                return error.lines[index + 1]
        else:
            head, colon, rest = line.partition(": ")
            if colon and " ".join(head.casefold().split()[-2:]) == context:
                return rest
    return None
