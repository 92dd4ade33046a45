"""What a scripted model streams: its parts in pieces, cut off where the script says so."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from pydantic_ai.messages import (
    ModelResponseStreamEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import StreamedResponse
from pydantic_ai.usage import RequestUsage

Part = TextPart | ThinkingPart | ToolCallPart


@dataclass
class ScriptedStream(StreamedResponse):
    _model: str
    _provider: str
    _parts: Sequence[Part]
    _spent: RequestUsage
    _chunk: int
    _breaks_after: int | None
    _error: Exception
    _begun: datetime = field(default_factory=lambda: datetime.now(UTC), init=False)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        sent = 0
        for place, part in enumerate(self._parts):
            for nth, piece in enumerate(pieces(_text(part), self._chunk)):
                if self._cancelled:
                    return
                if sent == self._breaks_after:
                    raise self._error
                for event in self._events(place, part, piece, first=nth == 0):
                    yield event
                sent += 1
        if self._breaks_after is not None:
            raise self._error
        self._usage = self._spent
        called = any(isinstance(part, ToolCallPart) for part in self._parts)
        self.finish_reason = "tool_call" if called else "stop"

    def _events(
        self, place: int, part: Part, piece: str, *, first: bool
    ) -> Iterator[ModelResponseStreamEvent]:
        manager = self._parts_manager
        if isinstance(part, TextPart):
            return manager.handle_text_delta(vendor_part_id=place, content=piece)
        if isinstance(part, ThinkingPart):
            return manager.handle_thinking_delta(vendor_part_id=place, content=piece)
        return manager.handle_tool_call_delta_events(
            vendor_part_id=place,
            tool_name=part.tool_name if first else None,
            args=piece,
            tool_call_id=part.tool_call_id if first else None,
        )

    async def close_stream(self) -> None:
        """There is no connection to close."""

    @property
    def model_name(self) -> str:
        return self._model

    @property
    def provider_name(self) -> str:
        return self._provider

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return self._begun


def pieces(text: str, size: int) -> list[str]:
    """
    >>> pieces("abcde", 2), pieces("", 2)
    (['ab', 'cd', 'e'], [''])
    """
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]


def _text(part: Part) -> str:
    if not isinstance(part, ToolCallPart):
        return part.content
    args = cast("str | dict[str, Any]", part.args)
    return args if isinstance(args, str) else json.dumps(args)
