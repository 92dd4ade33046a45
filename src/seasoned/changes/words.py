"""Split commands, queries and code into words, to compare and edit them word by word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Operators are words of their own; names, paths, flags, URLs and assignments stay whole.
_WORD = re.compile(r"\s*(&&|\|\||[\w./@:=+~%*?#$^-]+|[^\w\s])")
JOINTS = frozenset({"&&", "||", ";"})  # between two commands
OPERATORS = frozenset({"&&", "||", "|", ";", "&"})
_SHAPES = (
    ("flag", re.compile(r"--?\w")),
    ("number", re.compile(r"\d+$")),
    ("path", re.compile(r"[\w~@:-]*[/.].")),
    ("word", re.compile(r"\w")),
)
MAX_CHARS = 6_000
MAX_WORDS = 400
MAX_APART = 80  # words between the common start and end of two texts


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the white space before it; None stands for that of the word it replaces."""

    space: str | None
    text: str


def split_words(text: str) -> list[Word]:
    """Split a text; `join_words` restores it except for trailing white space.

    >>> [w.text for w in split_words("git add -- 'a b' && ls")]
    ['git', 'add', '--', "'", 'a', 'b', "'", '&&', 'ls']
    """
    return [Word(m[0][: m.start(1) - m.start()], m[1]) for m in _WORD.finditer(text)]


def join_words(parts: Sequence[Word]) -> str:
    return "".join([(w.space or "") + w.text for w in parts])


def word_likeness(a: str, b: str, floor: float = 0.5) -> float:
    """Rate the similarity of two words from 0 to 1, ignoring case; below the floor it is 0.

    >>> word_likeness("isntall", "install") > 0.8
    True
    """
    a, b = a[:80].casefold(), b[:80].casefold()
    if a == b:
        return 1.0
    shorter, total = min(len(a), len(b)), len(a) + len(b)
    if not shorter or 2 * shorter < floor * total:
        return 0.0
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.quick_ratio() < floor:
        return 0.0
    score = matcher.ratio()
    return score if score >= floor else 0.0


def common_prefix(a: str, b: str) -> int:
    """Return the length of the common prefix."""
    size = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        size += 1
    return size


def word_shape(word: str) -> str:
    """Classify a word: flag, number, path, word or sign."""
    return next((name for name, looks in _SHAPES if looks.match(word)), "sign")


def has_shape(word: str, wanted: str) -> bool:
    """Tell whether a word has a shape; "any" excludes signs, "" accepts everything."""
    return (
        not wanted or word_shape(word) == wanted or (wanted == "any" and word_shape(word) != "sign")
    )


@dataclass(frozen=True, slots=True)
class Hunk:
    """Words `start:stop` of the old text became words `new_start:new_stop` of the new one."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def hunks(old: list[str], new: list[str]) -> list[Hunk]:
    """Return the differences between two lists of words, each moved as far left as possible.

    >>> hunks(["git", "branch"], ["git", "checkout", "x", "&&", "git", "branch"])
    [Hunk(start=0, stop=0, new_start=0, new_stop=4)]
    """
    shorter = min(len(old), len(new))
    head = tail = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(middle), len(other)) > MAX_APART or len(middle) == len(other) == 1:
        return [Hunk(head, len(old) - tail, head, len(new) - tail)]
    matcher = SequenceMatcher(None, middle, other, autojunk=False)
    found = [
        Hunk(i + head, j + head, k + head, m + head)
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    ]
    slid: list[Hunk] = []
    floor = new_floor = 0
    for hunk in found:
        moved = _slid_left(hunk, old, new, floor, new_floor)
        slid.append(moved)
        floor, new_floor = moved.stop, moved.new_stop
    return slid


def _slid_left(hunk: Hunk, old: list[str], new: list[str], floor: int, new_floor: int) -> Hunk:
    """Move an insertion or deletion left while the result stays the same."""
    i, j, k, m = hunk.start, hunk.stop, hunk.new_start, hunk.new_stop
    if i == j:
        while i > floor and k > new_floor and new[k - 1] == new[m - 1]:
            i, j, k, m = i - 1, j - 1, k - 1, m - 1
    elif k == m:
        while i > floor and k > new_floor and old[i - 1] == old[j - 1]:
            i, j, k, m = i - 1, j - 1, k - 1, m - 1
    return Hunk(i, j, k, m)
