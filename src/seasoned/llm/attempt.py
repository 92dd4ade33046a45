"""One attempt to have a model answer: what is set aside for it, and what it took."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import anyio
from pydantic_ai.exceptions import (
    ModelConnectionError,
    ModelRequestTimeout,
)
from pydantic_ai.messages import (
    ModelMessage,
    is_multi_modal_content,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from seasoned.core.errors import ModelUnavailable
from seasoned.llm.attended import Attended
from seasoned.llm.daily_budget import DailyBudget, Reserved
from seasoned.llm.model import estimated_tokens
from seasoned.llm.wire_errors import gist, passing

PAGE_TOKENS = 1500
LONGEST_ANSWER = 4096  # tokens, where nobody says how long an answer may become


class Attempt:
    """Counts one call, however it ends; the last word is the one that counts."""

    def __init__(self, one: Attended, budget: DailyBudget | None, now: Callable[[], float]) -> None:
        self.one = one
        self._budget = budget
        self._now = now
        self._reserved: Reserved | None = None
        self._asked = 0
        self._longest = LONGEST_ANSWER
        self._begun = False

    async def begin(
        self,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> None:
        """Raises `BudgetSpent` when it may not be made."""
        self._asked = asked_tokens(messages, parameters)
        self._longest = (
            settings["max_tokens"] if settings and "max_tokens" in settings else 0
        ) or LONGEST_ANSWER
        if self._budget is not None:
            price = self.one.chat.price
            self._reserved = await self._budget.reserve(
                self.one.name, price, self._asked, self._longest
            )
        self.one.counters.asked += 1
        self._begun = True

    async def answered(self, usage: RequestUsage, said: int = 0) -> None:
        """It went well; a service that does not count its tokens is not free for that."""
        counters = self.one.counters
        counters.answered += 1
        self.one.breaker.succeeded()
        await self._settle(usage.input_tokens or self._asked, usage.output_tokens or said)

    async def failed(self, error: Exception) -> None:
        """No answer; what was not waited for may have been billed, what was refused was not."""
        counters = self.one.counters
        counters.failed += 1
        counters.last_error = self.one.clean(gist(error))
        if may_be_billed(error):
            await self._settle(self._asked, self._longest)
        else:
            await self._settle(0, 0)

    async def broken(self, error: Exception, said: int) -> ModelUnavailable:
        """A stream ended in the middle: the error to raise."""
        counters = self.one.counters
        counters.broken += 1
        counters.last_error = self.one.clean(gist(error))
        if passing(error):
            self.one.breaker.failed(self._now())
        await self._settle(self._asked, said)
        return ModelUnavailable(
            f"{self.one.name} broke off in the middle of its answer ({counters.last_error}); "
            "what it had said cannot be taken back: ask again",
            self._asked,
            said,
        )

    async def abandoned(self, said: int = 0) -> None:
        """Nobody waits for the answer any more."""
        self.one.breaker.passed()
        if self._begun:
            await self._settle(self._asked, said)

    async def _settle(self, input_tokens: int, output_tokens: int) -> None:
        counters = self.one.counters
        counters.input_tokens += input_tokens
        counters.output_tokens += output_tokens
        reserved, self._reserved = self._reserved, None
        if self._budget is not None and reserved is not None:
            with anyio.CancelScope(shield=True):
                await self._budget.settle(reserved, input_tokens, output_tokens)


def may_be_billed(error: Exception) -> bool:
    """The question arrived, and its answer was lost on the way."""
    if isinstance(error, ModelConnectionError):
        return error.phase == "read"
    return isinstance(error, ModelRequestTimeout)


def asked_tokens(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> int:
    """About as many tokens as a request has; a picture or a file counts as a page."""
    tools = parameters.function_tools
    texts = [f"{tool.name}{tool.description}{tool.parameters_json_schema}" for tool in tools]
    texts += [part.content for part in parameters.instruction_parts or ()]
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
