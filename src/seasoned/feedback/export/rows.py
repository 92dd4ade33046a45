"""Rows of training data from judged answers: DPO, KTO, reward, SFT."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from seasoned.feedback.feedback import Feedback, corrected_response

Kind = Literal["dpo", "kto", "reward", "sft"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Row = dict[str, Any]
Type = Literal["text", "number", "truth", "messages"]

SHORTENED = re.compile(r"…\[\d+ left out\]…")  # the mark in a stored text that was cut
NO_TURN = "no request and answer known"
NO_PAIR = "no correction, so no better answer known"
NO_LABEL = "neither good nor bad"
NO_GOOD = "no good answer known"
TOO_LONG = "a text was too long to be kept whole"
DISAGREE = "polarity and score disagree"
SAME = "the correction changes nothing"


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer, whether it was good, and a better one if known."""

    id: str
    prompt: str
    response: str
    better: str = ""
    good: bool | None = None
    score: float = 0.0
    dimension: str = ""
    source: str = "human"
    confidence: float = 1.0
    model: str = ""
    origin: str = "feedback"

    @property
    def was_cut(self) -> bool:
        """Return whether a text was cut; such an answer is not exported."""
        return bool(SHORTENED.search(f"{self.prompt}\n{self.response}\n{self.better}"))

    def mask(self, mask: Callable[[str], str]) -> "JudgedAnswer":
        """Apply a mask to all texts."""
        texts = {name: mask(getattr(self, name)) for name in ("prompt", "response", "better")}
        return replace(self, **texts)


def judge(given: Feedback) -> JudgedAnswer | str:
    """Turn feedback into a judged answer, or return why it cannot be one.

    >>> judge(Feedback("f1", "positive", 1.0))
    'no request and answer known'
    """
    turn = given.turn
    if turn is None or not turn.prompt.strip() or not turn.response.strip():
        return NO_TURN
    good = GOOD[given.polarity]
    if (good is True and given.score < 0) or (good is False and given.score > 0):
        return DISAGREE
    better = corrected_response(turn.response, given.correction, given.correction_span)
    if given.polarity == "corrective" and better == turn.response:
        return SAME
    return JudgedAnswer(
        id=given.id,
        prompt=turn.prompt,
        response=turn.response,
        better=better if given.polarity == "corrective" else "",
        good=good,
        score=given.score,
        dimension=given.dimension,
        source=given.source,
        confidence=given.confidence,
        model=turn.model or turn.version or "",
    )


# A corrected answer may be good in part, whatever its score, so only its pair is certain.
GOOD = {"positive": True, "negative": False, "neutral": None, "corrective": None}


@dataclass(frozen=True, slots=True)
class RowShape:
    """The columns of a file, and a function from answers to rows or to the reason for none."""

    columns: Mapping[str, Type]
    rows: Callable[[JudgedAnswer], Iterator[Row] | str]


def shape_of(kind: Kind, *, samples: bool = False, chat: bool = False) -> RowShape:
    """Return the shape; `samples`: answers with scores (reward only), `chat`: messages."""
    shape = SAMPLES if kind == "reward" and samples else SHAPES[kind]
    if not chat or "messages" in shape.columns:
        return shape
    columns: dict[str, Type] = {
        name: "messages" if name in ROLES else kind for name, kind in shape.columns.items()
    }
    return RowShape(columns, lambda one: _in_chat(shape.rows(one)))


def _pairs(one: JudgedAnswer) -> Iterator[Row] | str:
    if not one.better.strip():
        return NO_PAIR
    row = {"prompt": one.prompt, "chosen": one.better, "rejected": one.response}
    return iter([{**row, **_origin(one)}])


def _labelled(one: JudgedAnswer) -> Iterator[Row] | str:
    answers = [(one.better, True), (one.response, False)] if one.better.strip() else []
    if not answers and one.good is not None:
        answers = [(one.response, one.good)]
    if not answers:
        return NO_LABEL
    return (
        {"prompt": one.prompt, "completion": text, "label": good, **_origin(one)}
        for text, good in answers
    )


def _conversations(one: JudgedAnswer) -> Iterator[Row] | str:
    answer = one.better if one.better.strip() else one.response if one.good else ""
    if not answer:
        return NO_GOOD
    messages = [*_message("user", one.prompt), *_message("assistant", answer)]
    return iter([{"messages": messages, **_origin(one)}])


def _samples(one: JudgedAnswer) -> Iterator[Row] | str:
    return iter(
        [
            {
                "prompt": one.prompt,
                "response": one.response,
                "score": one.score,
                "weight": one.confidence,
                **{name: value for name, value in _origin(one).items() if name != "confidence"},
            }
        ]
    )


def _origin(one: JudgedAnswer) -> Row:
    return {
        "dimension": one.dimension,
        "model_version": one.model,
        "confidence": one.confidence,
        "source": one.source,
        "id": one.id,
    }


def _message(role: str, text: str) -> list[dict[str, str]]:
    return [{"role": role, "content": text}]


def _in_chat(rows: Iterator[Row] | str) -> Iterator[Row] | str:
    if isinstance(rows, str):
        return rows
    return (
        {name: _message(ROLES[name], row[name]) if name in ROLES else row[name] for name in row}
        for row in rows
    )


ROLES = {
    "prompt": "user",
    "chosen": "assistant",
    "rejected": "assistant",
    "completion": "assistant",
    "response": "assistant",
}
ORIGIN: dict[str, Type] = {
    "dimension": "text",
    "model_version": "text",
    "confidence": "number",
    "source": "text",
    "id": "text",
}
PAIR = RowShape({"prompt": "text", "chosen": "text", "rejected": "text", **ORIGIN}, _pairs)
SHAPES: dict[Kind, RowShape] = {
    "dpo": PAIR,
    "kto": RowShape(
        {"prompt": "text", "completion": "text", "label": "truth", **ORIGIN}, _labelled
    ),
    "reward": PAIR,
    "sft": RowShape({"messages": "messages", **ORIGIN}, _conversations),
}
SAMPLES = RowShape(
    {
        "prompt": "text",
        "response": "text",
        "score": "number",
        "weight": "number",
        **{name: kind for name, kind in ORIGIN.items() if name != "confidence"},
    },
    _samples,
)
