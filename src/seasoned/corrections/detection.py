"""Notice that a user corrects the assistant: in words of eight languages, or by asking again.

    >>> found = find_correction("No, use pytest, not unittest.")
    >>> found.kind.value, found.wanted, found.unwanted
    ('replacement', 'pytest', 'unittest')
    >>> find_correction("My teacher told me that's wrong, can you check?") is None
    True

Pure and quick, so that it can run in every turn. A score of SAFE or more can be learned from;
from UNCERTAIN on, a second opinion (an embedder, a model) should be asked; what is below is not
returned, unless the floor is lowered.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from seasoned.corrections.candidates import worth_trying
from seasoned.corrections.context import IN_THE_REPLY, in_context
from seasoned.corrections.correction import UNCERTAIN, Correction, Kind
from seasoned.corrections.guards import believed
from seasoned.corrections.language import Phrase
from seasoned.corrections.repetition import asked_again
from seasoned.corrections.text import Passage, passage

SecondOpinion = Callable[[str, Correction], float | None]
Places = list[tuple[int, int]]
HIGHEST = 0.97
MOST = 8  # places where a phrase is looked at: whoever says it more often says it no better


def find_correction(
    message: str,
    *,
    previous_request: str | None = None,
    previous_reply: str | None = None,
    second_opinion: SecondOpinion | None = None,
    floor: float = UNCERTAIN,
) -> Correction | None:
    """The correction in a message, or None.

    `previous_reply` is what the message answers: a "no" to a question is an answer, a "no" to a
    statement is a correction. `previous_request` is what the user had asked for: whoever asks
    again was not served. `second_opinion` is called with the message and an uncertain correction;
    the probability that it returns is the score, None leaves the score as it is.
    """
    found = in_context(list(said(passage(message))), previous_reply)
    if repeated := asked_again(message, previous_request):
        found.append(repeated)
    best = max(found, key=_weight, default=None)
    if best is None:
        return None
    if second_opinion and best.uncertain and (opinion := second_opinion(message, best)) is not None:
        best = replace(best, score=min(1.0, max(0.0, opinion)))
    return best if best.score >= floor else None


def said(text: Passage) -> Iterator[Correction]:
    """The corrections that are put into words, in every language it could be.

    What could not outweigh one that was found already is not looked for.
    """
    for language, codes, phrases in worth_trying(text):
        surest, places = 0.0, Places()
        for phrase in phrases:
            if phrase.score < surest and not _changes_others(phrase, surest):
                continue
            for match in islice(phrase.expression.finditer(codes), MOST):
                if score := min(HIGHEST, believed(phrase, match, codes, language)):
                    if not phrase.turn and phrase.kind is not Kind.DECLINED:
                        surest = max(surest, score)
                    places = places or language.places(text.folded)
                    yield _correction(phrase, match, score, language.code, places, text)


def _changes_others(phrase: Phrase, surest: float) -> bool:
    """Whether it counts beside a surer one: it takes it back, or the reply may raise it."""
    return phrase.kind is Kind.AMENDED or (
        phrase.kind is Kind.REPLACEMENT and surest < IN_THE_REPLY
    )


def _correction(
    phrase: Phrase, match: re.Match[str], score: float, code: str, places: Places, text: Passage
) -> Correction:
    def span(first: int, last: int) -> tuple[int, int]:
        return text.span(places[first][0], places[max(first, last - 1)][1])

    pieces = {
        name: text.message[slice(*span(*match.span(name)))]
        for name in match.groupdict()
        if match[name]
    }
    return Correction(phrase.kind, score, span(*match.span()), code, turn=phrase.turn, **pieces)


def _weight(found: Correction) -> tuple[float, bool, bool, int]:
    """The surest first; then the one that says more; then the one that comes first."""
    return found.score, found.wanted is not None, found.unwanted is not None, -found.span[0]
