"""Choose the languages and phrases to search a message with; for most messages, none."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from seasoned.corrections.languages.compiler import compile_language
from seasoned.corrections.languages.language import Language, Phrase
from seasoned.corrections.languages.table import PhraseTable
from seasoned.corrections.languages.text import FoldedMessage

LIKELY = 0.85  # share of the likeliest language's known words that another one must know
PLAUSIBLE = 0.6  # the same for the first selection, where shared words count in full
FEW_WORDS = 4  # so few may be in any language
SLACK = 0.5  # words less that are enough in a short text
_WORDS = re.compile("[a-zßœæø']+")
_SENTENCE_END = re.compile(r"(?<=[.!?\n])\s+")
_LETTERS = re.compile("[a-zßœæø]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")

SHORT = 100  # characters

Candidate = tuple[Language, str, list[Phrase]]  # a language, its codes of the text, its phrases


@cache
def languages(spaced: bool) -> tuple[Language, ...]:
    """Return the languages with or without spaces between words, compiled on first use."""
    return tuple(compile_language(table) for table in _tables() if table.spaced is spaced)


def _tables() -> tuple[PhraseTable, ...]:
    # Imported on first use: most commands never read a message.
    from seasoned.corrections.languages.chinese import CHINESE
    from seasoned.corrections.languages.english import ENGLISH
    from seasoned.corrections.languages.french import FRENCH
    from seasoned.corrections.languages.german import GERMAN
    from seasoned.corrections.languages.italian import ITALIAN
    from seasoned.corrections.languages.japanese import JAPANESE
    from seasoned.corrections.languages.portuguese import PORTUGUESE
    from seasoned.corrections.languages.spanish import SPANISH

    return (ENGLISH, SPANISH, PORTUGUESE, FRENCH, GERMAN, ITALIAN, CHINESE, JAPANESE)


@cache
def _key_words() -> frozenset[str]:
    return frozenset[str]().union(*(spoken.key_words for spoken in languages(spaced=True)))


@cache
def _speakers() -> dict[str, tuple[tuple[str, float], ...]]:
    """Return for each word the languages that know it, each with the word's weight for it."""
    found: dict[str, list[str]] = {}
    for spoken in languages(spaced=True):
        for word in spoken.vocabulary:
            found.setdefault(word, []).append(spoken.code)
    return {word: tuple((code, 1 / len(codes)) for code in codes) for word, codes in found.items()}


def candidate_phrases(text: FoldedMessage) -> Iterator[Candidate]:
    """Yield each likely language with the phrases that the message may match.

    A long message is checked stretch by stretch, and encoded as a whole only if one has a phrase.
    """
    stretches = list(dict(_stretches(text.folded)).items())  # each stretch once
    if any(not words.isdisjoint(_key_words()) for _, words in stretches):
        words = frozenset[str]().union(*(words for _, words in stretches))
        for spoken in _likely(_plausible(words), words):
            if phrases := _phrases_in(stretches, spoken):
                yield spoken, spoken.codes(text.folded), phrases
    if not text.folded.isascii() and _UNSPACED.search(text.folded):
        yield from _unspaced(text.folded)


def _stretches(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Split a text into parts that no phrase crosses, each with its words.

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
        phrases = spoken.candidate_phrases(words)
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
    if len(words) > FEW_WORDS and len(words & english.vocabulary) > PLAUSIBLE * len(words):
        return (english,)  # it shares few words with the others
    known = [len(words & spoken.vocabulary) for spoken in languages(spaced=True)]
    least = PLAUSIBLE * max(known) - SLACK
    return [
        spoken
        for spoken, count in zip(languages(spaced=True), known, strict=True)
        if count >= least
    ]


def _likely(plausible: Sequence[Language], words: frozenset[str]) -> Sequence[Language]:
    """Return the languages that know most of the words, the likeliest first.

    A word that many languages know, like "no", says little for each. If some know every word,
    the others drop out.
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


def _unspaced(text: str) -> Iterator[Candidate]:
    kana = _KANA.search(text) is not None
    for spoken in languages(spaced=False):
        if kana and spoken.code == "zh":
            continue
        if phrases := spoken.candidate_phrases_unspaced(text):
            yield spoken, spoken.codes(text), phrases
