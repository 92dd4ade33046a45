"""Feedback: what a person, the environment or the agent itself thinks of an answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, get_args

from seasoned.core.errors import BadInput

Polarity = Literal["positive", "negative", "neutral", "corrective"]
Dimension = Literal["correctness", "helpfulness", "safety", "tone", "plan_quality"]
Giver = Literal["human", "env", "self"]
POLARITIES: tuple[Polarity, ...] = get_args(Polarity)
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
GIVERS: tuple[Giver, ...] = get_args(Giver)


@dataclass(frozen=True, slots=True)
class RatedTurn:
    """The request and the answer that feedback is about, and what gave the answer."""

    prompt: str
    response: str
    model: str = ""
    environment: Mapping[str, Any] | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    id: str
    polarity: Polarity
    score: float = 0.0
    dimension: Dimension = "helpfulness"
    confidence: float = 1.0
    comment: str = ""
    correction: str = ""
    correction_span: tuple[int, int] | None = None
    source: Giver = "human"
    annotator_id: str = ""
    correlation_id: str = ""
    session_id: str = ""
    turn: RatedTurn | None = None
    at: int = 0  # microseconds since 1970
    flags: tuple[str, ...] = field(default=())  # what was out of range, and made to fit


def checked(given: Feedback) -> Feedback:
    """The same within its ranges; what cannot be meant is refused.

    >>> checked(Feedback("f1", "positive", score=5)).flags
    ('score 5 clamped to 1.0',)
    """
    if not given.id:
        raise BadInput("feedback needs an id, so that it counts once")
    for name, value, allowed in (
        ("polarity", given.polarity, POLARITIES),
        ("dimension", given.dimension, DIMENSIONS),
        ("source", given.source, GIVERS),
    ):
        if value not in allowed:
            raise BadInput(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
    for name, value in (("score", given.score), ("confidence", given.confidence)):
        if not _is_finite(value):
            raise BadInput(f"the {name} of feedback {given.id} is no finite number; give one")
    if given.polarity == "corrective" and not given.correction.strip():
        raise BadInput(f"feedback {given.id} is corrective; say in correction what would be right")
    score, low = _within(given.score, -1.0, 1.0, "score")
    confidence, high = _within(given.confidence, 0.0, 1.0, "confidence")
    if not low and not high:
        return given
    return replace(given, score=score, confidence=confidence, flags=(*given.flags, *low, *high))


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except (TypeError, OverflowError):  # a text; a whole number that no float can hold
        return False


def _within(value: float, least: float, most: float, name: str) -> tuple[float, tuple[str, ...]]:
    fits = min(most, max(least, value))
    return fits, () if fits == value else (f"{name} {value:g} clamped to {fits}",)
