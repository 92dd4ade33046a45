"""Merge near-identical patterns of one tool into one template, without mixing two mistakes.

Two patterns may merge only if all their meaningful words are the same, in the same order. The rest
must look like values, or must have varied several times in a place where values stand. A wrong
merge gives an agent a wrong fix; a missed one only costs time.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from itertools import compress, count
from operator import ne

from seasoned.errors.pattern import pattern_of
from seasoned.errors.words import LABELS, is_thing, meaningful

HOLE = "<*>"

FEWEST_CONSTANTS = 3
"""Constant words required before a plain word, or a name like open(), may count as a value."""


class ItemKind(Enum):
    """Whether an item of a pattern may become a hole."""

    FIXED = auto()  # carries the meaning: never
    WORD = auto()  # a name or noun: once it has varied
    VALUE = auto()  # looks like a value: as soon as it differs


@dataclass(frozen=True, slots=True)
class PatternItem:
    """A word, or a run of values with the text between them; `lead` is the punctuation before."""

    text: str
    kind: ItemKind
    lead: str = ""

    @property
    def key(self) -> str:
        """Return what must be equal for two items to match."""
        return self.text.strip().lower() if self.kind is ItemKind.FIXED else self.text.strip()


@dataclass(frozen=True, slots=True)
class PatternItems:
    """A whole pattern: its items and the punctuation after the last one."""

    items: tuple[PatternItem, ...]
    tail: str
    keys: tuple[str, ...]
    values: tuple[bool, ...]
    constants: int


_TOKEN = re.compile(
    r"\s*(?:(?<!\S)--?[a-zA-Z][\w-]*"  # a flag
    r"|(?:<[a-z]+>|<\*>|\w|[.$'@/-](?=[\w<])|(?<=\w):(?=<port>))+(?:\(\)|/)?"
    r"|[^\w\s])"
)
_VALUE_LIKE = re.compile(r".*(?:\d|_|[^.]\.[^.]|@|/|\(\)).*")
_SURE_VALUE = re.compile(r"<(?:[a-z]+|\*)>|\d|--?[a-zA-Z]|=")
_OPENING, _CLOSING = "([{<\"'`#$", frozenset(")]}>\"'`%")
_LITERALS = frozenset("true false null none nil yes no undefined nan".split())
_UNITS = frozenset(
    "s ms us ns sec secs second seconds min mins minute minutes h hour hours day days milliseconds "
    "microseconds b kb mb gb tb kib mib gib byte bytes percent".split()
)
_OWNERS = frozenset("user username account login host group package module table".split())
_AFTER_NAME = frozenset("from on at by in to via port with [ (".split())
_DESCRIPTION = re.compile(r".*(?:ed|ing|able|ible)|un.*|in.*|not|no")


@lru_cache(maxsize=8192)
def items_of(pattern: str) -> PatternItems:
    """Split a pattern into items.

    >>> [item.text for item in items_of("close, <n> bytes (<n> KB) sent by user").items]
    ['close', ' <n> bytes (<n> KB)', ' sent', ' by', ' user']
    """
    items: list[PatternItem] = []
    marks = ""  # punctuation since the last item
    tokens: list[str] = _TOKEN.findall(pattern)
    for token, following in zip(tokens, [*tokens[1:], ""], strict=False):
        last = items[-1] if items else None
        after_value = last is not None and last.kind is ItemKind.VALUE
        kind = _kind(token, following, last, marks)
        if kind is None:
            if after_value and not marks and token in _CLOSING:
                items[-1] = PatternItem(items[-1].text + token, ItemKind.VALUE, items[-1].lead)
            else:
                marks += token
            continue
        if kind is ItemKind.VALUE and after_value:
            items[-1] = PatternItem(items[-1].text + marks + token, ItemKind.VALUE, items[-1].lead)
        elif kind is ItemKind.VALUE and token[0] != " ":
            lead = marks.rstrip(_OPENING).rstrip()
            items.append(PatternItem(marks[len(lead) :] + token, kind, lead))
        else:
            items.append(PatternItem(token, kind, marks))
        marks = ""
    keys = tuple(item.key for item in items)
    constants = sum(item.kind is not ItemKind.VALUE for item in items)
    values = tuple(
        item.kind is ItemKind.VALUE
        and (constants >= FEWEST_CONSTANTS or _SURE_VALUE.search(item.text) is not None)
        for item in items
    )
    return PatternItems(tuple(items), marks, keys, values, constants)


def _kind(token: str, following: str, last: PatternItem | None, marks: str) -> ItemKind | None:
    """Classify a token; None for punctuation."""
    bare = token.lstrip()
    lowered = bare.lower()
    if len(bare) == 1 and not bare.isalnum() and bare not in "_=":
        return None
    after_value = last is not None and last.kind is ItemKind.VALUE and not marks
    is_value = (
        bare == "="
        or "<" in bare
        or bare[0] == "-"
        or (after_value and lowered in _UNITS)
        or (after_value and token == bare and last is not None and last.text.endswith("="))
        or (lowered in _LITERALS and marks.endswith((":", "=")))
    )
    if is_value:
        return ItemKind.VALUE
    if following == "=" or bare.isdigit():
        return ItemKind.FIXED
    if meaningful(bare):
        return (
            ItemKind.WORD if last and _is_name(lowered, following, last, marks) else ItemKind.FIXED
        )
    return ItemKind.VALUE if _VALUE_LIKE.fullmatch(bare) else ItemKind.WORD


def _is_name(word: str, following: str, last: PatternItem, marks: str) -> bool:
    """Tell whether an otherwise meaningful word is only a name here.

    "invalid user default from ..." and "no such table: orders" name a user and a table; "user
    unknown" and "user denied by ..." do not.
    """
    if marks == ":":
        return not following.strip() and is_thing(word) and last.key in LABELS
    return (
        not marks
        and last.key in _OWNERS
        and following.strip() in _AFTER_NAME
        and not _DESCRIPTION.fullmatch(word)
    )


OTHERS_SEEN = 2
"""Other words seen in the same place before it becomes a hole."""

_BEFORE_NAME = LABELS | frozenset(
    "for from to in on at by with of via named called using as into".split()
)
_IDENTIFIER = re.compile(r"\w*[a-z][A-Z]\w*")


@dataclass(frozen=True)
class Placement:
    """The template a pattern belongs to.

    `index` is the known template it joins (None for a new one), `template` the result, `absorbed`
    the other known templates that the result covers.
    """

    index: int | None
    template: str
    absorbed: tuple[int, ...] = ()


def shape_of(pattern: str) -> str:
    """Return the key shared by all patterns that may ever merge; merging never changes it.

    >>> shape_of("Invalid user oracle from <ip>")
    'invalid user * from *'
    >>> shape_of("file not found") == shape_of("file not readable")
    False
    """
    return " ".join(
        item.key if item.kind is ItemKind.FIXED else "*" for item in items_of(pattern).items
    )


def place(pattern: str, known: Sequence[str]) -> Placement:
    """Find the template a pattern joins; `known` has the same shape, oldest first.

    >>> place("Failed login for ada from <ip>", ["Failed login for <*> from <ip>"])
    Placement(index=0, template='Failed login for <*> from <ip>', absorbed=())
    >>> place("user not found", ["file not found", "key not found", "page not found"])
    Placement(index=None, template='user not found', absorbed=())
    """
    mine = items_of(pattern)
    if not mine.constants:
        return Placement(None, pattern)
    nearest: tuple[int, int] | None = None
    one_word_off: dict[int, list[int]] = {}
    for index, template in enumerate(known):
        values, words = _differences(mine, items_of(template))
        if not words:
            nearest = min(nearest or (values, index), (values, index))
        elif len(words) == 1:
            one_word_off.setdefault(words[0], []).append(index)
    if nearest:
        return _joined(pattern, nearest[1], known)
    for position, indexes in one_word_off.items():
        seen = {items_of(known[index]).keys[position] for index in indexes}
        if _may_vary(mine, position, seen):
            return _joined(pattern, indexes[0], known, position)
    return Placement(None, pattern)


def _differences(mine: PatternItems, theirs: PatternItems) -> tuple[int, list[int]]:
    """Return how many values differ, and the positions of the words that differ."""
    if len(mine.keys) != len(theirs.keys) or not theirs.constants:
        return 0, [-1, -1]  # nothing in common: as bad as many words
    different = list(compress(count(), map(ne, mine.keys, theirs.keys)))
    words = [i for i in different if not _may_differ(mine, theirs, i)]
    return len(different) - len(words), words


def _may_differ(mine: PatternItems, theirs: PatternItems, i: int) -> bool:
    return (mine.values[i] and theirs.values[i]) or HOLE in (mine.keys[i], theirs.keys[i])


def _may_vary(mine: PatternItems, position: int, seen: set[str]) -> bool:
    """Tell whether a word is a value, by its position and the words seen there before."""
    items, item = mine.items, mine.items[position]
    constants = mine.constants - 1
    others = len(seen - {item.key})
    before = items[position - 1] if position else None
    after = items[position + 1] if position + 1 < len(items) else None
    if constants < FEWEST_CONSTANTS or (after and after.kind is ItemKind.VALUE):
        return False
    if before is None or before.kind is ItemKind.VALUE:
        return False
    if item.lead.strip() == ":" and after is None:
        return others >= (1 if before.key.lower() in LABELS else OTHERS_SEEN)
    if item.lead.strip():
        return False
    if constants > FEWEST_CONSTANTS and _are_identifiers(seen | {item.key}):
        return True
    return others >= OTHERS_SEEN and before.key.lower() in _BEFORE_NAME


def _are_identifiers(words: set[str]) -> bool:
    return all(_IDENTIFIER.fullmatch(word) for word in words)


def _joined(pattern: str, index: int, known: Sequence[str], hole: int | None = None) -> Placement:
    """Widen the known template to cover the pattern, and absorb others it now covers."""
    template = _widened(items_of(known[index]), items_of(pattern), hole)
    absorbed: list[int] = []
    for other, candidate in enumerate(known):
        if other != index and not _differences(items_of(candidate), items_of(template))[1]:
            absorbed.append(other)
            template = _widened(items_of(template), items_of(candidate), None)
    if shape_of(template) != shape_of(pattern):
        return Placement(None, pattern)  # punctuation glued a hole to its neighbour
    return Placement(index, template, tuple(absorbed))


def _widened(template: PatternItems, other: PatternItems, hole: int | None) -> str:
    parts: list[str] = []
    for position, (a, b) in enumerate(zip(template.items, other.items, strict=True)):
        differs = a.key != b.key and a.kind is not ItemKind.FIXED
        parts.append(a.lead + (_hole(a, b) if position == hole or differs else a.text))
    return "".join(parts) + template.tail


def _hole(one: PatternItem, other: PatternItem) -> str:
    """Replace the difference by a hole; keep the space and punctuation around it."""
    a, b = one.text.lstrip(), other.text.lstrip()
    space = one.text[: len(one.text) - len(a)]
    start = end = 0
    shortest = min(len(a), len(b))
    while start < shortest and a[start] == b[start] and _outer(a[start]):
        start += 1
    while end < shortest - start and a[-1 - end] == b[-1 - end] and _outer(a[-1 - end]):
        end += 1
    return space + a[:start] + HOLE + a[len(a) - end :]


def _outer(mark: str) -> bool:
    return not mark.isalnum() and mark not in "<>*"


@dataclass
class Groups:
    """Groups of errors in memory, built as `ErrorStore` builds them in the database.

    >>> groups = Groups()
    >>> [groups.add(f"worker {name} took {n} seconds") for n, name in enumerate(("w1", "w2"))]
    [0, 0]
    >>> groups.templates
    {0: 'worker <*> took <n> seconds'}
    """

    templates: dict[int, str] = field(default_factory=dict[int, str])
    _by_pattern: dict[str, int] = field(default_factory=dict[str, int])
    _by_shape: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    _merged_into: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, error: str) -> int:
        """Return the group of an error, a new one if necessary."""
        pattern = pattern_of(error)
        if pattern not in self._by_pattern:
            self._by_pattern[pattern] = self._placed(pattern)
        return self.current(self._by_pattern[pattern])

    def current(self, group: int) -> int:
        """Return the group that an earlier one was merged into, if it was."""
        while group in self._merged_into:
            group = self._merged_into[group]
        return group

    def _placed(self, pattern: str) -> int:
        peers = self._by_shape.setdefault(shape_of(pattern), [])
        placement = place(pattern, [self.templates[group] for group in peers])
        if placement.index is None:
            group = len(self.templates) + len(self._merged_into)
            peers.append(group)
        else:
            group = peers[placement.index]
        self.templates[group] = placement.template
        for absorbed in [peers[index] for index in placement.absorbed]:
            self._merged_into[absorbed] = group
            peers.remove(absorbed)
            del self.templates[absorbed]
        return group
