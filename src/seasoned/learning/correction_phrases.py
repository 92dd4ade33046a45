"""Read a language's table: words into a lexicon, phrases into expressions over its words."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from seasoned.learning.correction import Kind
from seasoned.learning.correction_grammar import Line, Notation
from seasoned.learning.correction_table import Table
from seasoned.learning.correction_text import folded
from seasoned.learning.correction_tokens import FIRST_ENDING, FIRST_WORD, Lexicon, unspaced

_CLASS = re.compile(r"[A-Z][A-Z_0-9]*")
_LETTERS = re.compile(r"[^\W\d_]+")
_PIECE = 8  # words: what is wanted, or not, is rarely longer
_UNSPACED_PIECE = 16  # characters


@dataclass(frozen=True)
class Phrase:
    """One line of a table."""

    kind: Kind
    score: float
    asked: bool  # corrects even in a question
    line: str
    source: str
    key: frozenset[str]  # one of these words stands in every text that has the phrase
    needed: tuple[frozenset[str], ...]  # and one of each of these

    @cached_property
    def expression(self) -> re.Pattern[str]:
        return re.compile(self.source)


@dataclass(frozen=True)
class Guard:
    """What makes a phrase mean something else, and where to look for it."""

    place: str
    leaves: float
    question: bool
    kinds: frozenset[Kind]  # none: all kinds
    source: str

    @cached_property
    def expression(self) -> re.Pattern[str]:
        return re.compile(self.source)

    def concerns(self, phrase: Phrase) -> bool:
        if self.question and phrase.asked:
            return False
        return not self.kinds or phrase.kind in self.kinds


@dataclass(frozen=True)
class Language:
    """A table made ready to be searched with."""

    code: str
    lexicon: Lexicon
    phrases: tuple[Phrase, ...]
    guards: tuple[Guard, ...]
    joining: frozenset[str]  # the characters of AND: what begins another clause
    variants: Mapping[int, str]


def language(table: Table) -> Language:
    """The language of a table; a line that cannot be read is an error that names it."""
    return _Reading(table).language()


class _Reading:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.codes: dict[str, str] = {}  # a word, and the character that stands for it
        self.classes = {name: self._class_words(name) for name in table.classes}
        self.endings = {
            ending: chr(ord(FIRST_ENDING) + number)
            for number, name in enumerate(table.endings)
            for ending in table.endings[name].split()
        }
        self.spoken: dict[str, str] = {}
        for forms, meant in table.spoken.items():
            codes = "".join(self._code(folded(word)) for word in meant.split())
            self.spoken |= {folded(form): codes for form in forms.split()}
        self.notation = Notation(
            self._element, table.endings.__contains__, _PIECE if table.spaced else _UNSPACED_PIECE
        )

    def language(self) -> Language:
        lines = [(head, text, self._read(text)) for head, text in _sections(self.table.phrases)]
        guards = tuple(self._guard(head, text) for head, text in _sections(self.table.guards))
        words = self._words()
        forms = _forms(words)
        return Language(
            self.table.code,
            self._lexicon(words),
            tuple(self._phrase(head, text, line, forms) for head, text, line in lines),
            guards,
            frozenset(self._code(word) for word in self.classes.get("AND", ())),
            {ord(old): new for old, new in self.table.variants.items()},
        )

    def _read(self, text: str) -> Line:
        try:
            return self.notation.read(text)
        except (KeyError, IndexError, ValueError) as error:
            raise ValueError(f"language {self.table.code}: cannot read {text!r}: {error}") from error

    def _phrase(
        self, head: list[str], text: str, line: Line, forms: Mapping[str, frozenset[str]]
    ) -> Phrase:
        common = frozenset(map(folded, self.table.common.split()))
        none = frozenset[str]()
        needed = [none.union(*(forms.get(code, none) for code in codes)) for codes in line.needed]
        if not needed:
            raise ValueError(f"language {self.table.code}: {text!r} needs no word; write two lines")
        needed.sort(key=lambda words: (not words.isdisjoint(common), len(words)))
        kind, score, *options = head
        key, *others = needed
        return Phrase(
            Kind(kind), float(score), "asked" in options, text, line.source, key, tuple(others)
        )

    def _guard(self, head: list[str], text: str) -> Guard:
        place, leaves, *options = head
        kinds = frozenset(Kind(option) for option in options if option != "question")
        source = self._read(text).source
        return Guard(place, float(leaves), "question" in options, kinds, source)

    # ---- words

    def _lexicon(self, words: dict[str, str]) -> Lexicon:
        if self.table.spaced:
            return Lexicon(words, self.endings, elides=self.table.elides, spaced=True)
        return Lexicon(words, {}, elides=False, spaced=False, pattern=unspaced(words))

    def _class_words(self, name: str) -> tuple[str, ...]:
        found: list[str] = []
        for word in self.table.classes[name].split():
            if _CLASS.fullmatch(word):
                found.extend(self._class_words(word))
            else:
                found.append(folded(word))
                self._code(folded(word))
        return tuple(dict.fromkeys(found))

    def _code(self, word: str) -> str:
        return self.codes.setdefault(word, chr(ord(FIRST_WORD) + len(self.codes)))

    def _element(self, element: str) -> str:
        """The characters of a word, or of all words of a class."""
        if not _CLASS.fullmatch(element):
            return self._code(folded(element))
        if element in self.table.endings:
            endings = tuple(self.table.endings[element].split())
            known = [code for word, code in self.codes.items() if word.endswith(endings)]
            return "".join([*(self.endings[ending] for ending in endings), *known])
        return "".join(map(self._code, self.classes[element]))

    def _words(self) -> dict[str, str]:
        """Every form that is understood: as it should be, as it is typed, as it is passed over."""
        fillers = {folded(word): "" for word in self.table.fillers.split()}
        if twice := fillers.keys() & self.codes.keys():
            raise ValueError(f"language {self.table.code}: used, yet passed over: {sorted(twice)}")
        words = self.codes | self.spoken | fillers
        if self.table.spaced:
            written = [*self.table.classes.values(), *self.table.spoken, self.table.fillers]
            for word in " ".join(written).split():
                if (code := words.get(folded(word))) is not None:
                    for form in (_without_umlauts(word), *_slips(folded(word))):
                        words.setdefault(form, code)
        return words


def _sections(table: str) -> Iterator[tuple[list[str], str]]:
    """The lines of a table, each with the head of its section."""
    head: list[str] = []
    for line in table.splitlines():
        text = line.partition("#")[0].rstrip()
        if text.startswith(" "):
            yield head, text.strip()
        elif text:
            head = text.split()


def _forms(words: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For each character the runs of letters of which one shows that its word is there."""
    forms: dict[str, set[str]] = {}
    for word, codes in words.items():
        shown = max(_LETTERS.findall(word) or [word], key=len)
        for code in codes:
            forms.setdefault(code, set()).add(shown)
    return {code: frozenset(found) for code, found in forms.items()}


def _without_umlauts(word: str) -> str:
    """A word as it is typed where the keyboard has no umlauts.

    >>> _without_umlauts("größer")
    'groesser'
    """
    for letter, spelled in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        word = word.replace(letter, spelled)
    return folded(word)


def _slips(word: str) -> Iterator[str]:
    """How a long word is mistyped most: two letters swapped, a double letter typed once.

    >>> list(_slips("wrong")), list(_slips("correct"))[1]
    (['worng', 'wrnog', 'wrogn'], 'corect')
    """
    if len(word) < 5 or not word.isalpha():
        return
    for place in range(1, len(word) - 1):
        if word[place] == word[place + 1]:
            yield word[:place] + word[place + 1 :]
        else:
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
