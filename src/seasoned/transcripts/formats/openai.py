"""OpenAI chat messages and Responses items, as JSON or JSONL, alone or in conversations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.chat import ChatReader, is_message, messages_of
from seasoned.transcripts.formats.parts import (
    Part,
    ToolAnswer,
    ToolUse,
    TurnStart,
    Utterance,
    item_parts,
)
from seasoned.transcripts.formats.shapes import arguments, first, flat, items, mapping, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "OpenAI messages"


def recognises(values: Sequence[Any]) -> bool:
    """Whether there is a chat message among these."""
    return any(is_message(value) or messages_of(value) is not None for value in values)


class OpenAIReader:
    """Reads one file."""

    def __init__(self, source: TranscriptSource) -> None:
        self._chat = ChatReader(source, parts)

    def read(self, record: Record) -> Iterator[Item]:
        return self._chat.read(record)


def parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts of a message.

    >>> list(parts({"role": "tool", "tool_call_id": "c1", "content": "Error: no such user"}))
    [ToolAnswer(output='Error: no such user', failed=None, id='c1', tool=None, duration_ms=None)]
    """
    role = message.get("role")
    if role in ("tool", "function"):
        call_id = message.get("tool_call_id")
        tool = first(message, "name", "tool_name")
        yield ToolAnswer(
            message.get("content"),
            id=call_id if isinstance(call_id, str) else None,
            tool=tool if isinstance(tool, str) else None,
        )
    elif role == "assistant":
        yield TurnStart()
        yield Utterance("assistant", _text(message))
        yield from _calls(message)
    elif role == "user":
        yield Utterance("user", _text(message))
    else:
        yield from item_parts(message)


def _calls(message: Mapping[str, Any]) -> Iterator[Part]:
    for call in (mapping(call) for call in items(message.get("tool_calls"))):
        yield from _call(mapping(first(call, "function", "custom")) or call, call.get("id"))
    yield from _call(mapping(message.get("function_call")), None)


def _call(function: Mapping[str, Any], call_id: object) -> Iterator[Part]:
    tool = text(function.get("name"))
    if tool:
        params = arguments(first(function, "arguments", "input", "args"))
        yield ToolUse(tool, params, call_id if isinstance(call_id, str) else None)


def _text(message: Mapping[str, Any]) -> str:
    return text(flat(message.get("content")))
