"""What a rule is about, in any script: its words without those that only join, deny or oblige."""

import re
from functools import lru_cache

from seasoned.core.similarity import words
from seasoned.core.stems import stem
from seasoned.rules.polarity import words_of_negation
from seasoned.rules.stop_words import LIGHT_WORDS, STOP_WORDS, UNSPACED_STOPS
from seasoned.rules.text import folded

READ = 2_000  # characters
ROOT = 7  # letters: a longer word is told apart by its beginning, whatever the language
_TOKEN = re.compile(r"c\+\+|[cf]#|[^\W_]+(?:_[^\W_]+)*")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_UNSPACED_STOPS = re.compile("|".join(map(re.escape, UNSPACED_STOPS)))
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_KANA_OR_HAN = re.compile("[\u30a0-\u30ff\u3400-\u9fff]")


@lru_cache(maxsize=4_096)
def core_words(text: str) -> frozenset[str]:
    """The roots of the words that a text is about; those of all its words if there are no others.

    >>> sorted(core_words("Please never use docker for the builds."))
    ['build', 'docker']
    >>> core_words("No uses comentarios") == core_words("Añade un comentario")
    True
    """
    plain = folded(text[:READ])
    about = _tokens(words_of_negation(plain))
    telling = [word for word in about if word not in STOP_WORDS]
    heavy = [word for word in telling if word not in LIGHT_WORDS]
    return frozenset(map(root, heavy or telling or about or _tokens(plain)))


def _tokens(plain: str) -> list[str]:
    found: list[str] = []
    for token in _TOKEN.findall(plain):
        if _UNSPACED.search(token):
            found.extend(words(_about(token)))
        else:
            found.append(token)
    return found


def _about(run: str) -> str:
    """Unspaced script without its small words; hiragana, which mostly joins, only if all is."""
    left = _UNSPACED_STOPS.sub(" ", run)
    return _HIRAGANA.sub(" ", left) if _KANA_OR_HAN.search(left) else left


@lru_cache(maxsize=16_384)
def root(word: str) -> str:
    """The beginning of a word that its forms share; names with digits stay whole.

    >>> root("kommentare"), root("comments"), root("ejecutes"), root("ejecuta"), root("py311")
    ('komment', 'comment', 'ejecut', 'ejecut', 'py311')
    """
    if not word.isalpha() or _UNSPACED.search(word):
        return word
    short = stem(word)[:ROOT]
    if short.endswith("en") and len(short) > 5:
        short = short[:-2]
    while len(short) > 4 and short[-1] in "aeiou":
        short = short[:-1]
    return short
