"""Anthropic messages: content blocks, `tool_use` answered by `tool_result`."""

from collections.abc import Iterator, Sequence
from typing import Any

from seasoned.transcripts.blocks import block_parts, has_tool_blocks
from seasoned.transcripts.chat import Chat, messages_of
from seasoned.transcripts.item import Item, Record, Source
from seasoned.transcripts.shapes import mapping

name = "Anthropic messages"


def recognises(values: Sequence[Any]) -> bool:
    """Whether a message among these uses a tool in content blocks."""
    return any(
        has_tool_blocks(message)
        for value in values
        for message in (messages_of(value) or [mapping(value)])
    )


class Reading:
    """One file being read."""

    def __init__(self, source: Source) -> None:
        self._chat = Chat(source, block_parts)

    def read(self, record: Record) -> Iterator[Item]:
        return self._chat.read(record)
