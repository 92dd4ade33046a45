"""Read a language's table: words into a lexicon, phrases into expressions over its words."""

import re
from collections.abc import Iterator, Mapping

from seasoned.corrections.correction import Kind
from seasoned.corrections.grammar import Line, Notation
from seasoned.corrections.language import Guard, Language, Phrase
from seasoned.corrections.spelling import slips, without_umlauts
from seasoned.corrections.table import Table
from seasoned.corrections.text import folded
from seasoned.corrections.tokens import (
    ANY_WORD,
    FIRST_ENDING,
    FIRST_WORD,
    HARD,
    Lexicon,
    unspaced,
)

_CLASS = re.compile(r"[A-Z][A-Z_0-9]*")
_LETTERS = re.compile(r"[^\W\d_]+")
_INNER = re.compile(r"\w'\w")
TURNS = ("answers", "replies", "objects", "missed", "failed")
_PIECE = 8  # words: what is wanted, or not, is rarely longer
_UNSPACED_PIECE = 16  # characters


def language(table: Table) -> Language:
    """The language of a table; a line that cannot be read is an error that names it."""
    return _Reading(table).language()


class _Reading:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.codes: dict[str, str] = {}  # a word, and the character that stands for it
        self.lengths: dict[str, int] = {}  # of the word for each character
        self.common = frozenset(map(folded, table.common.split()))
        self.common_codes: set[str] = set()
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

    def _read(self, text: str) -> Line:
        if self.table.elides:
            text = re.sub(r"(\w')(?=\w)", r"\1 ", text)
        try:
            return self.notation.read(text)
        except (KeyError, IndexError, ValueError) as error:
            raise ValueError(
                f"language {self.table.code}: cannot read {text!r}: {error}"
            ) from error

    def _phrase(
        self, head: list[str], text: str, line: Line, forms: Mapping[str, frozenset[str]]
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
        return Phrase(Kind(kind), float(score), asked, turn, text, source, tuple(needed))

    def _bounded(self, text: str, source: str) -> str:
        """A line with two pieces up to a pause, so that it does not try where no pause is near."""
        if not text.endswith((" $", " END")) or source.count("(?P<") < 2:
            return source
        near = 3 * (_PIECE if self.table.spaced else _UNSPACED_PIECE)
        pause = f"[{HARD},]"
        return source.replace("(?P<", f"(?=[^{HARD},]{{0,{near}}}{pause})(?P<", 1)

    def _guards(self) -> Iterator[Guard]:
        """One guard for each section."""
        sections: dict[tuple[str, ...], list[str]] = {}
        for head, text in _sections(self.table.guards):
            sections.setdefault(tuple(head), []).append(self._read(text).source)
        for (place, leaves, *options), sources in sections.items():
            kinds = frozenset(Kind(option) for option in options if option != "question")
            yield Guard(place, float(leaves), "question" in options, kinds, "|".join(sources))

    def _piece(self) -> str:
        """What is wanted, or not: some words, none of which begins another statement."""
        longest = _PIECE if self.table.spaced else _UNSPACED_PIECE
        apart = "".join(map(self._code, self.classes.get("APART", ())))
        word = f"(?![{apart}]){ANY_WORD}" if apart else ANY_WORD
        return f"(?:{word}){{1,{longest}}}?"

    def _rarity(self, codes: str) -> tuple[bool, int, int]:
        """Words that stand in few texts come first; of two, the longer one is the rarer."""
        shortest = min(self.lengths[code] for code in codes)
        return not self.common_codes.isdisjoint(codes), len(codes), -shortest

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
        code = self.codes.get(word)
        if code is None:
            code = self.codes[word] = chr(ord(FIRST_WORD) + len(self.codes))
            self.lengths[code] = len(word)
            if word in self.common:
                self.common_codes.add(code)
        return code

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
                    for form in (without_umlauts(word), *slips(folded(word))):
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
    """For each character what shows that its word is there: it, or its longest run of letters."""
    forms: dict[str, set[str]] = {}
    for word, codes in words.items():
        shown = word if _INNER.search(word) else max(_LETTERS.findall(word) or [word], key=len)
        for code in codes:
            forms.setdefault(code, set()).add(shown)
    return {code: frozenset(found) for code, found in forms.items()}
