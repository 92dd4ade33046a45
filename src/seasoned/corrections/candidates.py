"""Which languages, and which phrases of them, a text is worth trying for; most texts, for none."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from seasoned.corrections.language import Language, Phrase
from seasoned.corrections.reading import language
from seasoned.corrections.table import Table
from seasoned.corrections.text import Passage

LIKELY = 0.85  # of the words that the likeliest language knows: another one must know so many
PLAUSIBLE = 0.6  # the same at a first glance, when words of several languages count in full
FEW = 4  # words: so many may be in any language
SLACK = 0.5  # words: in a short text less evidence is enough
_WORDS = re.compile("[a-zßœæø']+")
_SENTENCE_END = re.compile(r"(?<=[.!?\n])\s+")
_LETTERS = re.compile("[a-zßœæø]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")

SHORT = 100  # characters

Try = tuple[Language, str, list[Phrase]]  # the words as this language reads them, what to look for


@cache
def languages(spaced: bool) -> tuple[Language, ...]:
    """Those that put spaces between words, or those that do not, read on first use."""
    return tuple(language(table) for table in _tables() if table.spaced is spaced)


def _tables() -> tuple[Table, ...]:
    from seasoned.corrections.chinese import CHINESE
    from seasoned.corrections.english import ENGLISH
    from seasoned.corrections.french import FRENCH
    from seasoned.corrections.german import GERMAN
    from seasoned.corrections.italian import ITALIAN
    from seasoned.corrections.japanese import JAPANESE
    from seasoned.corrections.portuguese import PORTUGUESE
    from seasoned.corrections.spanish import SPANISH

    return (ENGLISH, SPANISH, PORTUGUESE, FRENCH, GERMAN, ITALIAN, CHINESE, JAPANESE)


@cache
def _key_words() -> frozenset[str]:
    return frozenset[str]().union(*(spoken.key_words for spoken in languages(spaced=True)))


@cache
def _speakers() -> dict[str, tuple[tuple[str, float], ...]]:
    """For each word the languages that know it, and how much it says for each of them."""
    found: dict[str, list[str]] = {}
    for spoken in languages(spaced=True):
        for word in spoken.vocabulary:
            found.setdefault(word, []).append(spoken.code)
    return {word: tuple((code, 1 / len(codes)) for code in codes) for word, codes in found.items()}


def worth_trying(text: Passage) -> Iterator[Try]:
    """Each language some of whose phrases are there; most texts have none.

    A long text is looked through stretch by stretch, and read as a whole only if one has a phrase.
    """
    stretches = list(dict(_stretches(text.folded)).items())  # what is said twice is read once
    if any(not words.isdisjoint(_key_words()) for _, words in stretches):
        words = frozenset[str]().union(*(words for _, words in stretches))
        for spoken in _likely(_plausible(words), words):
            if phrases := _phrases_in(stretches, spoken):
                yield spoken, spoken.codes(text.folded), phrases
    if not text.folded.isascii() and _UNSPACED.search(text.folded):
        yield from _unspaced(text.folded)


def _stretches(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """A text in parts that no phrase goes beyond, each with its words.

    A short sentence belongs to the next: "No. Use tabs."
    """
    if len(text) <= SHORT:
        yield text, _words(text)
        return
    part = ""
    for sentence in _SENTENCE_END.split(text):
        part = f"{part} {sentence}" if part else sentence
        if len(part) > SHORT:
            yield part, _words(part)
            part = ""
    if part:
        yield part, _words(part)


def _phrases_in(stretches: Sequence[tuple[str, frozenset[str]]], spoken: Language) -> list[Phrase]:
    found: dict[str, Phrase] = {}
    for text, words in stretches:
        phrases = spoken.worth_trying(words)
        if phrases and len(stretches) > 1:
            codes = spoken.codes(text)
            phrases = [phrase for phrase in phrases if phrase.expression.search(codes)]
        found |= {phrase.line: phrase for phrase in phrases}
    return list(found.values())


def _words(text: str) -> frozenset[str]:
    words = frozenset(_WORDS.findall(text))
    if "'" in text:
        words |= frozenset(_LETTERS.findall(" ".join(word for word in words if "'" in word)))
    return words


def _plausible(words: frozenset[str]) -> Sequence[Language]:
    english, *_ = languages(spaced=True)
    if len(words) > FEW and len(words & english.vocabulary) > PLAUSIBLE * len(words):
        return (english,)  # which has few words in common with the others
    known = [len(words & spoken.vocabulary) for spoken in languages(spaced=True)]
    least = PLAUSIBLE * max(known) - SLACK
    return [
        spoken
        for spoken, count in zip(languages(spaced=True), known, strict=True)
        if count >= least
    ]


def _likely(plausible: Sequence[Language], words: frozenset[str]) -> Sequence[Language]:
    """Those that know most of the words, the likeliest first.

    A word that many languages know, like "no", says little for each. If some know every word,
    the others are not asked.
    """
    if len(plausible) < 2:
        return plausible
    speakers = _speakers()
    known = {spoken.code: 0.0 for spoken in languages(spaced=True)}
    for word in words:
        for code, weight in speakers.get(word, ()):
            known[code] += weight
    most = max(known.values())
    least = min(LIKELY * most, most - SLACK)
    fluent = [spoken for spoken in plausible if words <= spoken.vocabulary]
    likely = [spoken for spoken in fluent or plausible if known[spoken.code] >= least]
    return sorted(likely, key=lambda spoken: -known[spoken.code])


def _unspaced(text: str) -> Iterator[Try]:
    kana = _KANA.search(text) is not None
    for spoken in languages(spaced=False):
        if not (kana and spoken.code == "zh") and (phrases := spoken.worth_trying_in(text)):
            yield spoken, spoken.codes(text), phrases
