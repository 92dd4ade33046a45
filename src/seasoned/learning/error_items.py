"""Cut a pattern into words and values, so that two patterns can be laid side by side."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from seasoned.learning.error_words import LABELS, is_thing, meaningful

HOLE = "<*>"

FEWEST_CONSTANTS = 3
"""Words that must be the same before a word, or a name like open(), may be taken for a value."""


class Kind(Enum):
    """What may happen to an item of a pattern."""

    FIXED = auto()  # a word that carries the meaning: never a hole
    WORD = auto()  # a name or noun: a hole when it has shown that it varies
    VALUE = auto()  # looks like a value: a hole as soon as another one is seen


@dataclass(frozen=True, slots=True)
class Item:
    """A word, or a run of values and what stands between them; `lead` is punctuation before."""

    text: str
    kind: Kind
    lead: str = ""

    @property
    def key(self) -> str:
        """What has to be equal for two items to be the same."""
        return self.text.strip().lower() if self.kind is Kind.FIXED else self.text.strip()


@dataclass(frozen=True, slots=True)
class Items:
    """All of a pattern: its items, and the punctuation after the last one."""

    items: tuple[Item, ...]
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
def items_of(pattern: str) -> Items:
    """The items of a pattern.

    >>> [item.text for item in items_of("close, <n> bytes (<n> KB) sent by user").items]
    ['close', ' <n> bytes (<n> KB)', ' sent', ' by', ' user']
    """
    items: list[Item] = []
    marks = ""  # punctuation since the last item
    tokens: list[str] = _TOKEN.findall(pattern)
    for token, following in zip(tokens, [*tokens[1:], ""], strict=False):
        last = items[-1] if items else None
        after_value = last is not None and last.kind is Kind.VALUE
        kind = _kind(token, following, last, marks)
        if kind is None:
            if after_value and not marks and token in _CLOSING:
                items[-1] = Item(items[-1].text + token, Kind.VALUE, items[-1].lead)
            else:
                marks += token
            continue
        if kind is Kind.VALUE and after_value:
            items[-1] = Item(items[-1].text + marks + token, Kind.VALUE, items[-1].lead)
        elif kind is Kind.VALUE and token[0] != " ":
            lead = marks.rstrip(_OPENING).rstrip()
            items.append(Item(marks[len(lead) :] + token, kind, lead))
        else:
            items.append(Item(token, kind, marks))
        marks = ""
    keys = tuple(item.key for item in items)
    constants = sum(item.kind is not Kind.VALUE for item in items)
    values = tuple(
        item.kind is Kind.VALUE
        and (constants >= FEWEST_CONSTANTS or _SURE_VALUE.search(item.text) is not None)
        for item in items
    )
    return Items(tuple(items), marks, keys, values, constants)


def _kind(token: str, following: str, last: Item | None, marks: str) -> Kind | None:
    """The kind of a token, or None for punctuation."""
    bare = token.lstrip()
    lowered = bare.lower()
    if len(bare) == 1 and not bare.isalnum() and bare not in "_=":
        return None
    after_value = last is not None and last.kind is Kind.VALUE and not marks
    is_value = (
        bare == "="
        or "<" in bare
        or bare[0] == "-"
        or (after_value and lowered in _UNITS)
        or (after_value and token == bare and last is not None and last.text.endswith("="))
        or (lowered in _LITERALS and marks.endswith((":", "=")))
    )
    if is_value:
        return Kind.VALUE
    if following == "=" or bare.isdigit():
        return Kind.FIXED
    if meaningful(bare):
        return Kind.WORD if last and _is_name(lowered, following, last, marks) else Kind.FIXED
    return Kind.VALUE if _VALUE_LIKE.fullmatch(bare) else Kind.WORD


def _is_name(word: str, following: str, last: Item, marks: str) -> bool:
    """Whether a word that elsewhere means something is only a name here.

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
