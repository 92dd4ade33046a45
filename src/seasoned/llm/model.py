"""What background learning asks of a language model: one question, one answer of a known shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from seasoned.llm.json_schema import unknown


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """A JSON schema with a name; `json_schema.py` has the part of the standard that is known."""

    name: str  # letters, digits and _
    body: Mapping[str, Any]

    def __post_init__(self) -> None:
        if strange := unknown(self.body):
            raise ValueError(f"{self.name}: nobody checks {', '.join(sorted(strange))}")


@dataclass(frozen=True, slots=True)
class Question:
    system: str
    prompt: str
    schema: AnswerSchema
    most_tokens: int = 2000  # of the answer, with what the model thinks before it


@dataclass(frozen=True, slots=True)
class Answer:
    """Data that satisfies the schema, and what it took; a second try is included."""

    data: dict[str, Any]
    input_tokens: int
    output_tokens: int


class Model(Protocol):
    @property
    def name(self) -> str:
        """The provider and the model, as `openai:gpt-5.4-mini`."""
        ...

    def answer(self, question: Question) -> Answer:
        """Blocks until there is an answer.

        Raises `ModelUnavailable` when asking later may help, else `ModelError`.
        """
        ...


def estimated_tokens(text: str) -> int:
    """At least as many as a text usually has, in any script.

    >>> estimated_tokens("hello world!"), estimated_tokens("東京")
    (4, 2)
    """
    return -(-len(text.encode("utf-8", "replace")) // 3)
