"""The protocol by which background learning asks a model: one question, one checked answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from seasoned.llm.json_schema import unknown_keywords


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """A named JSON schema, of the keywords that `json_schema.py` knows."""

    name: str  # letters, digits and _
    body: Mapping[str, Any]

    def __post_init__(self) -> None:
        if strange := unknown_keywords(self.body):
            raise ValueError(f"{self.name}: nobody checks {', '.join(sorted(strange))}")


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    system: str
    prompt: str
    schema: AnswerSchema
    most_tokens: int = 2000  # of the answer, including the model's thinking


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Data that satisfies the schema, and the tokens of all tries."""

    data: dict[str, Any]
    input_tokens: int
    output_tokens: int


class Model(Protocol):
    @property
    def name(self) -> str:
        """Provider and model, as `openai:gpt-5.4-mini`."""
        ...

    def answer(self, question: ModelQuestion) -> ModelAnswer:
        """Wait for an answer; call it from a worker thread.

        Raises `ModelUnavailable` if asking later may help, `BudgetSpent` if today's budget is used
        up, else `ModelError`.
        """
        ...


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of a text in any script, rather too high than too low.

    >>> estimated_tokens("hello world!"), estimated_tokens("東京")
    (4, 2)
    """
    return -(-len(text.encode("utf-8", "replace")) // 3)
