"""Detect that a user corrects the assistant: in words of eight languages, or by asking again.

    >>> found = find_correction("No, use pytest, not unittest.")
    >>> found.kind.value, found.wanted, found.unwanted
    ('replacement', 'pytest', 'unittest')
    >>> find_correction("My teacher told me that's wrong, can you check?") is None
    True

Pure and fast enough to run in every turn. The steps:

1. `worded_corrections` searches the phrases of each likely language (`languages/`), and lowers the
   score of a phrase that a guard explains away: reported, asked, supposed, agreed.
2. `in_context` (`context.py`) judges what was found by the reply that the message answers.
3. `asked_again` compares the message with the previous request.
4. The candidate with the highest score wins. If it is uncertain, the second opinion decides.

A score of SAFE or more is safe to learn from; UNCERTAIN or more deserves a second opinion; anything
below is returned only if the caller lowers the floor.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from seasoned.core.words import stem, telling_words
from seasoned.corrections.context import IN_THE_REPLY, in_context
from seasoned.corrections.correction import UNCERTAIN, Correction, CorrectionKind
from seasoned.corrections.languages.candidates import candidate_phrases
from seasoned.corrections.languages.language import (
    FIRST,
    Language,
    Phrase,
    clause_start,
    sentence_bounds,
)
from seasoned.corrections.languages.text import FoldedMessage, fold_message

SecondOpinion = Callable[[str, Correction], float | None]
Places = list[tuple[int, int]]
HIGHEST_SCORE = 0.97
MOST_MATCHES = 8  # of one phrase; saying it more often says no more
# In a long message a phrase is part of a story, of text that is passed on, or of a new task.
LONG_MESSAGE, LONG_TASK = 60, 25  # words
IN_PASSING = 0.5  # factor for such a phrase
LONGEST_REQUEST = 400  # characters: a longer one is text passed on, which may be sent twice
LEAST_TELLING = 3  # words: "go on", "yes please" may be said twice
SAME_REQUEST, ALMOST_SAME_REQUEST = 0.7, 0.6  # scores
# A piece that ends in a preposition was cut in the middle.
DANGLING = re.compile(
    r"\b(?:in|on|at|to|for|of|with|from|by|into|en|con|para|por|del?|em|com|dans|sur|avec|pour|mit"
    r"|auf|zu|von|im|am|per|di|su)\Z",
    re.IGNORECASE,
)
NEW_WORDS = 0.25  # share of new words up to which a request counts as the same


def find_correction(
    message: str,
    *,
    previous_request: str | None = None,
    previous_reply: str | None = None,
    second_opinion: SecondOpinion | None = None,
    floor: float = UNCERTAIN,
) -> Correction | None:
    """Return the most certain correction in a message, or None.

    `previous_reply` is the reply that the message answers: "no" to a question is an answer, "no" to
    a statement is a correction. `previous_request` is the user's request before it: asking the same
    again is a correction. `second_opinion` gets the message and an uncertain correction; the
    probability that it returns becomes the score, None keeps the score.
    """
    found = in_context(list(worded_corrections(fold_message(message))), previous_reply)
    if repeated := asked_again(message, previous_request):
        found.append(repeated)
    best = max(found, key=_rank, default=None)
    if best is None:
        return None
    if second_opinion and best.uncertain and (opinion := second_opinion(message, best)) is not None:
        best = replace(best, score=min(1.0, max(0.0, opinion)))
    return best if best.score >= floor else None


def _rank(found: Correction) -> tuple[float, bool, bool, int]:
    """Order by score; then by how much it says; then by position."""
    return found.score, found.wanted is not None, found.unwanted is not None, -found.span[0]


def worded_corrections(text: FoldedMessage) -> Iterator[Correction]:
    """Yield the corrections that a message puts into words, in every likely language.

    Phrases that could not outweigh one found before are skipped.
    """
    for language, codes, phrases in candidate_phrases(text):
        surest, places = 0.0, Places()
        for phrase in phrases:
            if phrase.score < surest and not _changes_others(phrase, surest):
                continue
            for match in islice(phrase.expression.finditer(codes), MOST_MATCHES):
                if score := min(HIGHEST_SCORE, _guarded_score(phrase, match, codes, language)):
                    places = places or language.places(text.folded)
                    found = _correction(phrase, match, score, language.code, places, text)
                    if phrase.kind is CorrectionKind.REPLACEMENT and _is_cut(found):
                        continue  # "don't use emojis in commit messages" replaces nothing
                    if not phrase.turn and phrase.kind is not CorrectionKind.DECLINED:
                        surest = max(surest, score)
                    yield found


def _is_cut(found: Correction) -> bool:
    return any(DANGLING.search(piece or "") for piece in (found.wanted, found.unwanted))


def _changes_others(phrase: Phrase, surest: float) -> bool:
    """Whether a weaker phrase still matters: it revokes the surer one, or the reply raises it."""
    return phrase.kind is CorrectionKind.AMENDED or (
        phrase.kind is CorrectionKind.REPLACEMENT and surest < IN_THE_REPLY
    )


def _correction(
    phrase: Phrase,
    match: re.Match[str],
    score: float,
    code: str,
    places: Places,
    text: FoldedMessage,
) -> Correction:
    def span(first: int, last: int) -> tuple[int, int]:
        return text.span(places[first][0], places[max(first, last - 1)][1])

    pieces = {
        name: text.message[slice(*span(*match.span(name)))]
        for name in match.groupdict()
        if match[name]
    }
    return Correction(phrase.kind, score, span(*match.span()), code, turn=phrase.turn, **pieces)


def _guarded_score(phrase: Phrase, match: re.Match[str], codes: str, language: Language) -> float:
    """Return the score of a phrase at this place; 0 if it corrects nothing here."""
    around = sentence_bounds(codes, *match.span())
    if not phrase.asked and _asks(codes[match.end() : around[1] + 1], language):
        return 0.0
    score = phrase.score
    areas = _guard_areas(match, around, codes)
    for guard in language.guards:
        if guard.concerns(phrase) and guard.expression.search(areas[guard.place]):
            score *= guard.leaves
            if not score:
                return 0.0
    return score * IN_PASSING if _in_passing(phrase, len(codes), around) else score


def _in_passing(phrase: Phrase, words: int, around: tuple[int, int]) -> bool:
    """Whether a phrase is said beside other matters: who corrects says so first, and briefly."""
    first = around[0] <= 1 and around[1] <= LONG_TASK
    if phrase.kind is CorrectionKind.INSTRUCTION:
        return words > LONG_TASK
    long = LONG_TASK if phrase.kind is CorrectionKind.REPLACEMENT else LONG_MESSAGE
    return words > long and not first


def _guard_areas(match: re.Match[str], around: tuple[int, int], codes: str) -> Mapping[str, str]:
    """Return the areas that guards search, by name; each has a pause at both ends."""
    (start, end), (first, last) = match.span(), around
    return {
        "before": codes[first - 1 : start] + FIRST,
        "clause": codes[clause_start(codes, start) - 1 : end] + FIRST,
        "after": FIRST + codes[end : last + 1],
        "sentence": codes[first - 1 : last + 1],
        "message": codes,
    }


def _asks(rest: str, language: Language) -> bool:
    """Whether the question mark of the sentence belongs to the phrase, not to a later clause."""
    return rest.endswith("?") and "," not in rest and language.joining.isdisjoint(rest)


def asked_again(message: str, previous: str | None) -> Correction | None:
    """Return a correction if a request repeats the previous one in almost the same words.

    A different name or number makes it a different request.

    >>> asked_again("list the open invoices of May", "List open invoices of May!").kind
    <CorrectionKind.ASKED_AGAIN: 'asked_again'>
    >>> asked_again("list the open invoices of June", "list the open invoices of May") is None
    True
    """
    if not previous or len(message) > LONGEST_REQUEST or len(previous) > LONGEST_REQUEST:
        return None
    now, before = (
        dict.fromkeys(stem(word) for word in telling_words(text)) for text in (message, previous)
    )
    if min(len(now), len(before)) < LEAST_TELLING:
        return None
    gone, new = before.keys() - now.keys(), now.keys() - before.keys()
    if any(word.isdigit() for word in gone | new):
        return None
    if gone and new and not _is_typo(gone, new):
        return None
    if len(gone | new) > NEW_WORDS * len(before.keys() | now.keys()):
        return None
    score = ALMOST_SAME_REQUEST if gone | new else SAME_REQUEST
    return Correction(CorrectionKind.ASKED_AGAIN, score, (0, len(message)))


def _is_typo(gone: set[str], new: set[str]) -> bool:
    """Whether one word took the place of one that begins or ends like it."""
    if len(gone) != 1 or len(new) != 1:
        return False
    (a,), (b,) = gone, new
    shared = sum(x == y for x, y in zip(a, b, strict=False))
    shared = max(shared, sum(x == y for x, y in zip(a[::-1], b[::-1], strict=False)))
    return shared >= max(3, max(len(a), len(b)) - 2)
