"""What feedback is to whoever trains a model: a pair of answers, or an answer and its worth."""

from typing import TypedDict

from seasoned.learning.feedback import Feedback


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


def to_preference_pair(feedback: Feedback) -> PreferencePair | None:
    """What the answer should have been, beside what it was; None when one of them is not known.

    >>> from seasoned.learning.feedback import RatedTurn
    >>> turn = RatedTurn("Capital of France?", "Lyon.", model="m1")
    >>> pair = to_preference_pair(Feedback("f1", "corrective", correction="Paris.", turn=turn))
    >>> pair["chosen"], pair["rejected"], pair["model_version"]
    ('Paris.', 'Lyon.', 'm1')
    """
    turn = feedback.turn
    if feedback.polarity != "corrective" or turn is None or not turn.prompt.strip():
        return None
    chosen = corrected(turn.response, feedback.correction, feedback.correction_span)
    if not chosen.strip() or not turn.response.strip() or chosen == turn.response:
        return None
    return PreferencePair(
        prompt=turn.prompt,
        chosen=chosen,
        rejected=turn.response,
        dimension=feedback.dimension,
        model_version=turn.model or turn.version or "",
        confidence=feedback.confidence,
    )


def to_reward_sample(feedback: Feedback) -> RewardSample | None:
    """What the answer is worth; None when it is not known which answer is meant.

    >>> from seasoned.learning.feedback import RatedTurn
    >>> given = Feedback("f1", "positive", 0.5, turn=RatedTurn("2+2?", "4"), confidence=0.9)
    >>> to_reward_sample(given)["score"], to_reward_sample(given)["weight"]
    (0.5, 0.9)
    """
    turn = feedback.turn
    if turn is None or not turn.prompt.strip() or not turn.response.strip():
        return None
    return RewardSample(
        prompt=turn.prompt,
        response=turn.response,
        score=feedback.score,
        dimension=feedback.dimension,
        weight=feedback.confidence,
        source=feedback.source,
    )


def corrected(response: str, correction: str, span: tuple[int, int] | None) -> str:
    """The whole answer as it should be: the correction alone, or in the place of a part.

    >>> corrected("It is Lyon.", "Paris", (6, 10))
    'It is Paris.'
    """
    if span is None:
        return correction
    return response[: span[0]] + correction + response[span[1] :]


def span_within(response: str, span: tuple[int, int]) -> bool:
    start, end = span
    return 0 <= start <= end <= len(response)
