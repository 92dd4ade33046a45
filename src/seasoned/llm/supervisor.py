"""Asks a model until there is an answer: again after a pause, then the next model of the chain.

What may pass (429, 5xx, time-outs, lost connections) is tried again with growing pauses, as long as
the service asks for; what will not (400, 401 …) goes to the next model at once. A model that keeps
failing is left alone for a while. A stream that breaks before it said anything is tried again as if
it had never begun; one that breaks later is an error, for what was said cannot be taken back.
"""

import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.settings import ModelSettings

from seasoned.core.clock import SECOND, Clock, SystemClock
from seasoned.core.errors import BudgetSpent, ConfigError
from seasoned.llm.attempt import Attempt
from seasoned.llm.attended import Attended
from seasoned.llm.backoff import Backoff
from seasoned.llm.breaker import BreakerConfig
from seasoned.llm.daily_budget import DailyBudget
from seasoned.llm.providers import ChatModel
from seasoned.llm.watched import Watched
from seasoned.llm.wire_errors import nobody_answered, passing

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")
# The last ones are what a client meets in an answer that is not what its service would say.
GARBLED = (TypeError, AttributeError, LookupError, ValueError)
FAILURES = (ModelAPIError, UnexpectedModelBehavior, *GARBLED)


@dataclass(frozen=True, slots=True)
class SupervisorConfig:
    tries: int = 3  # of one model, for one request
    backoff: Backoff = field(default_factory=Backoff)
    longest_wait_seconds: float = 30  # a model that asks for more is passed over
    breaker: BreakerConfig = field(default_factory=BreakerConfig)


class Supervised(FallbackModel):
    """The first of the models that answers; all of them are asked through pydantic-ai.

    Raises `ModelUnavailable` when asking later may help, `PromptTooLong` when asking for less may,
    `BudgetSpent` when the day's budget is used up, else `ModelError`.
    """

    def __init__(
        self,
        models: Sequence[ChatModel | Model],
        config: SupervisorConfig | None = None,
        *,
        budget: DailyBudget | None = None,
        clock: Clock | None = None,
        sleep: Sleep = anyio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        if not models:
            raise ConfigError("there is no model to ask; set agent.model or llm.model")
        self.config = config or SupervisorConfig()
        self.chain = [Attended.of(one, self.config.breaker) for one in models]
        super().__init__(*(one.model for one in self.chain))
        self._budget = budget
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._rng = rng or random.Random()

    @property
    def model_name(self) -> str:
        return ",".join(one.name for one in self.chain)

    def status(self) -> list[dict[str, Any]]:
        """What became of the questions, for each model in its order."""
        now = self._now()
        return [one.status(now) for one in self.chain]

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async def ask(one: Attended, attempt: Attempt) -> ModelResponse:
            response = await one.model.request(
                one.model.prepare_messages(messages, model_request_parameters),
                model_settings,
                model_request_parameters,
            )
            await attempt.answered(response.usage)
            return response

        return await self._first(ask, messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with AsyncExitStack() as stack:

            async def ask(one: Attended, attempt: Attempt) -> StreamedResponse:
                opened = one.model.request_stream(
                    one.model.prepare_messages(messages, model_request_parameters),
                    model_settings,
                    model_request_parameters,
                    run_context,
                )
                async with AsyncExitStack() as trying:
                    stream = await trying.enter_async_context(opened)
                    watched = Watched(stream, attempt)
                    await watched.first()
                    trying.push_async_callback(watched.left)
                    stack.push_async_exit(trying.pop_all())
                return stream

            yield await self._first(ask, messages, model_settings, model_request_parameters)

    async def _first(
        self,
        ask: Callable[[Attended, Attempt], Awaitable[T]],
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> T:
        """What the first model says that says anything."""
        failures: list[tuple[Attended, Exception]] = []
        for one in self.chain:
            if not one.breaker.allows(self._now()):
                failures.append((one, one.resting(self._now())))
                continue
            for tries in range(1, self.config.tries + 1):
                attempt = Attempt(one, self._budget, self._now)
                try:
                    await attempt.begin(messages, settings, parameters)
                    return await ask(one, attempt)
                except FAILURES as error:
                    await attempt.failed(error)
                    pause = self._pause(one, error, tries)
                    if pause is None:
                        failures.append((one, error))
                        break
                except BudgetSpent as error:  # one that is free may follow
                    one.breaker.passed()
                    failures.append((one, error))
                    break
                except BaseException:
                    await attempt.abandoned()
                    raise
                one.counters.retried += 1
                await self._sleep(pause)
        for _, error in failures:
            if isinstance(error, BudgetSpent):
                raise error
        raise nobody_answered([(one.name, one.clean, error) for one, error in failures])

    def _pause(self, one: Attended, error: Exception, tries: int) -> float | None:
        """How long to wait until it is tried again; None when it is not."""
        now = self._now()
        if not passing(error):
            one.breaker.passed()
            return None
        asked = error.retry_after if isinstance(error, ModelAPIError) else None
        pause = self.config.backoff.wait(tries, asked, spread=self._rng.random())
        too_long = pause > self.config.longest_wait_seconds
        one.breaker.failed(now, pause if too_long else 0)
        if too_long or tries == self.config.tries or one.breaker.state(now) != "closed":
            return None
        return pause

    def _now(self) -> float:
        return self._clock.now() / SECOND
