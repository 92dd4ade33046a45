"""Ask the models of a chain until one answers: retry after a pause, then fall back to the next.

Failures that may pass (429, 5xx, time-outs, lost connections) are retried with growing pauses, or
the pause that the service asks for; others (400, 401 …) go to the next model at once. A model that
keeps failing rests for a while. A stream that breaks before its first words is retried; one that
breaks later raises, because its reader has seen a part of the answer.
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
from seasoned.core.errors import BudgetSpent, ConfigError, ModelError
from seasoned.llm.chat.attempt import Attempt, ChainLink, answer_tokens
from seasoned.llm.chat.breaker import BreakerConfig
from seasoned.llm.chat.model_errors import is_passing, nobody_answered
from seasoned.llm.chat.providers import ChatModel
from seasoned.llm.chat.retries import Retry, tell_retry
from seasoned.llm.chat.watched_stream import WatchedStream
from seasoned.llm.cost.daily_budget import DailyBudget

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")
# Clients raise these for an answer that is not in their service's format.
GARBLED = (TypeError, AttributeError, LookupError, ValueError, AssertionError)
FAILURES = (ModelAPIError, UnexpectedModelBehavior, *GARBLED)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses double from `first_seconds`; `jitter` spreads them, so that clients don't align.

    >>> [Backoff(0.5).pause(tries, spread=0.5) for tries in (1, 2, 3)]
    [0.5, 1.0, 2.0]
    >>> Backoff(0.5, most_seconds=3).pause(9, spread=0.5)
    3.0
    """

    first_seconds: float = 0.5
    most_seconds: float = 20.0
    jitter: float = 0.5

    def pause(self, tries: int, asked: float | None = None, *, spread: float) -> float:
        """Return the seconds to wait after `tries` tries; `spread` is random, from 0 to 1.

        A pause that the service asks for is the minimum; jitter is added to it.

        >>> Backoff(0.5).pause(1, asked=7, spread=1.0)
        7.25
        """
        own = min(self.first_seconds * 2 ** (tries - 1), self.most_seconds)
        if asked is not None and asked > own:
            return asked + self.first_seconds * self.jitter * spread
        return own * (1 + self.jitter * (2 * spread - 1))


@dataclass(frozen=True, slots=True)
class SupervisorConfig:
    tries: int = 3  # of one model, for one request
    backoff: Backoff = field(default_factory=Backoff)
    longest_wait_seconds: float = 30  # a model that asks for more is skipped
    breaker: BreakerConfig = field(default_factory=BreakerConfig)
    alternative: str = "agent.fallback"  # the setting that errors suggest for another model


class Supervised(FallbackModel):
    """Return the answer of the first model that gives one.

    Raises `ModelUnavailable` if asking later may help, `PromptTooLong` if asking for less may,
    `BudgetSpent` if the day's budget is used up, else `ModelError`.
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
        self.chain = [ChainLink.of(one, self.config.breaker) for one in models]
        super().__init__(*(one.model for one in self.chain))
        self._budget = budget
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._rng = rng or random.Random()

    @property
    def model_name(self) -> str:
        return ",".join(one.name for one in self.chain)

    def status(self) -> list[dict[str, Any]]:
        """Return each model's state and counters, in the order of the chain."""
        now = self._now()
        return [one.status(now) for one in self.chain]

    @property
    def failures(self) -> int:
        """The number of failed attempts so far."""
        return sum(one.counters.failed for one in self.chain)

    @property
    def last_error(self) -> str:
        """The latest error of the last model that failed."""
        return next(
            (error for one in reversed(self.chain) if (error := one.counters.last_error)), ""
        )

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async def ask(one: ChainLink, attempt: Attempt) -> ModelResponse:
            response = await one.model.request(
                one.model.prepare_messages(messages, model_request_parameters),
                model_settings,
                model_request_parameters,
            )
            await attempt.book_answer(response.usage, answer_tokens(response))
            return response

        request = (messages, model_settings, model_request_parameters)
        return await self._first(ask, *request, streamed=False)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with AsyncExitStack() as stack:

            async def ask(one: ChainLink, attempt: Attempt) -> StreamedResponse:
                opened = one.model.request_stream(
                    one.model.prepare_messages(messages, model_request_parameters),
                    model_settings,
                    model_request_parameters,
                    run_context,
                )
                async with AsyncExitStack() as trying:
                    stream = await trying.enter_async_context(opened)
                    watched = WatchedStream(stream, attempt)
                    await watched.first()
                    trying.push_async_callback(watched.close)
                    stack.push_async_exit(trying.pop_all())
                return stream

            request = (messages, model_settings, model_request_parameters)
            yield await self._first(ask, *request, streamed=True)

    async def _first(
        self,
        ask: Callable[[ChainLink, Attempt], Awaitable[T]],
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
        *,
        streamed: bool,
    ) -> T:
        """Return what the first model gives that answers."""
        failures: list[tuple[ChainLink, Exception]] = []
        for one in self.chain:
            if not one.breaker.allows(self._now()):
                failures.append((one, one.resting_error(self._now())))
                continue
            for tries in range(1, self.config.tries + 1):
                attempt = Attempt(one, self._budget, self._now, streamed=streamed)
                try:
                    await attempt.begin(messages, settings, parameters)
                    return await ask(one, attempt)
                except FAILURES as error:
                    await attempt.book_failure(error)
                    pause = self._pause(one, error, tries)
                    if pause is None:
                        failures.append((one, error))
                        break
                except BudgetSpent as error:  # a free model may follow
                    one.breaker.release()
                    failures.append((one, error))
                    break
                except ModelError as error:  # the model could not even be asked: no bill
                    one.breaker.release()
                    await attempt.book_failure(error)
                    raise
                except BaseException:
                    await attempt.book_abandoned()
                    raise
                one.counters.retried += 1
                which = f"{one.name}: " if len(self.chain) > 1 else ""
                tell_retry(Retry(f"{which}{one.counters.last_error}", pause))
                await self._sleep(pause)
        for _, error in failures:
            if isinstance(error, BudgetSpent):
                raise error
        told = [(one.shown, one.clean, error) for one, error in failures]
        raise nobody_answered(told, self.config.alternative)

    def _pause(self, one: ChainLink, error: Exception, tries: int) -> float | None:
        """Return the pause before the next try; None if there is none."""
        now = self._now()
        if not is_passing(error):
            one.breaker.release()
            return None
        asked = error.retry_after if isinstance(error, ModelAPIError) else None
        pause = self.config.backoff.pause(tries, asked, spread=self._rng.random())
        too_long = pause > self.config.longest_wait_seconds
        one.breaker.record_failure(now, pause if too_long else 0)
        if too_long or tries == self.config.tries or one.breaker.state(now) != "closed":
            return None
        return pause

    def _now(self) -> float:
        return self._clock.now() / SECOND
