"""Keeps personal data and secrets from a provider: wraps any model.

What goes out (instructions, messages, retrieved context, tool calls and their results, what tools
are for) has placeholders in their place; in what comes back they are filled in again, also where
a placeholder is split over the pieces of a stream.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, NoReturn

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from seasoned.core.errors import Unsupported
from seasoned.llm.hidden_messages import hidden_messages, hidden_parameters, revealed_response
from seasoned.llm.model import Answer, Question
from seasoned.llm.model import Model as BackgroundModel
from seasoned.llm.revealed_stream import reveal_stream
from seasoned.security.placeholders import Placeholders


class Redacting(WrapperModel):
    """`placeholders` belong to one session; without them each request has its own.

    They are given out in the order in which values appear, instructions first, so that a history
    that only grows is sent with the same ones each time, after a restart too.
    """

    def __init__(self, wrapped: Model, placeholders: Placeholders | None = None) -> None:
        super().__init__(wrapped)
        self.placeholders = placeholders

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        held = self._held()
        parameters = hidden_parameters(model_request_parameters, held)
        hidden = hidden_messages(messages, held)
        response = await self.wrapped.request(hidden, model_settings, parameters)
        return revealed_response(response, held)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        held = self._held()
        parameters = hidden_parameters(model_request_parameters, held)
        hidden = hidden_messages(messages, held)
        async with self.wrapped.request_stream(
            hidden, model_settings, parameters, run_context
        ) as stream:
            yield reveal_stream(stream, held)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        held = self._held()
        parameters = hidden_parameters(model_request_parameters, held)
        hidden = hidden_messages(messages, held)
        return await self.wrapped.count_tokens(hidden, model_settings, parameters)

    # What nobody here asks for would go out as it is: so it does not go out.

    async def compact_messages(self, *args: Any, **options: Any) -> NoReturn:
        raise Unsupported("a provider cannot compact messages that must not reach it")

    async def batch_encode(self, *args: Any, **options: Any) -> NoReturn:
        raise Unsupported("batches are not redacted; ask one question at a time")

    def _held(self) -> Placeholders:
        return Placeholders() if self.placeholders is None else self.placeholders


class RedactedModel:
    """The same for background questions: each has placeholders of its own."""

    def __init__(self, model: BackgroundModel) -> None:
        self.name = model.name
        self._model = model

    def answer(self, question: Question) -> Answer:
        held = Placeholders()
        hidden = replace(
            question, system=held.hide(question.system), prompt=held.hide(question.prompt)
        )
        answer = self._model.answer(hidden)
        return replace(answer, data=held.reveal_all(answer.data))
