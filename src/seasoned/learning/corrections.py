"""Notice that a user corrects the assistant: what he says, in eight languages, and what he repeats.

    >>> find_correction("No, use pytest, not unittest.")
    Correction(kind=<Kind.REPLACEMENT: 'replacement'>, score=0.95, span=(4, 28), language='en', ...
    >>> find_correction("My teacher told me that's wrong, can you check?") is None
    True

Pure and quick, so that it can run in every turn. A score of SAFE or more can be learned from;
from UNCERTAIN on, a second opinion (an embedder, a model) should be asked; what is below is not
returned, unless the floor is lowered.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from seasoned.learning.correction import UNCERTAIN, Correction, Kind
from seasoned.learning.correction_context import asked_again, in_context
from seasoned.learning.correction_guards import believed
from seasoned.learning.correction_languages import worth_trying
from seasoned.learning.correction_text import Passage, passage
from seasoned.learning.correction_tokens import Tokens, tokens

SecondOpinion = Callable[[str, Correction], float | None]
HIGHEST = 0.97


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
    found = [in_context(one, message, previous_reply) for one in said(passage(message))]
    if repeated := asked_again(message, previous_request):
        found.append(repeated)
    best = max(found, key=_weight, default=None)
    if best is None:
        return None
    if second_opinion and best.uncertain and (opinion := second_opinion(message, best)) is not None:
        best = replace(best, score=min(1.0, max(0.0, opinion)))
    return best if best.score >= floor else None


def said(text: Passage) -> Iterator[Correction]:
    """Every correction that is put into words, in every language it could be."""
    for language, read, phrases in worth_trying(text):
        spoken = tokens(read, language.lexicon)
        for phrase in phrases:
            for match in phrase.expression.finditer(spoken.codes):
                score = believed(phrase, match, spoken, language)
                if score:
                    pieces = {
                        name: _words(match.span(name), spoken, text)
                        for name in match.groupdict()
                        if match[name]
                    }
                    span = _span(match.span(), spoken, text)
                    score = min(HIGHEST, score)
                    yield Correction(phrase.kind, score, span, language.code, **pieces)


def _span(tokens_span: tuple[int, int], spoken: Tokens, text: Passage) -> tuple[int, int]:
    first, last = tokens_span
    return text.span(spoken.starts[first], spoken.ends[max(first, last - 1)])


def _words(tokens_span: tuple[int, int], spoken: Tokens, text: Passage) -> str:
    start, end = _span(tokens_span, spoken, text)
    return text.message[start:end]


def _weight(found: Correction) -> tuple[float, bool, bool, int]:
    """The surest first; then the one that says more; then the one that comes first."""
    return found.score, found.wanted is not None, found.unwanted is not None, -found.span[0]
