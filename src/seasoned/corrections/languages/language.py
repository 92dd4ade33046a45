"""A compiled language: its lexicon, phrases and guards, ready to search a message with.

The lexicon turns a text into codes, one character a word, so that a phrase is a regular expression
over words. A word of the lexicon has a character of its own; any other word is OTHER. Pauses and
the ends of sentences stay. `Lexicon.places` finds the position of each character in the text, which
only a text with a match needs.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from seasoned.corrections.correction import CorrectionKind
from seasoned.corrections.languages.text import BLANK

OTHER, NUMBER, QUOTED = "x", "0", "q"
FIRST, LAST = "\x02", "\x03"
FIRST_WORD, LAST_WORD = "\ue000", "\uf8ff"  # the range of the words of a lexicon
FIRST_ENDING = "\ud7b0"  # the first code of words known by their ending only
ANY_WORD = f"[{OTHER}{NUMBER}{QUOTED}{FIRST_ENDING}-\ud7ff{FIRST_WORD}-{LAST_WORD}]"
HARD = f"{FIRST}{LAST}.!?"

_SIGNS = r"\w'@#$%&+*/\\=<>^~|-"
_WORD = rf"[{_SIGNS}]+(?:[.:][\w/][{_SIGNS}]*)*"
_SPACED = re.compile(rf"{BLANK}+|{_WORD}|[.!?\n…]+|[,;:()\u2014]")
_LATIN = r"[a-z0-9_@#$%&+*/\\=<>^~|'-]+(?:[.:][a-z0-9/][a-z0-9_/-]*)*"
_TRIMMED = "'*_-~/\\|<>=^"
_PAUSES = re.compile(f"{FIRST}[,.!?]+|[,.!]+{LAST}|[,.!?]{{2,}}")
BRIEF_WORDS, BRIEF_CHARACTERS = 6, 16  # the latter for languages without spaces


@dataclass(frozen=True)
class Lexicon:
    """The words of a language, each with the codes of its meaning."""

    words: Mapping[str, str]
    endings: Mapping[str, str]
    elides: bool
    spaced: bool
    pattern: re.Pattern[str] = _SPACED

    @cached_property
    def ending_sizes(self) -> tuple[int, ...]:
        return tuple(sorted({len(ending) for ending in self.endings}, reverse=True))

    def codes(self, text: str) -> str:
        """Return the codes of the words and pauses of a folded text."""
        known = self.words
        found = [
            known[token] if token in known else self._code(token)
            for token in self.pattern.findall(text)
        ]
        return _PAUSES.sub(_strongest, f"{FIRST}{''.join(found)}{LAST}")

    def _code(self, token: str) -> str:
        """Return the codes of a token that is not in the lexicon in this form."""
        if token.isalpha():
            return self._by_ending(token)
        return _pause(token) or "".join(code for _, code in self._coded(token))

    def _coded(self, token: str) -> list[tuple[str, str]]:
        """Return the parts of a token, each with its codes."""
        known = self.words.get(token)
        if known is None:
            known = self.words.get(token.strip(_TRIMMED))
        if known is not None:
            return [(token, known)]
        parts = self._parts(token)
        if parts:
            return [piece for part in parts for piece in self._coded(part)]
        return [(token, self._unknown(token))]

    def _unknown(self, token: str) -> str:
        if token[0] == BLANK:
            return QUOTED
        return NUMBER if token[0].isdigit() else self._by_ending(token)

    def _by_ending(self, token: str) -> str:
        for size in self.ending_sizes:
            code = self.endings.get(token[-size:])
            if code is not None and len(token) > size + 1:
                return code
        return OTHER

    def _parts(self, token: str) -> list[str]:
        """Split words that are written as one: c'est, that's, dis-moi, wrong.that's."""
        left, mark, right = token.partition("'")
        if left and right and mark:
            return [f"{left}'", right] if self.elides else [left, f"'{right}"]
        for sign in "-./":
            parts = token.split(sign)
            known = sum(part in self.words for part in parts)
            if len(parts) > 1 and all(parts) and known > (sign != "-"):
                signs = [sign] * (len(parts) - 1) + [""]
                return [part + sign for part, sign in zip(parts, signs, strict=True)]
        return []

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return the span in the text of each character of `codes`."""
        codes: list[str] = [FIRST]
        spans = [(0, 0)]
        seen: dict[str, list[tuple[str, str]]] = {}
        for found in self.pattern.finditer(text):
            token, start = found.group(), found.start()
            if token not in seen:
                pause = "" if token in self.words else _pause(token)
                seen[token] = [(token, pause)] if pause else self._coded(token)
            for part, code in seen[token]:
                codes += code
                spans += [(start, start + len(part))] * len(code)
                start += len(part)
        codes.append(LAST)
        spans.append((len(text), len(text)))
        return _without_pauses("".join(codes), spans)


def _without_pauses(codes: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    end = 0
    for pauses in _PAUSES.finditer(codes):
        kept += spans[end : pauses.start() + 1]
        end = pauses.end()
        if codes[end - 1] == LAST and pauses.group()[0] != LAST:
            kept[-1] = spans[end - 1]
    return kept + spans[end:]


def _strongest(pauses: re.Match[str]) -> str:
    """Return the strongest of several marks: start, end, question, exclamation, stop, pause."""
    marks = pauses.group()
    return next(mark for mark in f"{FIRST}{LAST}?!.," if mark in marks)


def _pause(token: str) -> str:
    first = token[0]
    if first in ".!?\n…":
        if "?" in token:
            return "?"
        if "!" in token:
            return "!"
        return "." if "\n" in token or token == "." else ","
    return "," if first in ",;:()\u2014" or token in ("-", "--", "->", "=>") else ""


def unspaced_pattern(words: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern that finds the longest known word at each place of an unspaced text."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        by_first.setdefault(word[0], []).append(re.escape(word[1:]))
    known = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    firsts = "".join(map(re.escape, by_first))
    known = rf"(?=[{firsts}])(?:{known})"  # most characters begin no word: one check is enough
    return re.compile(rf"{known}|{BLANK}+|{_LATIN}|[.!?\n…]+|[,;:()\u2014]|\w")


def sentence_bounds(codes: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentence around these codes begins and ends, without its end marks."""
    first = max(codes.rfind(mark, 0, start) for mark in HARD) + 1
    places = [place for mark in HARD if (place := codes.find(mark, end)) >= 0]
    return first, min(places, default=len(codes))


