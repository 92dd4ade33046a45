"""Tell a correction from what only sounds like one: reported, asked, supposed, agreed."""

import re
from collections.abc import Mapping

from seasoned.corrections.language import Language, Phrase
from seasoned.corrections.tokens import FIRST, clause_start, sentence

LONG = 150  # words: in a long message a phrase in the middle is more often part of a story
IN_PASSING = 0.8


def believed(phrase: Phrase, match: re.Match[str], codes: str, language: Language) -> float:
    """The score of a phrase where it stands, 0 if it does not correct anything there."""
    around = sentence(codes, *match.span())
    if not phrase.asked and _asks(codes[match.end() : around[1] + 1], language):
        return 0.0
    score = phrase.score
    places = _places(match, around, codes)
    for guard in language.guards:
        if guard.concerns(phrase) and guard.expression.search(places[guard.place]):
            score *= guard.leaves
            if not score:
                return 0.0
    last = len(codes) - 1
    if last > LONG and around[0] > 1 and around[1] < last:
        score *= IN_PASSING
    return score


def _places(match: re.Match[str], around: tuple[int, int], codes: str) -> Mapping[str, str]:
    """Where a guard can look; each place has a pause at both ends."""
    (start, end), (first, last) = match.span(), around
    return {
        "before": codes[first - 1 : start] + FIRST,
        "clause": codes[clause_start(codes, start) - 1 : end] + FIRST,
        "after": FIRST + codes[end : last + 1],
        "sentence": codes[first - 1 : last + 1],
        "message": codes,
    }


def _asks(rest: str, language: Language) -> bool:
    """Whether the question at the end of the sentence asks just this, not something after it."""
    return rest.endswith("?") and "," not in rest and language.joining.isdisjoint(rest)
