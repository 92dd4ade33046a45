"""Tell a correction from what only sounds like one: reported, asked, supposed, agreed."""

import re
from collections.abc import Mapping

from seasoned.learning.correction_phrases import Language, Phrase
from seasoned.learning.correction_tokens import Tokens

LONG = 150  # words: in a long message a phrase in the middle is more often part of a story
IN_PASSING = 0.8


def believed(phrase: Phrase, match: re.Match[str], said: Tokens, language: Language) -> float:
    """The score of a phrase where it stands, 0 if it does not correct anything there."""
    sentence = said.sentence(*match.span())
    if not phrase.asked and _asks(match.end(), sentence[1], said, language):
        return 0.0
    score = phrase.score
    places = _places(match, sentence, said)
    for guard in language.guards:
        if guard.concerns(phrase) and guard.expression.search(places[guard.place]):
            score *= guard.leaves
            if not score:
                return 0.0
    last = len(said.codes) - 1
    if last > LONG and sentence[0] > 1 and sentence[1] < last:
        score *= IN_PASSING
    return score


def _places(match: re.Match[str], sentence: tuple[int, int], said: Tokens) -> Mapping[str, str]:
    """Where a guard can look; each place shows the pauses around it."""
    codes, (start, end), (first, last) = said.codes, match.span(), sentence
    return {
        "before": codes[first - 1 : start],
        "clause": codes[said.clause_start(start) - 1 : end],
        "after": codes[end : last + 1],
        "sentence": codes[first - 1 : last + 1],
        "message": codes,
    }


def _asks(end: int, sentence_end: int, said: Tokens, language: Language) -> bool:
    """Whether the question at the end of the sentence asks just this, not something after it."""
    if said.codes[sentence_end : sentence_end + 1] != "?":
        return False
    rest = said.codes[end:sentence_end]
    return "," not in rest and language.joining.isdisjoint(rest)
