"""Translate one line of a table into an expression over words; the notation is told in the table.

The words that every match must have are found on the way: they say which lines are worth trying
on a text, so that most texts are done with after one look at their words.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from seasoned.corrections.tokens import ANY_WORD, FIRST, HARD, LAST

_ELEMENT = re.compile(r"<(?:un)?wanted>|\{\d+,\d+\}|[()|?^$,;!~&]|[^\s()|?^$,;!~&{}<>]+")
_SIGNS = {
    "^": f"(?<=[{HARD},])",
    "$": f"(?=[{HARD},])",
    "START": f"(?<={FIRST})",
    "END": rf"(?=\??{LAST})",
    ",": "[,.!]",
    ";": ",",
    "_": ANY_WORD,
}


@dataclass(frozen=True)
class Line:
    """An expression, and for each word it needs the characters of which one must be there."""

    source: str
    needed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notation:
    """What a line is read with: the characters of a word or class, and what a piece is."""

    codes: Callable[[str], str]
    open_ended: Callable[[str], bool]  # a class of which not all words are known
    piece: str  # the expression of what is wanted, or not
    rarity: Callable[
        [str], tuple[bool, int, int]
    ]  # of the words for these characters, rarest first

    def read(self, line: str) -> Line:
        elements = _ELEMENT.findall(line)
        read, end = self._alternatives(elements, 0)
        if end != len(elements):
            raise ValueError(f"{line!r}: a bracket too many after {elements[:end]}")
        return read

    def _alternatives(self, elements: list[str], at: int) -> tuple[Line, int]:
        branches: list[Line] = []
        while True:
            branch, at = self._sequence(elements, at)
            branches.append(branch)
            if at < len(elements) and elements[at] == "|":
                at += 1
                continue
            break
        if len(branches) == 1:
            return branches[0], at
        source = "|".join(branch.source for branch in branches)
        if all(branch.needed for branch in branches):
            return Line(source, ("".join(min(b.needed, key=self.rarity) for b in branches),)), at
        return Line(source), at

    def _sequence(self, elements: list[str], at: int) -> tuple[Line, int]:
        source, needed = "", ()
        while at < len(elements) and elements[at] not in "|)":
            item, at = self._item(elements, at)
            source += item.source
            needed += item.needed
        return Line(source, needed), at

    def _item(self, elements: list[str], at: int) -> tuple[Line, int]:
        if elements[at] == "!":
            item, at = self._item(elements, at + 1)
            return Line(f"(?!{item.source})"), at
        if elements[at] == "&":
            item, at = self._item(elements, at + 1)
            return Line(f"(?={item.source})", item.needed), at
        if elements[at] == "~":
            return Line(f"(?<=[{HARD},{self.codes(elements[at + 1])}])"), at + 2
        atom, at = self._atom(elements, at)
        if at < len(elements) and (elements[at] == "?" or elements[at][0] == "{"):
            optional = elements[at] == "?" or elements[at].startswith("{0")
            return Line(atom.source + elements[at], () if optional else atom.needed), at + 1
        return atom, at

    def _atom(self, elements: list[str], at: int) -> tuple[Line, int]:
        element = elements[at]
        if element == "(":
            inner, at = self._alternatives(elements, at + 1)
            if at >= len(elements):
                raise ValueError(f"{' '.join(elements)!r}: a bracket is not closed")
            return Line(f"(?:{inner.source})", inner.needed), at + 1
        if element in _SIGNS:
            return Line(_SIGNS[element]), at + 1
        if element[0] == "<":
            return Line(f"(?P{element}{self.piece})"), at + 1
        codes = self.codes(element)
        source = codes if len(codes) == 1 else f"[{codes}]"
        return Line(source, () if self.open_ended(element) else (codes,)), at + 1
