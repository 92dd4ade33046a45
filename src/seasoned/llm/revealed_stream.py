"""Reveals what a stream says while it is said, though a placeholder may come in several pieces."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import (
    BaseToolCallPart,
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
from pydantic_ai.models import StreamedResponse

from seasoned.llm.hidden_messages import revealed_args, revealed_part
from seasoned.security.placeholders import Placeholders, Revealing, in_json

Delta = TextPartDelta | ThinkingPartDelta | ToolCallPartDelta


def reveal_stream(stream: StreamedResponse, held: Placeholders) -> StreamedResponse:
    """The same stream, with other events and another end.

    It stays the same object, for whoever reads it asks it for much more than its events.
    """
    parts = _Parts(held)
    events, whole = aiter(stream), stream.get

    def get() -> ModelResponse:
        return parts.revealed(whole())

    # `StreamedResponse.__aiter__` hands out what stands here.
    stream._event_iterator = parts.events(events)  # pyright: ignore[reportPrivateUsage]
    stream.get = get
    return stream


class _Parts:
    """Each part of the answer, and what of it is kept back for it may be half a placeholder."""

    def __init__(self, held: Placeholders) -> None:
        self._held = held
        self._pieces: dict[int, tuple[Revealing, type[Delta]]] = {}

    async def events(
        self, events: AsyncIterator[ModelResponseStreamEvent]
    ) -> AsyncGenerator[ModelResponseStreamEvent]:
        async for event in events:
            if isinstance(event, PartStartEvent):
                yield replace(event, part=self._begun(event.index, event.part))
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
        """What was said so far, without what is kept back."""
        parts = [
            revealed_part(self._cut(n, part), self._held) for n, part in enumerate(response.parts)
        ]
        return replace(response, parts=parts)

    def _cut(self, index: int, part: ModelResponsePart) -> ModelResponsePart:
        kept = self._pieces[index][0].kept if index in self._pieces else ""
        if kept and isinstance(part, TextPart | ThinkingPart):
            return replace(part, content=part.content.removesuffix(kept))
        return part

    def _begun(self, index: int, part: ModelResponsePart) -> ModelResponsePart:
        if isinstance(part, TextPart | ThinkingPart):
            kind = TextPartDelta if isinstance(part, TextPart) else ThinkingPartDelta
            revealing = self._revealing(index, kind)
            return replace(part, content=revealing.feed(part.content))
        if isinstance(part, BaseToolCallPart) and isinstance(part.args, str | None):
            revealing = self._revealing(index, ToolCallPartDelta)
            return replace(part, args=part.args and revealing.feed(part.args))
        return revealed_part(part, self._held)

    def _delta(self, index: int, delta: Delta) -> Delta | None:
        """A delta of which nothing is left is none."""
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
        """What was kept back of parts that have ended."""
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
