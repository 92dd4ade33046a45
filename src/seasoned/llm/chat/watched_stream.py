"""Watch a stream on its way to the reader, and raise if it ends too early."""

import json
from collections.abc import AsyncGenerator

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import (
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
)
from pydantic_ai.models import StreamedResponse

from seasoned.llm.chat.attempt import Attempt


class WatchedStream:
    """Pass a stream's events on, count them, and book the attempt at its end."""

    def __init__(self, stream: StreamedResponse, attempt: Attempt) -> None:
        self._stream = stream
        self._attempt = attempt
        self._events = aiter(stream)
        self._held: list[ModelResponseStreamEvent] = []
        self._said = 0  # characters
        self._over = False

    async def first(self) -> None:
        """Wait for the first words; an error before them can be retried."""
        async for event in self._events:
            self._held.append(event)
            self._said += size_of(event)
            if self._said:
                break
        else:
            if self._is_cut_off:
                raise self._too_early()
        # `StreamedResponse.__aiter__` returns this iterator.
        self._stream._event_iterator = self._rest()  # pyright: ignore[reportPrivateUsage]

    async def close(self) -> None:
        """Book the attempt if the reader left before the end."""
        if not self._over:
            self._over = True
            await self._attempt.book_abandoned(self._tokens)

    async def _rest(self) -> AsyncGenerator[ModelResponseStreamEvent]:
        for event in self._held:
            yield event
        try:
            async for event in self._events:
                self._said += size_of(event)
                yield event
            if self._is_cut_off:
                raise self._too_early()
        except (ModelAPIError, UnexpectedModelBehavior) as error:
            self._over = True
            raise await self._attempt.book_broken_stream(error, self._tokens) from None
        if not self._over:
            self._over = True
            await self._attempt.book_answer(self._stream.usage, self._tokens)

    @property
    def _is_cut_off(self) -> bool:
        """Return whether a remote stream ended without a finish reason."""
        remote = self._attempt.link.model.provider is not None
        return remote and not self._stream.cancelled and self._stream.get().finish_reason is None

    def _too_early(self) -> ModelConnectionError:
        return ModelConnectionError(self._attempt.link.name, "it ended too early", phase="read")

    @property
    def _tokens(self) -> int:
        return -(-self._said // 3)


def size_of(event: ModelResponseStreamEvent) -> int:
    """Return the characters that an event adds; 0 if a reader would not notice it."""
    if isinstance(event, PartStartEvent):
        part = event.part
        return len(part.content) if isinstance(part, TextPart | ThinkingPart) else 1
    if isinstance(event, PartDeltaEvent):
        delta = event.delta
        said = getattr(delta, "content_delta", None) or getattr(delta, "args_delta", None) or ""
        return len(said if isinstance(said, str) else json.dumps(said, default=str))
    return 0
