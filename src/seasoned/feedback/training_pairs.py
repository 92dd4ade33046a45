"""Feedback as training data: a pair of answers, or an answer with its score."""

from typing import TypedDict

from seasoned.feedback.feedback import Feedback, corrected_response


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
    """Return the corrected answer beside the given one; None if one of them is unknown.

    >>> from seasoned.feedback.feedback import RatedTurn
    >>> turn = RatedTurn("Capital of France?", "Lyon.", model="m1")
    >>> pair = to_preference_pair(Feedback("f1", "corrective", correction="Paris.", turn=turn))
    >>> pair["chosen"], pair["rejected"], pair["model_version"]
    ('Paris.', 'Lyon.', 'm1')
    """
    turn = feedback.turn
    if feedback.polarity != "corrective" or turn is None or not turn.prompt.strip():
        return None
    chosen = corrected_response(turn.response, feedback.correction, feedback.correction_span)
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
    """Return the answer with its score; None if the rated turn is unknown.

    >>> from seasoned.feedback.feedback import RatedTurn
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
