"""The words of a text in any script, their stems, and how much each word says (BM25).

The stemmer is our own (Porter 1980, except that a y after a vowel stays): both databases and the
ranking must agree on every word, and a stemming library takes longer to load than a recall.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import NamedTuple

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Scripts written without spaces: a run is cut into overlapping pairs, which search can match.
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")

STOP_WORDS = frozenset(
    """a an and are as at be been but by can could did do does for from had has have he her his how
    i if in into is it its me my no not of on or our she should so that the their them then there
    these they this to was we were what when where which who why will with would you your""".split()
)


def words(text: str) -> list[str]:
    """Split a text into words, folded for comparison.

    >>> words("Can't open Größe_max.txt!")
    ["can't", 'open', 'grösse', 'max', 'txt']
    >>> words("東京タワー 2")
    ['東京', '京タ', 'タワ', 'ワー', '2']
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found: list[str] = []
    for word in WORD.findall(folded):
        found.extend(_pieces(word) if UNSPACED.search(word) else (word,))
    return found


def _pieces(word: str) -> list[str]:
    pieces: list[str] = []
    end = 0
    for run in UNSPACED.finditer(word):
        if run.start() > end:
            pieces.append(word[end : run.start()])
        text = run.group()
        pieces.extend(text[i : i + 2] for i in range(max(1, len(text) - 1)))
        end = run.end()
    if end < len(word):
        pieces.append(word[end:])
    return pieces


def telling_words(text: str) -> list[str]:
    """Return the words that carry meaning, each once, in order; all words if none does.

    >>> telling_words("the file is in the wrong folder")
    ['file', 'wrong', 'folder']
    """
    every = list(dict.fromkeys(words(text)))
    return [word for word in every if word not in STOP_WORDS] or every


def dice(a: Collection[str], b: Collection[str]) -> float:
    """Similarity of two sets of words: 1 if they are equal, 0 if they share nothing.

    >>> dice({"a", "b"}, {"b", "c"})
    0.5
    """
    together = len(a) + len(b)
    return 2 * len(set(a) & set(b)) / together if together else 0.0


# Stems: "deploys" finds "deployed"

CONSONANT, VOWEL = "[^aeiou]", "[aeiouy]"
RUN_C, RUN_V = f"{CONSONANT}[^aeiouy]*", f"{VOWEL}[aeiou]*"
MEASURE = [  # how often a vowel is followed by a consonant: at least once, exactly once, twice
    re.compile(f"^(?:{RUN_C})?{RUN_V}{RUN_C}"),
    re.compile(f"^(?:{RUN_C})?{RUN_V}{RUN_C}(?:{RUN_V})?$"),
    re.compile(f"^(?:{RUN_C})?{RUN_V}{RUN_C}{RUN_V}{RUN_C}"),
]
ONCE, JUST_ONCE, TWICE = MEASURE
HAS_VOWEL = re.compile(f"^(?:{RUN_C})?{VOWEL}")
SHORT = re.compile(f"^{RUN_C}{VOWEL}[^aeiouwxy]$")
DOUBLED = re.compile(r"([^aeioulsz])\1$")
LONGEST_WORD = 64  # characters: anything longer is no word, but an index must take it
PLAIN = re.compile(r"[a-z]{3,40}")

LONG_ENDINGS = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize",
    "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful",
    "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
SECOND_ENDINGS = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
LAST_ENDINGS = dict.fromkeys(
    "al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize".split(), ""
) | {"sion": "s", "tion": "t"}


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Cut a word's endings; a word that is not plain Latin stays as it is.

    >>> [stem(word) for word in "deploys deployed deploying deployment connections retries".split()]
    ['deploy', 'deploy', 'deploy', 'deploy', 'connect', 'retri']
    >>> stem("größe"), stem("東京"), stem("can't")
    ('größe', '東京', 'cant')
    """
    word = word.replace("'", "")[:LONGEST_WORD]
    if not PLAIN.fullmatch(word):
        return word
    word = _without_plural(word)
    word = _without_past(word)
    if word.endswith("y") and len(word) > 2 and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    word = _without_ending(word, LONG_ENDINGS, ONCE)
    word = _without_ending(word, SECOND_ENDINGS, ONCE)
    word = _without_ending(word, LAST_ENDINGS, TWICE)
    return _without_last_e(word)


def stems(text: str) -> list[str]:
    """Split a text into the stems that search compares.

    >>> stems("Deployed the services!")
    ['deploy', 'the', 'servic']
    """
    return [stem(word) for word in words(text)]


def _without_plural(word: str) -> str:
    for ending, left in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending):
            return word[: -len(ending)] + left
    return word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if ONCE.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and HAS_VOWEL.match(rest):
            if rest.endswith(("at", "bl", "iz")) or SHORT.match(rest):
                return rest + "e"
            return rest[:-1] if DOUBLED.search(rest) else rest
    return word


def _without_ending(word: str, endings: dict[str, str], measure: re.Pattern[str]) -> str:
    for size in range(min(7, len(word) - 1), 1, -1):
        ending = word[-size:]
        if ending in endings:
            rest = word[:-size]
            shorter = rest + endings[ending]
            tested = rest if endings[ending] not in ("s", "t") else shorter
            return shorter if measure.match(tested) else word
    return word


def _without_last_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if TWICE.match(rest) or (JUST_ONCE.match(rest) and not SHORT.match(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and TWICE.match(word) else word


# BM25, the part that needs no database

LENGTH_COUNTS = 0.4  # b: how much more often a long text must say a word
SATURATION = 0.9  # k1: how soon saying a word again adds nothing
TRIGGER_WEIGHS, NEAR_WEIGHS, FAR_WEIGHS = 2.0, 0.4, 0.15  # relative to the content


class IndexedText(NamedTuple):
    """A text as the index holds it: each field is stems with spaces between."""

    trigger: str
    content: str
    near: str = ""
    far: str = ""

    @property
    def length(self) -> float:
        """Length in words; those of `near` and `far` count by their weight."""
        own = self.trigger.count(" ") + self.content.count(" ") + 2
        return own + NEAR_WEIGHS * self.near.count(" ") + FAR_WEIGHS * self.far.count(" ")


@dataclass(frozen=True, slots=True)
class WordMatches:
    """The best candidates by words, and the statistics of the collection that ranking needs."""

    keys: Sequence[int] = ()
    frequencies: Mapping[str, int] = field(default_factory=dict[str, int])
    total: int = 0
    mean_length: float = 1.0

    def weight(self, word: str) -> float:
        """Inverse document frequency: the rarer a word, the more it says."""
        often = min(self.frequencies.get(word, 0), self.total)
        return log(1 + (self.total - often + 0.5) / (often + 0.5))