def clause_start(codes: str, start: int) -> int:
    """Return where the clause of this code begins."""
    return max(codes.rfind(mark, 0, start) for mark in f"{HARD},") + 1


@dataclass(frozen=True)
class Phrase:
    """One line of a phrase table."""

    kind: CorrectionKind
    score: float
    asked: bool  # corrects even in a question
    turn: str  # how the reply before matters: one of `compiler.TURNS`, or empty
    line: str
    source: str
    needed: tuple[frozenset[str], ...]  # a match has a word of each set; the rarest set first

    @cached_property
    def expression(self) -> re.Pattern[str]:
        return re.compile(self.source)

    @cached_property
    def whole(self) -> bool:
        """Whether it matches only a whole message of a few known words: "what?", "no"."""
        ends = self.line.startswith("START ") and self.line.endswith(" END")
        return ends and "_" not in self.line and "<" not in self.line


@dataclass(frozen=True)
class PhraseGuard:
    """An expression that lowers the score of a phrase, and the area to search it in."""

    place: str  # before, clause, after, sentence or message
    leaves: float  # factor for the score
    question: bool  # does not concern phrases that are `asked`
    kinds: frozenset[CorrectionKind]  # empty: all kinds
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
    """A compiled phrase table."""

    code: str
    lexicon: Lexicon
    phrases: tuple[Phrase, ...]
    guards: tuple[PhraseGuard, ...]
    joining: frozenset[str]  # the codes of the class AND, which begins another clause
    variants: Mapping[int, str]  # other forms of characters, for `str.translate`
    vocabulary: frozenset[str]  # words that show that a text is in this language

    def codes(self, text: str) -> str:
        """Return a folded text as one character a word."""
        return self.lexicon.codes(text.translate(self.variants) if self.variants else text)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return the span in the text of each of these characters."""
        return self.lexicon.places(text.translate(self.variants) if self.variants else text)

    @cached_property
    def _bits(self) -> Mapping[frozenset[str], int]:
        """Assign a bit to each set of words of which a phrase needs one."""
        sets = dict.fromkeys(words for phrase in self.phrases for words in phrase.needed)
        return {words: 1 << number for number, words in enumerate(sets)}

    @cached_property
    def _bits_by_word(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for words, bit in self._bits.items():
            for word in words:
                found[word] = found.get(word, 0) | bit
        return found

    @cached_property
    def _phrases_by_word(self) -> Mapping[str, tuple[tuple[int, Phrase], ...]]:
        """Map each key word to the phrases to try, each with the bits that it needs."""
        found: dict[str, list[tuple[int, Phrase]]] = {}
        for phrase in self.phrases:
            needed = sum({self._bits[words] for words in phrase.needed})
            for word in phrase.needed[0]:
                found.setdefault(word, []).append((needed, phrase))
        return {word: tuple(phrases) for word, phrases in found.items()}

    @cached_property
    def key_words(self) -> frozenset[str]:
        """A text without any of these words has no phrase."""
        return frozenset(self._phrases_by_word)

    @cached_property
    def _words_by_letter(self) -> Mapping[str, tuple[str, ...]]:
        return _by_letter(self._bits_by_word)

    def candidate_phrases(self, words: frozenset[str], brief: bool | None = None) -> list[Phrase]:
        """Return the phrases that a text with these words may match, highest score first.

        Phrases that match only a whole message are left out unless the text is brief.
        """
        brief = len(words) <= BRIEF_WORDS if brief is None else brief
        keys = words & self.key_words
        if not keys:
            return []
        by_word, there = self._bits_by_word, 0
        for word in words:
            if word in by_word:
                there |= by_word[word]
        found: dict[str, Phrase] = {}
        for word in keys:
            for needed, phrase in self._phrases_by_word[word]:
                if needed & there == needed and (brief or not phrase.whole):
                    found[phrase.line] = phrase
        return sorted(found.values(), key=_score, reverse=True)

    def candidate_phrases_unspaced(self, text: str) -> list[Phrase]:
        """Do the same for a text without spaces, which is not split into words."""
        text = text.translate(self.variants) if self.variants else text
        letters = frozenset(text)
        words = frozenset(_words_in(self._words_by_letter, letters, text))
        return self.candidate_phrases(words, brief=len(text) <= BRIEF_CHARACTERS)


def _by_letter(words: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[0], []).append(word)
    return {letter: tuple(own) for letter, own in found.items()}


def _words_in(
    by_letter: Mapping[str, tuple[str, ...]], letters: Set[str], text: str
) -> Iterator[str]:
    """Yield the words that occur in a text with these letters."""
    for letter in letters & by_letter.keys():
        for word in by_letter[letter]:
            if word in text:
                yield word


def _score(phrase: Phrase) -> float:
    return phrase.score
