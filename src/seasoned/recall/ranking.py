"""Rank texts for a request: by words, by meaning, and by how far a lesson is believed.

Words and meaning are brought to one scale before they are added: words as a share of what the
request's words could score, meaning as a cosine. Adding ranks instead was worse than words alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from seasoned.core.words import (
    FAR_WEIGHS,
    LENGTH_COUNTS,
    NEAR_WEIGHS,
    SATURATION,
    TRIGGER_WEIGHS,
    IndexedText,
    WordMatches,
    stem,
)
from seasoned.lessons.lesson import Lesson, Verdict

MEANING_COUNTS = 0.4
COVERAGE_COUNTS = 0.1
FIELDS = (TRIGGER_WEIGHS, 1.0, NEAR_WEIGHS, FAR_WEIGHS)
# Words that agents use in every request: they say little about its subject.
WEAK = frozenset(
    stem(word)
    for word in """use using used run running try add new get set make file files error errors fail
    failed call command tool first instead before after again please want need help code work
    value""".split()
)
# Planned: trials will set a lesson's verdict. Until then, every lesson is "undecided".
VERDICTS: dict[Verdict, float] = {"helps": 1.1, "undecided": 1.0, "inert": 0.7, "harms": 0.0}
AGED = 0.2  # the most that an inferred lesson can lose by age
HALF_LIFE = 90 * 24 * 3600 * 1_000_000  # microseconds until it has lost half of that


@dataclass(frozen=True, slots=True)
class Match:
    """How well a text fits a request."""

    words: float  # share of the best possible score, from 0 to 1
    covered: float  # share of the request's words that the text says
    likeness: float | None  # cosine of the meanings; None if unknown

    @property
    def score(self) -> float:
        """Value that candidates are ordered by."""
        meaning = max(self.likeness or 0.0, 0.0)
        return self.words + MEANING_COUNTS * meaning + COVERAGE_COUNTS * self.covered

    @property
    def relevance(self) -> float:
        """Whether the text is about the request at all, from 0 to 1.

        Words and meaning together separate questions that a collection answers from those that it
        does not, better than either alone.
        """
        if self.likeness is None:
            return self.covered
        return (self.covered + max(self.likeness, 0.0)) / 2


@dataclass(frozen=True, slots=True)
class RequestWeights:
    """A request's stems with their weight in this collection; an unknown stem weighs 0."""

    worth: Mapping[str, float]
    most: float
    mean_length: float
    shares: Mapping[str, float]  # of the request, adding up to 1

    @classmethod
    def among(cls, asked: Sequence[str], matches: WordMatches) -> "RequestWeights":
        worth = {w: matches.weight(w) if matches.frequencies.get(w) else 0.0 for w in asked}
        return cls(worth, sum(worth.values()), max(matches.mean_length, 1.0), shares_of(asked))


def match_text(request: RequestWeights, text: IndexedText, likeness: float | None) -> Match:
    """Compare a request with a text: BM25 over its fields, and plain coverage."""
    often = _often(request.worth, text)
    if not often:
        return Match(0.0, 0.0, likeness)
    longer = SATURATION * (1 - LENGTH_COUNTS + LENGTH_COUNTS * text.length / request.mean_length)
    worth = share = 0.0
    for word, times in often.items():
        worth += request.worth[word] * times / (times + longer)
        share += request.shares[word] * min(1.0, times)  # words of `near` and `far` count less
    covered = min(1.0, share)  # a sum of shares may exceed 1 by rounding
    return Match(worth / request.most if request.most else 0.0, covered, likeness)


def shares_of(asked: Collection[str]) -> dict[str, float]:
    """Return each word's share of a request.

    >>> shares_of(["run", "migrat"])
    {'run': 0.2, 'migrat': 0.8}
    """
    weights = {word: 0.25 if word in WEAK else 1.0 for word in asked}
    together = sum(weights.values())
    return {word: weight / together for word, weight in weights.items()}


def credibility(lesson: Lesson, now: int) -> float:
    """Return a lesson's factor: 1 if a person stated it, else by confidence and age."""
    verdict = VERDICTS[lesson.verdict]
    if lesson.explicit:
        return verdict
    fresh = 1.0
    if lesson.source != "document":  # documents do not age
        fresh = 1 - AGED * (1 - 0.5 ** (max(0, now - lesson.updated_at) / HALF_LIFE))
    return lesson.confidence * verdict * fresh


def _often(wanted: Mapping[str, float], text: IndexedText) -> dict[str, float]:
    """Count each wanted word in a text, by the weight of its field."""
    often: dict[str, float] = {}
    for field, weight in zip(text, FIELDS, strict=True):
        for word in field.split() if field else ():
            if word in wanted:
                often[word] = often.get(word, 0.0) + weight
    return often
