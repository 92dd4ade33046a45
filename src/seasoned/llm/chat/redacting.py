"""Keep personal data and secrets from a provider: wraps any model.

Requests (instructions, messages, retrieved context, tool calls and results, tool descriptions) go
out with placeholders; answers get the values back, even if a stream splits a placeholder.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, NoReturn, cast

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    BaseToolCallPart,
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from seasoned.core.errors import Unsupported
from seasoned.llm.chat.hidden_messages import (
    hidden_messages,
    hidden_parameters,
    revealed_args,
    revealed_part,
    revealed_response,
)
from seasoned.security.placeholders import Placeholders, Revealing, in_json

Delta = TextPartDelta | ThinkingPartDelta | ToolCallPartDelta


class Redacting(WrapperModel):
    """`placeholders` belong to one session; without them each request has its own.

    Values get them in the order of their appearance, instructions first, so that a history that
    only grows goes out with the same placeholders each time, even after a restart.
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
        as_json = model_request_parameters.output_object is not None
        return revealed_response(response, held, as_json=as_json)

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

    # These would send messages unredacted.

    async def compact_messages(self, *args: Any, **options: Any) -> NoReturn:
        raise Unsupported("a provider cannot compact messages that must not reach it")

    async def batch_encode(self, *args: Any, **options: Any) -> NoReturn:
        raise Unsupported("batches are not redacted; ask one question at a time")

    def _held(self) -> Placeholders:
        return Placeholders() if self.placeholders is None else self.placeholders


def reveal_stream(stream: StreamedResponse, held: Placeholders) -> StreamedResponse:
    """Replace the events and the result of a stream.

    It stays the same object, because readers use more of it than its events.
    """
    parts = _RevealedParts(held)
    events, whole = aiter(stream), stream.get

    def get() -> ModelResponse:
        return parts.revealed(whole())

    # `StreamedResponse.__aiter__` returns this iterator.
    stream._event_iterator = parts.events(events)  # pyright: ignore[reportPrivateUsage]
    stream.get = get
    return stream


class _RevealedParts:
    """The parts of an answer; an end that may be half a placeholder is held back."""

    def __init__(self, held: Placeholders) -> None:
        self._held = held
        self._pieces: dict[int, tuple[Revealing, type[Delta]]] = {}

    async def events(
        self, events: AsyncIterator[ModelResponseStreamEvent]
    ) -> AsyncGenerator[ModelResponseStreamEvent]:
        async for event in events:
            if isinstance(event, PartStartEvent):
                yield replace(event, part=self._started(event.index, event.part))
            elif isinstance(event, PartDeltaEvent):
                delta = self._delta(event.index, cast("Delta", event.delta))
                if delta is not None:
                    yield replace(event, delta=delta)
            elif isinstance(event, PartEndEvent):
                for late in self._late(event.index):
                    yield late
                yield replace(event, part=revealed_part(event.part, self._held))
            else:
                yield event
        for late in self._late(*self._pieces):
            yield late

    def revealed(self, response: ModelResponse) -> ModelResponse:
        """Return the answer so far, without what is held back."""
        parts = [
            revealed_part(self._cut(n, part), self._held) for n, part in enumerate(response.parts)
        ]
        return replace(response, parts=parts)

    def _cut(self, index: int, part: ModelResponsePart) -> ModelResponsePart:
        kept = self._pieces[index][0].kept if index in self._pieces else ""
        if kept and isinstance(part, TextPart | ThinkingPart):
            return replace(part, content=part.content.removesuffix(kept))
        return part

    def _started(self, index: int, part: ModelResponsePart) -> ModelResponsePart:
        if isinstance(part, TextPart | ThinkingPart):
            kind = TextPartDelta if isinstance(part, TextPart) else ThinkingPartDelta
            revealing = self._revealing(index, kind)
            return replace(part, content=revealing.feed(part.content))
        if isinstance(part, BaseToolCallPart) and isinstance(part.args, str | None):
            revealing = self._revealing(index, ToolCallPartDelta)
            return replace(part, args=part.args and revealing.feed(part.args))
        return revealed_part(part, self._held)

    def _delta(self, index: int, delta: Delta) -> Delta | None:
        """Return the revealed delta; None if nothing of it is left."""
        revealing = self._revealing(index, type(delta))
        if isinstance(delta, ToolCallPartDelta):
            if not isinstance(delta.args_delta, str):
                return replace(delta, args_delta=revealed_args(delta.args_delta, self._held))
            args = revealing.feed(delta.args_delta)
            return replace(delta, args_delta=args) if args or delta.tool_name_delta else None
        if not delta.content_delta:
            return delta
        content = revealing.feed(delta.content_delta)
        if isinstance(delta, ThinkingPartDelta):
            told = content or delta.signature_delta or delta.provider_details
            return replace(delta, content_delta=content) if told else None
        return replace(delta, content_delta=content) if content else None

    def _late(self, *ended: int) -> Iterator[PartDeltaEvent]:
        """Yield what was held back of parts that have ended."""
        for index in set(ended).intersection(self._pieces):
            revealing, kind = self._pieces[index]
            if rest := revealing.rest():
                given: dict[str, Any] = {
                    "args_delta" if kind is ToolCallPartDelta else "content_delta": rest
                }
                yield PartDeltaEvent(index=index, delta=kind(**given))

    def _revealing(self, index: int, kind: type[Delta]) -> Revealing:
        if index not in self._pieces:
            escape = in_json if kind is ToolCallPartDelta else str
            self._pieces[index] = (self._held.revealing(escape), kind)
        return self._pieces[index][0]
