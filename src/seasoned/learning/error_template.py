"""Merge near-identical patterns of one tool into one template, without mixing two mistakes.

Two patterns may join only when every meaningful word of them is the same, in the same order. What
differs between them must be a value by its looks, or must have shown several times that it varies.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from seasoned.learning.error_words import DESCRIBED_BY, meaningful

HOLE = "<*>"

_TOKEN = re.compile(r"\s*(?:(?:<[a-z]+>|<\*>|\w|[.$'@/-](?=[\w<])|(?<=\w):(?=<port>))+(?:\(\)|/)?|[^\w\s])")
_VALUE_LIKE = re.compile(r".*(?:\d|_|[^.]\.[^.]|@|/|\(\)).*")
_IDENTIFIER = re.compile(r"\w*[a-z][A-Z]\w*")
_LABELS = frozenset(
    "user username account login host group package module table column database service container image "
    "branch command option flag argument parameter field attribute property variable function method class "
    "type key name index role topic queue bucket device node".split()
)
_BEFORE_VALUE = _LABELS | frozenset("for from to in on at by with of via named called using as into".split())
_OWNERS = frozenset("user username account login host group package module table".split())
_AFTER_LABEL = frozenset("from on at by in to via port with [ (".split())
_OPEN, _CLOSE = "([{<\"'`#$", ")]}>\"'`%"
_LITERALS = frozenset("true false null none nil yes no undefined nan".split())
_UNITS = frozenset(
    "s ms us ns sec secs second seconds min mins minute minutes h hour hours day days b kb mb gb tb kib mib "
    "gib byte bytes milliseconds microseconds percent".split()
)
_PARTICIPLE = re.compile(r".*(?:ed|ing|able|ible)|un.*|in.*|not|no")
_MIN_CONSTANTS = 3
_LONG = 6


@dataclass(frozen=True)
class Placement:
    """Where a pattern belongs: which known template, what that becomes, and which others it now covers."""

    index: int | None
    template: str
    absorbed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Item:
    """A word, or a run of values with the punctuation between them."""

    text: str
    kind: str  # "fixed": a meaningful word; "word": a name or noun; "value"
    lead: str = ""  # punctuation before it


@lru_cache(maxsize=8192)
def items_of(pattern: str) -> tuple[tuple[Item, ...], str]:
    """The items of a pattern, and the punctuation after the last one."""
    items: list[Item] = []
    marks = ""  # punctuation since the last item
    tokens: list[str] = _TOKEN.findall(pattern)
    for index, token in enumerate(tokens):
        bare = token.lstrip()
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        previous = items[-1] if items else None
        kind = _kind(token, bare, following, previous, marks)
        if kind == "mark":
            if previous and not marks and bare in _CLOSE and previous.kind == "value":
                items[-1] = Item(previous.text + token, "value", previous.lead)
            else:
                marks += token
        elif kind == "value" and previous and previous.kind == "value":
            items[-1] = Item(previous.text + marks + token, "value", previous.lead)
            marks = ""
        elif kind == "value":
            lead = marks.rstrip(_OPEN) if token == bare else marks
            opened = marks[len(lead) :]
            space = lead[len(lead.rstrip()) :] if opened else ""
            items.append(Item(space + opened + token, kind, lead[: len(lead) - len(space)]))
            marks = ""
        else:
            items.append(Item(token, kind, marks))
            marks = ""
    return tuple(items), marks


def _kind(token: str, bare: str, following: str, previous: Item | None, marks: str) -> str:
    if bare == "=":
        return "value"
    if len(bare) == 1 and not bare.isalnum() and bare != "_":
        return "mark"
    if "<" in bare:
        return "value"
    if previous is not None and previous.kind == "value" and not marks:
        if previous.text.endswith("=") and token == bare:
            return "value"
        if bare.lower() in _UNITS:
            return "value"
    if following == "=":
        return "fixed"
    if bare.isdigit():
        return "fixed"
    if bare.lower() in _LITERALS and marks.endswith((":", "=")):
        return "value"
    if meaningful(bare):
        labelled = previous is not None and not marks and previous.text.strip().lower() in _OWNERS
        if labelled and following.strip() in _AFTER_LABEL and not _PARTICIPLE.fullmatch(bare):
            return "word"
        return "fixed"
    return "value" if _VALUE_LIKE.fullmatch(bare) else "word"


def shape_of(pattern: str) -> str:
    """The key under which patterns that may ever merge are found; widening never changes it.

    >>> shape_of("Invalid user oracle from <ip>") == shape_of("Invalid user guest from <ip>")
    True
    >>> shape_of("file not found") == shape_of("file not readable")
    False
    """
    items, _ = items_of(pattern)
    return " ".join(item.text.strip().lower() if item.kind == "fixed" else "*" for item in items)


def place(pattern: str, known: Sequence[str]) -> Placement:
    """Which of the known templates of the same shape, oldest first, a pattern joins.

    >>> place("Failed login for root from <ip>", ["Failed login for <*> from <ip>"])
    Placement(index=0, template='Failed login for <*> from <ip>', absorbed=())
    >>> place("user not found", ["file not found"])
    Placement(index=None, template='user not found', absorbed=())
    """
    mine, _ = items_of(pattern)
    if all(item.kind == "value" for item in mine):
        return Placement(None, pattern)
    by_position: dict[int, list[int]] = {}
    best: tuple[int, int] | None = None
    for index, template in enumerate(known):
        theirs, _ = items_of(template)
        if len(theirs) != len(mine):
            continue
        free, doubtful = _differences(mine, theirs)
        if not doubtful:
            if best is None or free < best[0]:
                best = (free, index)
        elif len(doubtful) == 1:
            by_position.setdefault(doubtful[0], []).append(index)
    if best is not None:
        return _joined(pattern, best[1], known)
    for position, indexes in by_position.items():
        if _may_vary(mine, position, {_item(known[i], position).text for i in indexes}):
            return _joined(pattern, indexes[0], known, position)
    return Placement(None, pattern)


def _item(pattern: str, position: int) -> Item:
    return items_of(pattern)[0][position]


def _differences(mine: Sequence[Item], theirs: Sequence[Item]) -> tuple[int, list[int]]:
    free, doubtful = 0, list[int]()
    for position, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        if a.text == b.text or (a.kind == b.kind == "fixed"):
            continue
        if a.kind == b.kind == "value" or b.text.strip() == HOLE or a.text.strip() == HOLE:
            free += 1
        else:
            doubtful.append(position)
            if len(doubtful) > 1:
                break
    return free, doubtful


def _may_vary(items: Sequence[Item], position: int, seen: set[str]) -> bool:
    """Whether the word at a position is a value, judging by its place and by the others seen there."""
    item = items[position]
    constants = sum(i.kind != "value" for i in items) - 1
    if item.kind == "fixed" or constants < 2:
        return False
    others = len(seen - {item.text})
    if position and position == len(items) - 1 and item.lead.strip() == ":":
        return constants > 2 and others >= (1 if items[position - 1].text.strip().lower() in _LABELS else 2)
    if constants < _MIN_CONSTANTS:
        return False
    if constants > _MIN_CONSTANTS and all(
        _IDENTIFIER.fullmatch(text.strip()) for text in (*seen, item.text)
    ):
        return True
    if position == 0 or item.lead.strip():
        return False
    return others >= 2 and items[position - 1].text.strip().lower() in _BEFORE_VALUE


def _joined(pattern: str, index: int, known: Sequence[str], hole: int | None = None) -> Placement:
    template = _widened(known[index], pattern, hole)
    items, _ = items_of(template)
    absorbed: list[int] = []
    for other, candidate in enumerate(known):
        if other == index:
            continue
        theirs, _ = items_of(candidate)
        if len(theirs) == len(items) and not _differences(theirs, items)[1]:
            absorbed.append(other)
            template = _widened(template, candidate, None)
            items, _ = items_of(template)
    return Placement(index, template, tuple(absorbed))


def _widened(template: str, pattern: str, hole: int | None) -> str:
    items, tail = items_of(template)
    others, _ = items_of(pattern)
    parts: list[str] = []
    for position, (a, b) in enumerate(zip(items, others, strict=True)):
        text = a.text
        if position == hole or (a.text != b.text and a.kind != "fixed"):
            text = _hole(a.text, b.text)
        parts.append(a.lead + text)
    return "".join(parts) + tail


def _hole(mine: str, other: str) -> str:
    """A hole for what differs, keeping the space and the punctuation that both have around it."""
    start, end = 0, 0
    shortest = min(len(mine), len(other))
    while start < shortest and mine[start] == other[start] and _outer(mine[start]):
        start += 1
    while end < shortest - start and mine[-1 - end] == other[-1 - end] and _outer(mine[-1 - end]):
        end += 1
    return mine[:start] + HOLE + mine[len(mine) - end :]


def _outer(mark: str) -> bool:
    return not mark.isalnum() and mark not in "<>*"


@dataclass
class Groups:
    """Groups of errors, in memory: the same steps that a store takes with a database.

    >>> groups = Groups()
    >>> [groups.add(f"worker {name}: took 12 s") for name in ("w1", "w2")]
    [0, 0]
    """

    templates: dict[int, str] = field(default_factory=dict[int, str])
    _group_of: dict[str, int] = field(default_factory=dict[str, int])
    _shapes: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    _merged: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, error: str) -> int:
        from seasoned.learning.error_pattern import pattern_of

        pattern = pattern_of(error)
        if (group := self._group_of.get(pattern)) is None:
            group = self._group_of[pattern] = self._placed(pattern)
        return self.current(group)

    def current(self, group: int) -> int:
        """The group that this one has been merged into, if any."""
        while group in self._merged:
            group = self._merged[group]
        return group

    def _placed(self, pattern: str) -> int:
        peers = self._shapes.setdefault(shape_of(pattern), [])
        placement = place(pattern, [self.templates[group] for group in peers])
        if placement.index is None:
            group = len(self.templates) + len(self._merged)
            peers.append(group)
        else:
            group = peers[placement.index]
        self.templates[group] = placement.template
        for absorbed in [peers[index] for index in placement.absorbed]:
            self._merged[absorbed] = group
            peers.remove(absorbed)
            del self.templates[absorbed]
        return group
