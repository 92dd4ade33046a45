"""One model of a supervised chain: its circuit breaker, and what became of the questions to it."""

from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic_ai.models import Model

from seasoned.core.errors import ModelUnavailable
from seasoned.core.text import one_line
from seasoned.llm.breaker import Breaker, BreakerConfig
from seasoned.llm.providers import ChatModel
from seasoned.security.redact import SECRET, redact


@dataclass(slots=True)
class Counters:
    asked: int = 0
    answered: int = 0
    failed: int = 0
    retried: int = 0
    broken: int = 0  # streams that ended in the middle
    input_tokens: int = 0
    output_tokens: int = 0
    last_error: str = ""


@dataclass(frozen=True)
class Attended:
    chat: ChatModel
    breaker: Breaker
    counters: Counters = field(default_factory=Counters)

    @classmethod
    def of(cls, model: ChatModel | Model, config: BreakerConfig) -> "Attended":
        chat = ChatModel(model.model_id, model) if isinstance(model, Model) else model
        return cls(chat, Breaker(config))

    @property
    def name(self) -> str:
        return self.chat.name

    @property
    def model(self) -> Model:
        return self.chat.model

    def clean(self, text: str) -> str:
        """What a service says, without the key and on one line."""
        key = self.chat.key
        return one_line(redact(text.replace(key, SECRET) if key else text), 300)

    def resting(self, now: float) -> ModelUnavailable:
        return ModelUnavailable(
            f"it failed too often and is left alone for {self.breaker.resting(now):.0f} s"
        )

    def status(self, now: float) -> dict[str, Any]:
        return {"model": self.name, "state": self.breaker.state(now), **asdict(self.counters)}
