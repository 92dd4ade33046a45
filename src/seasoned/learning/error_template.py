"""Merge near-identical patterns of one tool into one template, without mixing two mistakes.

Two patterns may join only when every meaningful word of them is the same, in the same order. What
differs between them must be a value by its looks, or must have shown several times that it varies,
where values stand. A wrong merge gives an agent a wrong fix; a missed one only costs time.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from operator import ne

from seasoned.learning.error_items import FEWEST_CONSTANTS, HOLE, Item, Items, Kind, items_of
from seasoned.learning.error_pattern import pattern_of
from seasoned.learning.error_words import LABELS

OTHERS_SEEN = 2
"""Other words that must have stood in the same place before it becomes a hole."""

_BEFORE_NAME = LABELS | frozenset(
    "for from to in on at by with of via named called using as into".split()
)
_IDENTIFIER = re.compile(r"\w*[a-z][A-Z]\w*")


@dataclass(frozen=True)
class Placement:
    """Where a pattern belongs.

    `index` is the known template it joins (None: a new group), `template` what that becomes, and
    `absorbed` are the other known templates that it now covers and takes in.
    """

    index: int | None
    template: str
    absorbed: tuple[int, ...] = ()


def shape_of(pattern: str) -> str:
    """The key under which patterns that may ever merge are found; widening never changes it.

    >>> shape_of("Invalid user oracle from <ip>")
    'invalid user * from *'
    >>> shape_of("file not found") == shape_of("file not readable")
    False
    """
    return " ".join(
        item.key if item.kind is Kind.FIXED else "*" for item in items_of(pattern).items
    )


def place(pattern: str, known: Sequence[str]) -> Placement:
    """Which of the known templates of the same shape, oldest first, a pattern joins.

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


def _differences(mine: Items, theirs: Items) -> tuple[int, list[int]]:
    """How many values differ, and the positions of the words that do."""
    if len(mine.keys) != len(theirs.keys) or not theirs.constants:
        return 0, [-1, -1]  # nothing in common: as bad as many words
    different = list(compress(count(), map(ne, mine.keys, theirs.keys)))
    words = [i for i in different if not _may_differ(mine, theirs, i)]
    return len(different) - len(words), words


def _may_differ(mine: Items, theirs: Items, i: int) -> bool:
    return (mine.values[i] and theirs.values[i]) or HOLE in (mine.keys[i], theirs.keys[i])


def _may_vary(mine: Items, position: int, seen: set[str]) -> bool:
    """Whether the word at a position is a value, by its place and by the others seen there."""
    items, item = mine.items, mine.items[position]
    constants = mine.constants - 1
    others = len(seen - {item.key})
    before = items[position - 1] if position else None
    after = items[position + 1] if position + 1 < len(items) else None
    if constants < FEWEST_CONSTANTS or (after and after.kind is Kind.VALUE):
        return False
    if before is None or before.kind is Kind.VALUE:
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
    """The known template, widened to cover the pattern, and then all it has come to cover."""
    template = _widened(items_of(known[index]), items_of(pattern), hole)
    absorbed: list[int] = []
    for other, candidate in enumerate(known):
        if other != index and not _differences(items_of(candidate), items_of(template))[1]:
            absorbed.append(other)
            template = _widened(items_of(template), items_of(candidate), None)
    if shape_of(template) != shape_of(pattern):
        return Placement(None, pattern)  # punctuation glued a hole to its neighbour
    return Placement(index, template, tuple(absorbed))


def _widened(template: Items, other: Items, hole: int | None) -> str:
    parts: list[str] = []
    for position, (a, b) in enumerate(zip(template.items, other.items, strict=True)):
        differs = a.key != b.key and a.kind is not Kind.FIXED
        parts.append(a.lead + (_hole(a, b) if position == hole or differs else a.text))
    return "".join(parts) + template.tail


def _hole(one: Item, other: Item) -> str:
    """A hole for what differs, keeping the space and the punctuation that both have around it."""
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
    """Groups of errors, in memory: the same steps that a store takes with a database.

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
        """The group of an error, a new one if need be."""
        pattern = pattern_of(error)
        if pattern not in self._by_pattern:
            self._by_pattern[pattern] = self._placed(pattern)
        return self.current(self._by_pattern[pattern])

    def current(self, group: int) -> int:
        """The group that an earlier answer has become part of since."""
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
