"""Track one model of a supervised chain, and each attempt to get an answer from it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

import anyio
from pydantic_ai.exceptions import ModelConnectionError, ModelRequestTimeout
from pydantic_ai.messages import ModelMessage, ModelResponse, is_multi_modal_content
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from seasoned.core.errors import ModelUnavailable
from seasoned.core.text import one_line
from seasoned.llm.chat.breaker import Breaker, BreakerConfig
from seasoned.llm.chat.model_errors import gist, is_passing
from seasoned.llm.chat.providers import ChatModel
from seasoned.llm.cost.daily_budget import DailyBudget, Reservation
from seasoned.llm.model import estimated_tokens
from seasoned.security.redact import SECRET, redact

PAGE_TOKENS = 1500
LONGEST_ANSWER = 4096  # tokens, if the request sets no limit


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
class ChainLink:
    """One model of a chain, with its circuit breaker and the counters of its requests."""

    chat: ChatModel
    breaker: Breaker
    counters: Counters = field(default_factory=Counters)

    @classmethod
    def of(cls, model: ChatModel | Model, config: BreakerConfig) -> "ChainLink":
        chat = ChatModel(model.model_id, model) if isinstance(model, Model) else model
        return cls(chat, Breaker(config))

    @property
    def name(self) -> str:
        return self.chat.name

    @property
    def model(self) -> Model:
        return self.chat.model

    @property
    def shown(self) -> str:
        """The model's name and address, as errors tell them."""
        return f"{self.name} at {self.chat.address}" if self.chat.address else self.name

    def clean(self, text: str) -> str:
        """Return a service's words on one line, without the key."""
        key = self.chat.key
        return one_line(redact(text.replace(key, SECRET) if key else text), 300)

    def resting_error(self, now: float) -> ModelUnavailable:
        latest = self.counters.last_error
        return ModelUnavailable(
            f"it failed too often and is left alone for {self.breaker.resting(now):.0f} s"
            + (f"; its latest error: {latest}" if latest else "")
        )

    def status(self, now: float) -> dict[str, Any]:
        return {"model": self.name, "state": self.breaker.state(now), **asdict(self.counters)}


class Attempt:
    """One call: reserves its cost, and books what it took however it ends."""

    def __init__(
        self,
        link: ChainLink,
        budget: DailyBudget | None,
        now: Callable[[], float],
        *,
        streamed: bool,
    ) -> None:
        self.link = link
        self._budget = budget
        self._now = now
        self._streamed = streamed
        self._reserved: Reservation | None = None
        self._asked = 0
        self._longest = LONGEST_ANSWER
        self._begun = False

    async def begin(
        self,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> None:
        """Reserve the cost; raise `BudgetSpent` if the call may not be made."""
        self._asked = request_tokens(messages, parameters)
        self._longest = (
            settings["max_tokens"] if settings and "max_tokens" in settings else 0
        ) or LONGEST_ANSWER
        if self._budget is not None:
            price = self.link.chat.price
            self._reserved = await self._budget.reserve(
                self.link.name, price, self._asked, self._longest
            )
        self.link.counters.asked += 1
        self._begun = True

    async def book_answer(self, usage: RequestUsage, said: int = 0) -> None:
        """Book a full answer; `said` is the estimate for services that don't count tokens."""
        counters = self.link.counters
        counters.answered += 1
        self.link.breaker.record_success()
        await self._settle(usage.input_tokens or self._asked, usage.output_tokens or said)

    async def book_failure(self, error: Exception) -> None:
        """Book a failure: a lost answer as the longest one, a refusal as nothing."""
        counters = self.link.counters
        counters.failed += 1
        counters.last_error = self.link.clean(gist(error))
        if may_be_billed(error):
            await self._settle(self._asked, self._longest)
        else:
            await self._settle(0, 0)

    async def book_broken_stream(self, error: Exception, said: int) -> ModelUnavailable:
        """Book a stream that ended in the middle, and return the error to raise."""
        counters = self.link.counters
        counters.broken += 1
        counters.last_error = self.link.clean(gist(error))
        if is_passing(error):
            self.link.breaker.record_failure(self._now())
        await self._settle(self._asked, said)
        return ModelUnavailable(
            f"{self.link.shown} broke off in the middle of its answer ({counters.last_error}); "
            "the part that was shown cannot be taken back: ask again",
            self._asked,
            said,
        )

    async def book_abandoned(self, said: int = 0) -> None:
        """Book a call that nobody waits for; without a stream, it may give the longest answer."""
        self.link.breaker.release()
        if self._begun:
            await self._settle(self._asked, said if self._streamed else self._longest)

    async def _settle(self, input_tokens: int, output_tokens: int) -> None:
        counters = self.link.counters
        counters.input_tokens += input_tokens
        counters.output_tokens += output_tokens
        reserved, self._reserved = self._reserved, None
        if self._budget is not None and reserved is not None:
            with anyio.CancelScope(shield=True):
                await self._budget.settle(reserved, input_tokens, output_tokens)


def may_be_billed(error: Exception) -> bool:
    """Return whether the request arrived and its answer was lost on the way."""
    if isinstance(error, ModelConnectionError):
        return error.phase == "read"
    return isinstance(error, ModelRequestTimeout)


def request_tokens(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> int:
    """Estimate the tokens of a request; a picture or a file counts as a page."""
    tools = parameters.function_tools
    texts = [f"{tool.name}{tool.description}{tool.parameters_json_schema}" for tool in tools]
    texts += [part.content for part in parameters.instruction_parts or ()]
    return estimated_tokens("".join(texts)) + _message_tokens(messages)


def answer_tokens(response: ModelResponse) -> int:
    """Estimate the tokens of an answer."""
    return _message_tokens([response])


def _message_tokens(messages: Sequence[ModelMessage]) -> int:
    texts: list[str] = []
    files = 0
    for message in messages:
        for part in message.parts:
            given = getattr(part, "content", None) or getattr(part, "args", None)
            for one in cast("list[Any]", given) if isinstance(given, list | tuple) else [given]:
                if is_multi_modal_content(one):
                    files += 1
                elif one is not None:
                    texts.append(str(one))
    return estimated_tokens("".join(texts)) + files * PAGE_TOKENS
