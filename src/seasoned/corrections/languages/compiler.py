"""Compile a phrase table: words into a lexicon, lines into expressions over its codes.

Each line also yields the words that every match must have. They decide which lines to try on a
text, so that one look at its words is enough for most texts.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from seasoned.corrections.correction import CorrectionKind
from seasoned.corrections.languages.language import (
    ANY_WORD,
    FIRST,
    FIRST_ENDING,
    FIRST_WORD,
    HARD,
    LAST,
    Language,
    Lexicon,
    Phrase,
    PhraseGuard,
    unspaced_pattern,
)
from seasoned.corrections.languages.table import PhraseTable
from seasoned.corrections.languages.text import fold_word

_CLASS = re.compile(r"[A-Z][A-Z_0-9]*")
_LETTERS = re.compile(r"[^\W\d_]+")
_INNER = re.compile(r"\w'\w")
TURNS = ("answers", "replies", "objects", "missed", "failed", "claimed")
_PIECE = 8  # words: what is wanted or unwanted is rarely longer
_UNSPACED_PIECE = 16  # characters
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


class CompiledLine(NamedTuple):  # made by the ten thousand: cheaper than a dataclass
    """An expression, and for each needed word the codes of which a match has one."""

    source: str
    needed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notation:
    """A reader of the notation of phrase tables (see `table.py`)."""

    codes: Callable[[str], str]  # of a word or class
    open_ended: Callable[[str], bool]  # whether not all words of a class are known
    piece: str  # the expression of a wanted or unwanted piece
    rarity: Callable[[str], tuple[bool, int, int]]  # sort key of codes, rarest first

    def read(self, line: str) -> CompiledLine:
        elements = _ELEMENT.findall(line)
        read, end = self._alternatives(elements, 0)
        if end != len(elements):
            raise ValueError(f"{line!r}: a bracket too many after {elements[:end]}")
        return read

    def _alternatives(self, elements: list[str], at: int) -> tuple[CompiledLine, int]:
        branches: list[CompiledLine] = []
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
            return CompiledLine(
                source, ("".join(min(b.needed, key=self.rarity) for b in branches),)
            ), at
        return CompiledLine(source), at

    def _sequence(self, elements: list[str], at: int) -> tuple[CompiledLine, int]:
        source, needed = "", ()
        while at < len(elements) and elements[at] not in "|)":
            item, at = self._item(elements, at)
            source += item.source
            needed += item.needed
        return CompiledLine(source, needed), at

    def _item(self, elements: list[str], at: int) -> tuple[CompiledLine, int]:
        if elements[at] == "!":
            item, at = self._item(elements, at + 1)
            return CompiledLine(f"(?!{item.source})"), at
        if elements[at] == "&":
            item, at = self._item(elements, at + 1)
            return CompiledLine(f"(?={item.source})", item.needed), at
        if elements[at] == "~":
            return CompiledLine(f"(?<=[{HARD},{self.codes(elements[at + 1])}])"), at + 2
        atom, at = self._atom(elements, at)
        if at < len(elements) and (elements[at] == "?" or elements[at][0] == "{"):
            optional = elements[at] == "?" or elements[at].startswith("{0")
            return CompiledLine(atom.source + elements[at], () if optional else atom.needed), at + 1
        return atom, at

    def _atom(self, elements: list[str], at: int) -> tuple[CompiledLine, int]:
        element = elements[at]
        if element == "(":
            inner, at = self._alternatives(elements, at + 1)
            if at >= len(elements):
                raise ValueError(f"{' '.join(elements)!r}: a bracket is not closed")
            return CompiledLine(f"(?:{inner.source})", inner.needed), at + 1
        if element in _SIGNS:
            return CompiledLine(_SIGNS[element]), at + 1
        if element[0] == "<":
            return CompiledLine(f"(?P{element}{self.piece})"), at + 1
        codes = self.codes(element)
        source = codes if len(codes) == 1 else f"[{codes}]"
        return CompiledLine(source, () if self.open_ended(element) else (codes,)), at + 1


def compile_language(table: PhraseTable) -> Language:
    """Compile a phrase table; raise ValueError with the line that cannot be read."""
    return _Compilation(table).language()


class _Compilation:
    def __init__(self, table: PhraseTable) -> None:
        self.table = table
        self.codes: dict[str, str] = {}  # the character of each word
        self.lengths: dict[str, int] = {}  # of the word of each character
        self.common = frozenset(map(fold_word, table.common.split()))
        self.common_codes: set[str] = set()
        self.classes = {name: self._class_words(name) for name in table.classes}
        self.endings = {
            ending: chr(ord(FIRST_ENDING) + number)
            for number, name in enumerate(table.endings)
            for ending in table.endings[name].split()
        }
        self.spoken: dict[str, str] = {}
        for forms, meant in table.spoken.items():
            codes = "".join(self._code(fold_word(word)) for word in meant.split())
            self.spoken |= {fold_word(form): codes for form in forms.split()}
        self.notation = Notation(
            self._element, table.endings.__contains__, self._piece(), self._rarity
        )

    def language(self) -> Language:
        lines = [(head, text, self._read(text)) for head, text in _sections(self.table.phrases)]
        guards = tuple(self._guards())
        words = self._words()
        forms = _forms(words)
        return Language(
            self.table.code,
            self._lexicon(words),
            tuple(self._phrase(head, text, line, forms) for head, text, line in lines),
            guards,
            frozenset(self._code(word) for word in self.classes.get("AND", ())),
            {ord(old): new for old, new in self.table.variants.items()},
            self.common.union(*forms.values()),
        )

    def _read(self, text: str) -> CompiledLine:
        if self.table.elides:
            text = re.sub(r"(\w')(?=\w)", r"\1 ", text)
        try:
            return self.notation.read(text)
        except (KeyError, IndexError, ValueError) as error:
            raise ValueError(
                f"language {self.table.code}: cannot read {text!r}: {error}"
            ) from error

    def _phrase(
        self, head: list[str], text: str, line: CompiledLine, forms: Mapping[str, frozenset[str]]
    ) -> Phrase:
        none = frozenset[str]()
        codes = sorted(line.needed, key=self._rarity)
        needed = [none.union(*(forms.get(code, none) for code in one)) for one in codes]
        if not needed:
            raise ValueError(f"language {self.table.code}: {text!r} needs no word; write two lines")
        kind, score, *options = head
        turn = next((option for option in options if option in TURNS), "")
        asked = "asked" in options
        source = self._bounded(text, line.source)
        return Phrase(CorrectionKind(kind), float(score), asked, turn, text, source, tuple(needed))

    def _bounded(self, text: str, source: str) -> str:
        """Let a line with two pieces before a pause match only where a pause is near."""
        if not text.endswith((" $", " END")) or source.count("(?P<") < 2:
            return source
        near = 3 * (_PIECE if self.table.spaced else _UNSPACED_PIECE)
        pause = f"[{HARD},]"
        return source.replace("(?P<", f"(?=[^{HARD},]{{0,{near}}}{pause})(?P<", 1)

    def _guards(self) -> Iterator[PhraseGuard]:
        """Yield one guard for each section."""
        sections: dict[tuple[str, ...], list[str]] = {}
        for head, text in _sections(self.table.guards):
            sections.setdefault(tuple(head), []).append(self._read(text).source)
        for (place, leaves, *options), sources in sections.items():
            kinds = frozenset(CorrectionKind(option) for option in options if option != "question")
            yield PhraseGuard(place, float(leaves), "question" in options, kinds, "|".join(sources))

    def _piece(self) -> str:
        """Return the expression of a piece: words of which none begins another statement."""
        longest = _PIECE if self.table.spaced else _UNSPACED_PIECE
        apart = "".join(map(self._code, self.classes.get("APART", ())))
        word = f"(?![{apart}]){ANY_WORD}" if apart else ANY_WORD
        return f"(?:{word}){{1,{longest}}}?"

    def _rarity(self, codes: str) -> tuple[bool, int, int]:
        """Return a sort key: words of few texts first; of two, the longer one is rarer."""
        shortest = min(self.lengths[code] for code in codes)
        return not self.common_codes.isdisjoint(codes), len(codes), -shortest

    # ---- words

    def _lexicon(self, words: dict[str, str]) -> Lexicon:
        if self.table.spaced:
            return Lexicon(words, self.endings, elides=self.table.elides, spaced=True)
        return Lexicon(words, {}, elides=False, spaced=False, pattern=unspaced_pattern(words))

    def _class_words(self, name: str) -> tuple[str, ...]:
        found: list[str] = []
        for word in self.table.classes[name].split():
            if _CLASS.fullmatch(word):
                found.extend(self._class_words(word))
            else:
                found.append(fold_word(word))
                self._code(fold_word(word))
        return tuple(dict.fromkeys(found))

    def _code(self, word: str) -> str:
        code = self.codes.get(word)
        if code is None:
            code = self.codes[word] = chr(ord(FIRST_WORD) + len(self.codes))
            self.lengths[code] = len(word)
            if word in self.common:
                self.common_codes.add(code)
        return code

    def _element(self, element: str) -> str:
        """Return the codes of a word, or of all words of a class."""
        if not _CLASS.fullmatch(element):
            return self._code(fold_word(element))
        if element in self.table.endings:
            endings = tuple(self.table.endings[element].split())
            known = [code for word, code in self.codes.items() if word.endswith(endings)]
            return "".join([*(self.endings[ending] for ending in endings), *known])
        return "".join(map(self._code, self.classes[element]))

    def _words(self) -> dict[str, str]:
        """Return the codes of every known form: correct, mistyped, colloquial, and fillers."""
        fillers = {fold_word(word): "" for word in self.table.fillers.split()}
        if twice := fillers.keys() & self.codes.keys():
            raise ValueError(f"language {self.table.code}: both used and a filler: {sorted(twice)}")
        words = self.codes | self.spoken | fillers
        if self.table.spaced:
            written = [*self.table.classes.values(), *self.table.spoken, self.table.fillers]
            for word in " ".join(written).split():
                if (code := words.get(fold_word(word))) is not None:
                    for form in (without_umlauts(word), *typing_slips(fold_word(word))):
                        words.setdefault(form, code)
        return words


def _sections(table: str) -> Iterator[tuple[list[str], str]]:
    """Yield the lines of a table, each with the head of its section."""
    head: list[str] = []
    for line in table.splitlines():
        text = line.partition("#")[0].rstrip()
        if text.startswith(" "):
            yield head, text.strip()
        elif text:
            head = text.split()


def _forms(words: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return for each code the words that show it: a form, or its longest run of letters."""
    forms: dict[str, set[str]] = {}
    for word, codes in words.items():
        shown = word if _INNER.search(word) else max(_LETTERS.findall(word) or [word], key=len)
        for code in codes:
            forms.setdefault(code, set()).add(shown)
    return {code: frozenset(found) for code, found in forms.items()}


def without_umlauts(word: str) -> str:
    """Return a word as it is typed on a keyboard without umlauts.

    >>> without_umlauts("größer")
    'groesser'
    """
    for letter, spelled in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        word = word.replace(letter, spelled)
    return fold_word(word)


def typing_slips(word: str) -> Iterator[str]:
    """Yield the commonest typos of a long word: letters swapped, a double letter typed once.

    >>> list(typing_slips("wrong")), list(typing_slips("correct"))[1]
    (['worng', 'wrnog', 'wrogn'], 'corect')
    """
    if len(word) < 5 or not word.isalpha():
        return
    for place in range(1, len(word) - 1):
        if word[place] == word[place + 1]:
            yield word[:place] + word[place + 1 :]
        else:
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
