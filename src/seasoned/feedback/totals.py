"""Totals of feedback by dimension, source, skill, tool and lesson."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from seasoned.feedback.feedback import Attribution, Feedback

About = Literal["dimension", "skill", "tool", "source", "lesson"]
ABOUT: tuple[About, ...] = get_args(About)


class TotalKey(NamedTuple):
    about: str
    name: str
    dimension: str


@dataclass(frozen=True, slots=True)
class FeedbackTotal:
    """`score` and `confidence` are sums."""

    count: int = 0
    score: float = 0.0
    confidence: float = 0.0
    positive: int = 0
    negative: int = 0
    neutral: int = 0
    corrective: int = 0
    last_at: int = 0

    @property
    def mean_score(self) -> float:
        return self.score / self.count if self.count else 0.0

    @property
    def mean_confidence(self) -> float:
        return self.confidence / self.count if self.count else 0.0

    def plus(self, other: "FeedbackTotal") -> "FeedbackTotal":
        return FeedbackTotal(
            self.count + other.count,
            self.score + other.score,
            self.confidence + other.confidence,
            self.positive + other.positive,
            self.negative + other.negative,
            self.neutral + other.neutral,
            self.corrective + other.corrective,
            max(self.last_at, other.last_at),
        )

    def sums(self) -> tuple[float, ...]:
        """Return all sums, without the time."""
        return (
            *(self.count, self.score, self.confidence),
            *(self.positive, self.negative, self.neutral, self.corrective),
        )

    def means(self) -> dict[str, float]:
        return {
            "count": self.count,
            "mean_score": self.mean_score,
            "mean_confidence": self.mean_confidence,
        }


EMPTY = FeedbackTotal()


def total_feedback(items: Iterable[tuple[Feedback, Attribution]]) -> dict[TotalKey, FeedbackTotal]:
    """Add feedback up for each thing that it is about.

    >>> given = [Feedback("a", "positive", 1.0), Feedback("b", "negative", -0.5)]
    >>> sums = total_feedback((one, Attribution(tool="shell")) for one in given)
    >>> sums[TotalKey("tool", "shell", "helpfulness")].mean_score
    0.25
    """
    # Group equal pieces first, because most of a batch is alike.
    alike: dict[tuple[str, str, str, Attribution], list[float]] = {}
    for given, about in items:
        group = (given.dimension, given.source, given.polarity, about)
        held = alike.get(group) or alike.setdefault(group, [0, 0.0, 0.0, 0])
        held[0] += 1
        held[1] += given.score
        held[2] += given.confidence
        held[3] = max(held[3], given.at)
    sums: dict[TotalKey, FeedbackTotal] = {}
    for (dimension, source, polarity, about), (count, score, confidence, at) in alike.items():
        one = {"count": int(count), polarity: int(count), "last_at": int(at)}
        total = FeedbackTotal(score=score, confidence=confidence, **one)
        for key in _keys(dimension, source, about):
            sums[key] = sums.get(key, EMPTY).plus(total)
    return sums


def _keys(dimension: str, source: str, about: Attribution) -> Iterator[TotalKey]:
    yield TotalKey("dimension", dimension, dimension)
    yield TotalKey("source", source, dimension)
    for kind, name in (("skill", about.skill), ("tool", about.tool), ("lesson", about.lesson)):
        if name:
            yield TotalKey(kind, name, dimension)
