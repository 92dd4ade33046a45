"""Feedback: what a person, the environment or the agent itself thinks of an answer.

`valid_feedback` is called once, where feedback comes in (the learn protocol, the Python API); the
rest of the package trusts its result. `sanitise` makes feedback fit to be stored: no secrets,
bounded texts and names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, TypedDict, TypeVar, cast, get_args

from seasoned.core.errors import BadInput
from seasoned.core.limits import LATEST
from seasoned.core.text import UNSTORABLE, storable
from seasoned.security.redact import cut, may_hide_a_secret, redacted_json
from seasoned.security.stored import stored_name

T = TypeVar("T")

Polarity = Literal["positive", "negative", "neutral", "corrective"]
Dimension = Literal["correctness", "helpfulness", "safety", "tone", "plan_quality"]
Giver = Literal["human", "env", "self"]
POLARITIES: tuple[Polarity, ...] = get_args(Polarity)
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
GIVERS: tuple[Giver, ...] = get_args(Giver)
ENUMS = {"polarity": POLARITIES, "dimension": DIMENSIONS, "source": GIVERS}
# The score that a polarity implies.
SCORES: dict[Polarity, float] = {
    "positive": 1.0,
    "negative": -1.0,
    "neutral": 0.0,
    "corrective": -1.0,
}

LONGEST_TEXT = 32_000  # characters of a request, a response or a correction
LONGEST_COMMENT = 4000
LONGEST_NAME = 200
LONGEST_ENVIRONMENT = 8000
TEXT_CUT = "too long: cut"  # the flag of a text that is stored, but never exported


@dataclass(frozen=True, slots=True)
class RatedTurn:
    """The request and the response that feedback is about, and the origin of the response."""

    prompt: str
    response: str
    model: str = ""
    environment: Mapping[str, Any] | None = None
    version: str | None = None


class PreferencePair(TypedDict):
    prompt: str
    chosen: str
    rejected: str
    dimension: str
    model_version: str
    confidence: float


class RewardSample(TypedDict):
    prompt: str
    response: str
    score: float
    dimension: str
    weight: float
    source: str


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
    flags: tuple[str, ...] = field(default=())  # values that were out of range or cut

    def to_preference_pair(self) -> PreferencePair | None:
        """Return the corrected answer beside the given one; None if one of them is unknown.

        >>> turn = RatedTurn("Capital of France?", "Lyon.", model="m1")
        >>> pair = Feedback("f1", "corrective", correction="Paris.", turn=turn).to_preference_pair()
        >>> pair["chosen"], pair["rejected"], pair["model_version"]
        ('Paris.', 'Lyon.', 'm1')
        """
        turn = self.turn
        if self.polarity != "corrective" or turn is None or not turn.prompt.strip():
            return None
        chosen = corrected_response(turn.response, self.correction, self.correction_span)
        if not chosen.strip() or not turn.response.strip() or chosen == turn.response:
            return None
        return PreferencePair(
            prompt=turn.prompt,
            chosen=chosen,
            rejected=turn.response,
            dimension=self.dimension,
            model_version=turn.model or turn.version or "",
            confidence=self.confidence,
        )

    def to_reward_sample(self) -> RewardSample | None:
        """Return the answer with its score; None if the rated turn is unknown.

        >>> given = Feedback("f1", "positive", 0.5, turn=RatedTurn("2+2?", "4"), confidence=0.9)
        >>> given.to_reward_sample()["score"], given.to_reward_sample()["weight"]
        (0.5, 0.9)
        """
        turn = self.turn
        if turn is None or not turn.prompt.strip() or not turn.response.strip():
            return None
        return RewardSample(
            prompt=turn.prompt,
            response=turn.response,
            score=self.score,
            dimension=self.dimension,
            weight=self.confidence,
            source=self.source,
        )


@dataclass(frozen=True, slots=True)
class Attribution:
    """The skill, tool and lesson that feedback is attributed to."""

    skill: str = ""
    tool: str = ""
    lesson: str = ""

    @property
    def names_work(self) -> bool:
        return bool(self.skill or self.tool)


@dataclass(frozen=True, slots=True)
class StoredFeedback:
    """Feedback in the database; `place` is its position in the order of arrival."""

    feedback: Feedback
    attribution: Attribution
    user: str = ""
    place: int = 0


def valid_feedback(given: Feedback) -> Feedback:
    """Return the same feedback with enums in lower case and numbers in range; refuse the rest.

    >>> valid_feedback(Feedback("f1", "positive", score=5)).flags
    ('score 5 clamped to 1.0',)
    """
    if not given.id:
        raise BadInput("feedback needs an id, so that it counts once")
    changes: dict[str, Any] = {}
    for name, allowed in ENUMS.items():
        value = getattr(given, name)
        if value not in allowed:
            changes[name] = _enum(name, value, allowed)
    for name, value in (("score", given.score), ("confidence", given.confidence)):
        if not _is_finite(value):
            raise BadInput(f"the {name} of feedback {given.id} is no finite number; give one")
    if changes.get("polarity", given.polarity) == "corrective" and not given.correction.strip():
        raise BadInput(f"feedback {given.id} is corrective; say in correction what would be right")
    score, low = _clamp(given.score, -1.0, 1.0, "score")
    confidence, high = _clamp(given.confidence, 0.0, 1.0, "confidence")
    if low or high:
        flags = (*given.flags, *low, *high)
        changes |= {"score": score, "confidence": confidence, "flags": flags}
    return replace(given, **changes) if changes else given


def _enum(name: str, value: object, allowed: tuple[str, ...]) -> str:
    lowered = value.strip().lower() if isinstance(value, str) else value
    if lowered not in allowed:
        raise BadInput(f"{name} is {lowered!r}; it must be one of {', '.join(allowed)}")
    return str(lowered)


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except (TypeError, OverflowError):  # a string; an integer too large for a float
        return False


def _clamp(value: float, least: float, most: float, name: str) -> tuple[float, tuple[str, ...]]:
    fits = min(most, max(least, value))
    return fits, () if fits == value else (f"{name} {value:g} clamped to {fits}",)


def corrected_response(response: str, correction: str, span: tuple[int, int] | None) -> str:
    """Return the whole response as it should be; a span says which part the correction replaces.

    >>> corrected_response("It is Lyon.", "Paris", (6, 10))
    'It is Paris.'
    """
    if span is None:
        return correction
    return response[: span[0]] + correction + response[span[1] :]


def sanitise(given: Feedback, now: int) -> Feedback:
    """Return feedback as it may be stored; its flags say what was changed."""
    if _is_clean(given):
        return given if given.at else replace(given, at=now)
    flags = list(given.flags)
    at = given.at or now
    if not 0 <= at <= LATEST:
        flags.append("at is no time: the time of arrival was taken")
        at = now
    turn = given.turn and _sanitise_turn(given.turn)
    correction, span = given.correction, given.correction_span
    if span is not None and not (given.turn and _is_within(span, given.turn.response)):
        flags.append("correction_span is not within the response: left out")
        span = None
    elif span is not None and given.turn and turn and turn.response != given.turn.response:
        # The span does not fit the changed response.
        correction, span = corrected_response(given.turn.response, correction, span), None
    texts = (correction, given.turn.prompt, given.turn.response) if given.turn else (correction,)
    if any(len(text) > LONGEST_TEXT for text in texts):
        flags.append(TEXT_CUT)
    changes: dict[str, Any] = {
        "id": stored_name(given.id),
        "comment": _text(given.comment, LONGEST_COMMENT),
        "correction": _text(correction),
        "correction_span": span,
        "annotator_id": stored_name(given.annotator_id),
        "correlation_id": stored_name(given.correlation_id),
        "session_id": stored_name(given.session_id),
        "turn": turn,
        "at": at,
        "flags": tuple(flags),
    }
    return _replace(given, changes)


def _is_clean(given: Feedback) -> bool:
    """Check all texts at once, because most feedback needs no change."""
    turn = given.turn or NO_TURN
    ids = f"{given.id}\n{given.annotator_id}\n{given.correlation_id}\n{given.session_id}"
    names = f"{ids}\n{turn.model}\n{turn.version or ''}"
    texts = f"{names}\n{given.comment}\n{given.correction}\n{turn.prompt}\n{turn.response}"
    return (
        len(names) <= LONGEST_NAME
        and names.isascii()
        and 0 <= given.at <= LATEST
        and given.correction_span is None
        and len(texts) <= LONGEST_COMMENT
        and not UNSTORABLE.search(texts)
        and not may_hide_a_secret(texts)
    )


NO_TURN = RatedTurn("", "")


def _sanitise_turn(turn: RatedTurn) -> RatedTurn:
    changes = {
        "prompt": _text(turn.prompt),
        "response": _text(turn.response),
        "model": stored_name(turn.model),
        "version": None if turn.version is None else stored_name(turn.version),
    }
    return _replace(turn, changes)


def _replace(given: T, changes: Mapping[str, Any]) -> T:
    """Return the same object if nothing changes, because thousands arrive at once."""
    different = {name: new for name, new in changes.items() if getattr(given, name) != new}
    return cast("T", replace(cast("Any", given), **different)) if different else given


def _is_within(span: tuple[int, int], response: str) -> bool:
    start, end = span
    return 0 <= start <= end <= len(response)


def _text(text: str, longest: int = LONGEST_TEXT) -> str:
    return cut(storable(text), longest) if text else text


def environment_json(environment: Mapping[str, Any] | None) -> str | None:
    """Return the environment as JSON; one that is too large is reduced to skill and tool."""
    if environment is None:
        return None
    text = redacted_json(environment, longest=2000)
    if len(text) <= LONGEST_ENVIRONMENT:
        return text
    few = {name: environment[name] for name in ("skill", "tool") if name in environment}
    return redacted_json(few, longest=LONGEST_NAME)
