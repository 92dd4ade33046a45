"""Cut commands, queries and code into words, so that a change can be told word by word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Operators stay whole; a word may hold what names, paths, flags, URLs and assignments hold.
_WORD = re.compile(r"\s*(&&|\|\||[\w./@:=+~%*?#$^-]+|[^\w\s])")
JOINTS = frozenset({"&&", "||", ";"})  # what stands between two commands
OPERATORS = frozenset({"&&", "||", "|", ";", "&"})
_SHAPES = (
    ("flag", re.compile(r"--?\w")),
    ("number", re.compile(r"\d+$")),
    ("path", re.compile(r"[\w~@:-]*[/.].")),
    ("word", re.compile(r"\w")),
)
MAX_CHARS = 6_000
MAX_WORDS = 400
MAX_APART = 80  # words between what is the same at both ends


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the white space before it (None: that of the word it replaces)."""

    space: str | None
    text: str


def words(text: str) -> list[Word]:
    """The words of a text; joined again they are the text, but for white space at its end.

    >>> [w.text for w in words("git add -- 'a b' && ls")]
    ['git', 'add', '--', "'", 'a', 'b', "'", '&&', 'ls']
    """
    return [Word(m[0][: m.start(1) - m.start()], m[1]) for m in _WORD.finditer(text)]


def joined(parts: Sequence[Word]) -> str:
    return "".join([(w.space or "") + w.text for w in parts])


def likeness(a: str, b: str, floor: float = 0.5) -> float:
    """How alike two words look, 0 to 1; 0 below the floor; case does not count.

    >>> likeness("isntall", "install") > 0.8
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
    """How many characters two words begin with alike."""
    size = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        size += 1
    return size


def shape(word: str) -> str:
    """What a word looks like: a flag, a number, a path, a word or a sign."""
    return next((name for name, looks in _SHAPES if looks.match(word)), "sign")


def has_shape(word: str, wanted: str) -> bool:
    """Does a word look as wanted? Wanted may be "any" (of these, but no sign) or "" (anything)."""
    return not wanted or shape(word) == wanted or (wanted == "any" and shape(word) != "sign")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Words `start:stop` of the old text became words `new_start:new_stop` of the new one."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def hunks(old: list[str], new: list[str]) -> list[Hunk]:
    """Where two lists of words differ, each difference moved as far left as it goes.

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
    """An insertion (or deletion) that may as well stand further left, stands there."""
    i, j, k, m = hunk.start, hunk.stop, hunk.new_start, hunk.new_stop
    if i == j:
        while i > floor and k > new_floor and new[k - 1] == new[m - 1]:
            i, j, k, m = i - 1, j - 1, k - 1, m - 1
    elif k == m:
        while i > floor and k > new_floor and old[i - 1] == old[j - 1]:
            i, j, k, m = i - 1, j - 1, k - 1, m - 1
    return Hunk(i, j, k, m)
