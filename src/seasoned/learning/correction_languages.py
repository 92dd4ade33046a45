"""The languages that corrections are understood in, and which phrases a text is worth trying for."""

import re
from collections.abc import Iterator
from functools import cache

from seasoned.learning.correction_phrases import Language, Phrase, language
from seasoned.learning.correction_table import Table
from seasoned.learning.correction_text import Passage

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")

Worth = tuple[Language, list[Phrase]]


@cache
def languages() -> tuple[Language, ...]:
    """All of them, read on first use."""
    return tuple(map(language, _tables()))


def _tables() -> tuple[Table, ...]:
    from seasoned.learning.corrections_en import ENGLISH

    return (ENGLISH,)


@cache
def _phrases_by_word() -> dict[str, tuple[tuple[Language, Phrase], ...]]:
    found: dict[str, list[tuple[Language, Phrase]]] = {}
    for spoken in languages():
        if spoken.lexicon.spaced:
            for phrase in spoken.phrases:
                for word in phrase.key:
                    found.setdefault(word, []).append((spoken, phrase))
    return {word: tuple(phrases) for word, phrases in found.items()}


@cache
def _key_words() -> frozenset[str]:
    return frozenset(_phrases_by_word())


def worth_trying(text: Passage) -> Iterator[tuple[Language, str, list[Phrase]]]:
    """Each language some of whose phrases may be there, the text as it reads it, and the phrases."""
    words = text.words
    tried: dict[str, tuple[Language, dict[str, Phrase]]] = {}
    for word in words & _key_words():
        for spoken, phrase in _phrases_by_word()[word]:
            if not any(needed.isdisjoint(words) for needed in phrase.needed):
                tried.setdefault(spoken.code, (spoken, {}))[1][phrase.line] = phrase
    for spoken, phrases in tried.values():
        yield spoken, text.folded, list(phrases.values())
    if _UNSPACED.search(text.folded):
        yield from _worth_trying_unspaced(text.folded)


def _worth_trying_unspaced(text: str) -> Iterator[tuple[Language, str, list[Phrase]]]:
    kana = _KANA.search(text) is not None
    for spoken in languages():
        if spoken.lexicon.spaced or (kana and spoken.code == "zh"):
            continue
        read = text.translate(spoken.variants) if spoken.variants else text
        words = frozenset(spoken.lexicon.pattern.findall(read))
        phrases = [
            phrase
            for phrase in spoken.phrases
            if not phrase.key.isdisjoint(words)
            and not any(needed.isdisjoint(words) for needed in phrase.needed)
        ]
        if phrases:
            yield spoken, read, phrases
