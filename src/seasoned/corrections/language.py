"""What a language's table becomes when it is read: phrases and guards that can be searched with."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from seasoned.corrections.correction import Kind
from seasoned.corrections.tokens import Lexicon

BRIEF, BRIEF_CHARACTERS = 6, 16  # words, or characters where no spaces stand between words


@dataclass(frozen=True)
class Phrase:
    """One line of a table."""

    kind: Kind
    score: float
    asked: bool  # corrects even in a question
    turn: str  # what the turn before makes of it: a word of `reading.TURNS`
    line: str
    source: str
    needed: tuple[frozenset[str], ...]  # one of each of these words is there, the rarest first

    @cached_property
    def expression(self) -> re.Pattern[str]:
        return re.compile(self.source)

    @cached_property
    def whole(self) -> bool:
        """Whether it is a whole message of a few known words: "what?", "no"."""
        ends = self.line.startswith("START ") and self.line.endswith(" END")
        return ends and "_" not in self.line and "<" not in self.line


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
    vocabulary: frozenset[str]  # words by which a text shows that it is in this language

    def codes(self, text: str) -> str:
        """A folded text as one character a word."""
        return self.lexicon.codes(text.translate(self.variants) if self.variants else text)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where each of these characters stands."""
        return self.lexicon.places(text.translate(self.variants) if self.variants else text)

    @cached_property
    def _bits(self) -> Mapping[frozenset[str], int]:
        """A bit for each set of words of which a phrase needs one."""
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
        """Which phrases are worth a closer look when a text has this word, and what they need."""
        found: dict[str, list[tuple[int, Phrase]]] = {}
        for phrase in self.phrases:
            needed = sum({self._bits[words] for words in phrase.needed})
            for word in phrase.needed[0]:
                found.setdefault(word, []).append((needed, phrase))
        return {word: tuple(phrases) for word, phrases in found.items()}

    @cached_property
    def key_words(self) -> frozenset[str]:
        """The words without which a text has no phrase."""
        return frozenset(self._phrases_by_word)

    @cached_property
    def _words_by_letter(self) -> Mapping[str, tuple[str, ...]]:
        return _by_letter(self._bits_by_word)

    def worth_trying_in(self, text: str) -> list[Phrase]:
        """The same for a text without spaces, which is not taken apart unless it has a key word."""
        text = text.translate(self.variants) if self.variants else text
        letters = frozenset(text)
        words = frozenset(_parts(self._words_by_letter, letters, text))
        return self.worth_trying(words, brief=len(text) <= BRIEF_CHARACTERS)

    def worth_trying(self, words: frozenset[str], brief: bool | None = None) -> list[Phrase]:
        """The phrases all of whose words may be in a text that has these words.

        What can only be a whole message is not looked for unless the text is brief.
        """
        brief = len(words) <= BRIEF if brief is None else brief
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


def _by_letter(words: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[0], []).append(word)
    return {letter: tuple(own) for letter, own in found.items()}


def _parts(by_letter: Mapping[str, tuple[str, ...]], letters: Set[str], text: str) -> Iterator[str]:
    """The words that stand somewhere in a text, which has these letters."""
    for letter in letters & by_letter.keys():
        for word in by_letter[letter]:
            if word in text:
                yield word


def _score(phrase: Phrase) -> float:
    return phrase.score
