"""OpenAI chat messages and Responses items, as JSON or JSONL, alone or in conversations."""

from collections.abc import Iterator, Sequence
from typing import Any

from seasoned.transcripts.formats.chat import ChatReader, is_message, messages_of
from seasoned.transcripts.formats.parts import chat_parts
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "OpenAI messages"


def recognises(values: Sequence[Any]) -> bool:
    """Whether there is a chat message among these."""
    return any(is_message(value) or messages_of(value) is not None for value in values)


class OpenAIReader:
    """Reads one file."""

    def __init__(self, source: TranscriptSource) -> None:
        self._chat = ChatReader(source, chat_parts)

    def read(self, record: Record) -> Iterator[Item]:
        return self._chat.read(record)
