"""Content blocks: how a message holds text, tool calls and tool results side by side."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from seasoned.transcripts.parts import Answered, Called, Part, Said
from seasoned.transcripts.shapes import arguments, flat, items, mapping, text

_TOOL_USE = ("tool_use", "server_tool_use", "mcp_tool_use")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>\s*|$)", re.DOTALL)


def has_tool_blocks(message: Mapping[str, Any]) -> bool:
    """Whether a message calls a tool, or answers a call, in its content blocks."""
    if not isinstance(message.get("role"), str):
        return False
    kinds = {text(mapping(block).get("type")) for block in items(message.get("content"))}
    return any(kind in _TOOL_USE or kind.endswith("tool_result") for kind in kinds)


def block_parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """What one message holds, in order.

    >>> use = {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "src"}}
    >>> list(block_parts({"role": "assistant", "content": [use]}))
    [Called(tool='ls', params={'path': 'src'}, id='toolu_1')]
    """
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant"):
        return
    if isinstance(content, str):
        yield Said(role, _REMINDER.sub("", content).rstrip())
    for block in (mapping(block) for block in items(content)):
        kind = text(block.get("type"))
        if kind == "text":
            yield Said(role, _REMINDER.sub("", text(block.get("text"))).rstrip())
        elif kind in _TOOL_USE and text(block.get("name")):
            yield Called(block["name"], arguments(block.get("input")), _id(block.get("id")))
        elif kind.endswith("tool_result"):
            failed = block.get("is_error")
            yield Answered(
                flat(block.get("content")),
                failed if isinstance(failed, bool) else None,
                _id(block.get("tool_use_id")),
            )


def _id(value: object) -> str | None:
    return value if isinstance(value, str) else None
