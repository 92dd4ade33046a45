"""Anthropic messages: content blocks, `tool_use` answered by `tool_result`."""

from collections.abc import Iterator, Sequence
from typing import Any

from seasoned.transcripts.formats.chat import ChatReader, messages_of
from seasoned.transcripts.formats.parts import block_parts, has_tool_blocks
from seasoned.transcripts.formats.shapes import mapping
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Anthropic messages"


def recognises(values: Sequence[Any]) -> bool:
    """Whether a message among these uses a tool in content blocks."""
    return any(
        has_tool_blocks(message)
        for value in values
        for message in (messages_of(value) or [mapping(value)])
    )


class AnthropicReader:
    """Reads one file."""

    def __init__(self, source: TranscriptSource) -> None:
        self._chat = ChatReader(source, block_parts)

    def read(self, record: Record) -> Iterator[Item]:
        return self._chat.read(record)
