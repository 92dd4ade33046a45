"""What a word is without its endings, so that "deploys" finds "deployed"; Porter's rules of 1980,
but that a y after a vowel stays.

Our own, because both databases and the ranking must agree on every word, in every script, and
a stemming library takes longer to load than a recall.
"""

import re
from functools import lru_cache

from seasoned.core.similarity import words

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
LONGEST = 64  # characters: what is longer is no word, but an index must take it
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
    """A word without its endings; one that is not plainly Latin stays as it is.

    >>> [stem(word) for word in "deploys deployed deploying deployment connections retries".split()]
    ['deploy', 'deploy', 'deploy', 'deploy', 'connect', 'retri']
    >>> stem("größe"), stem("東京"), stem("can't")
    ('größe', '東京', 'cant')
    """
    word = word.replace("'", "")[:LONGEST]
    if not PLAIN.fullmatch(word):
        return word
    word = _without_plural(word)
    word = _without_past(word)
    if word.endswith("y") and len(word) > 2 and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    word = _replaced(word, LONG_ENDINGS, ONCE)
    word = _replaced(word, SECOND_ENDINGS, ONCE)
    word = _replaced(word, LAST_ENDINGS, TWICE)
    return _without_last_e(word)


def stems(text: str) -> list[str]:
    """The words of a text as search compares them.

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


def _replaced(word: str, endings: dict[str, str], measure: re.Pattern[str]) -> str:
    for size in range(min(7, len(word) - 1), 1, -1):
        ending = word[-size:]
        if ending in endings:
            rest = word[:-size]
            kept = rest + endings[ending]
            tested = rest if endings[ending] not in ("s", "t") else kept
            return kept if measure.match(tested) else word
    return word


def _without_last_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if TWICE.match(rest) or (JUST_ONCE.match(rest) and not SHORT.match(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and TWICE.match(word) else word
