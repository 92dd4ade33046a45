"""Says how much a text matters for a request: by its words and its meaning, and how it is believed.

Words and meaning are put on one scale before they are added: words as the share of what the
request's words are worth, meaning as a cosine. Adding ranks instead was worse than words alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from seasoned.core.bm25 import (
    FAR_WEIGHS,
    LENGTH_COUNTS,
    NEAR_WEIGHS,
    SATURATION,
    TRIGGER_WEIGHS,
    Indexed,
    Spoken,
)
from seasoned.core.stems import stem
from seasoned.learning.lesson import Lesson, Verdict

MEANING_COUNTS = 0.4
COVERAGE_COUNTS = 0.1
FIELDS = (TRIGGER_WEIGHS, 1.0, NEAR_WEIGHS, FAR_WEIGHS)
# Words that agents use in every request: they say little about what it is about.
WEAK = frozenset(
    stem(word)
    for word in """use using used run running try add new get set make file files error errors fail
    failed call command tool first instead before after again please want need help code work
    value""".split()
)
# What a trial said of it; what harms is not given at all.
VERDICTS: dict[Verdict, float] = {"helps": 1.1, "undecided": 1.0, "inert": 0.7, "harms": 0.0}
AGED = 0.2  # the most that age can cost an inferred lesson
HALF_LIFE = 90 * 24 * 3600 * 1_000_000  # microseconds until half of that


@dataclass(frozen=True, slots=True)
class Match:
    """How well a text fits a request."""

    words: float  # the share of what its words are worth, from 0 to 1
    covered: float  # the share of the request's words that the text speaks of
    likeness: float | None  # cosine of the meanings; None when it is not known

    @property
    def score(self) -> float:
        """What candidates are ordered by."""
        meaning = max(self.likeness or 0.0, 0.0)
        return self.words + MEANING_COUNTS * meaning + COVERAGE_COUNTS * self.covered

    @property
    def relevance(self) -> float:
        """Whether it is about the request at all, from 0 to 1.

        On questions that a collection answers and questions that it does not, words and meaning
        together tell the two apart better than either.
        """
        if self.likeness is None:
            return self.covered
        return (self.covered + max(self.likeness, 0.0)) / 2


@dataclass(frozen=True, slots=True)
class Weighed:
    """A request's stems, with what each is worth in this collection; a strange one is worth 0."""

    worth: Mapping[str, float]
    most: float
    mean_length: float
    shares: Mapping[str, float]  # of what the request is about, all together 1

    @classmethod
    def among(cls, asked: Sequence[str], spoken: Spoken) -> "Weighed":
        worth = {w: spoken.weight(w) if spoken.frequencies.get(w) else 0.0 for w in asked}
        return cls(worth, sum(worth.values()), max(spoken.mean_length, 1.0), shares_of(asked))


def matched(request: Weighed, text: Indexed, likeness: float | None) -> Match:
    """Compares a request with a text: BM25 over its fields, and plain coverage."""
    often = _often(request.worth, text)
    if not often:
        return Match(0.0, 0.0, likeness)
    longer = SATURATION * (1 - LENGTH_COUNTS + LENGTH_COUNTS * text.length / request.mean_length)
    worth = share = 0.0
    for word, times in often.items():
        worth += request.worth[word] * times / (times + longer)
        share += request.shares[word] * min(1.0, times)  # what is said beside it counts as little
    return Match(worth / request.most if request.most else 0.0, share, likeness)


def shares_of(asked: Collection[str]) -> dict[str, float]:
    """How much of a request each of its words is.

    >>> shares_of(["run", "migrat"])
    {'run': 0.2, 'migrat': 0.8}
    """
    weights = {word: 0.25 if word in WEAK else 1.0 for word in asked}
    together = sum(weights.values())
    return {word: weight / together for word, weight in weights.items()}


def believed(lesson: Lesson, now: int) -> float:
    """What a lesson counts: what a person said in full; else by confidence, trial and age."""
    verdict = VERDICTS[lesson.verdict]
    if lesson.explicit:
        return verdict
    fresh = 1.0
    if lesson.source != "document":  # a document is as true as on the day it was read
        fresh = 1 - AGED * (1 - 0.5 ** (max(0, now - lesson.updated_at) / HALF_LIFE))
    return lesson.confidence * verdict * fresh


def _often(wanted: Mapping[str, float], text: Indexed) -> dict[str, float]:
    """How often each wanted word is said, by the weight of the field that says it."""
    often: dict[str, float] = {}
    for field, weight in zip(text, FIELDS, strict=True):
        for word in field.split() if field else ():
            if word in wanted:
                often[word] = often.get(word, 0.0) + weight
    return often
