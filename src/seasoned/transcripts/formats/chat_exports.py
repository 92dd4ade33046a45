"""Exports of ChatGPT and claude.ai: the conversations of an account.

In ChatGPT's export a conversation is a tree; what leads to its current message is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Part, ToolAnswer, ToolUse, TurnStart, Utterance
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import arguments, first, flat, items, mapping, named, text
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "ChatGPT or claude.ai export"

_NOT_SAID = ("thoughts", "reasoning_recap", "user_editable_context", "model_editable_context")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a conversation of such an export."""
    return any(_is_tree(mapping(value)) or _is_list(mapping(value)) for value in values)


def _is_tree(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("mapping"), dict) and ("current_node" in value or "title" in value)


def _is_list(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("chat_messages"), list)


class ChatExportReader:
    """Reads one file; each conversation is a session."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if not (_is_tree(value) or _is_list(value)):
            yield self._source.problem(record.line, f"not a conversation of a {name}")
            return
        session = named(value, "conversation_id", "id", "uuid")
        log = SessionLog(self._source, session, personal=False)
        messages = _branch(value) if _is_tree(value) else items(value.get("chat_messages"))
        for position, message in enumerate(map(mapping, messages)):
            key = named(message, "id", "uuid") or position
            at = micros(first(message, "create_time", "created_at"))
            yield from log.take(
                _parts(message) if "author" in message else _blocks(message), key, at
            )


def _branch(value: Mapping[str, Any]) -> list[Any]:
    """Return the messages that lead to the current one, in order."""
    nodes = mapping(value.get("mapping"))
    node = text(value.get("current_node"))
    if node not in nodes:
        node = next((key for key in reversed(list(nodes)) if not _children(nodes[key])), "")
    branch: list[Any] = []
    seen: set[str] = set()
    while node in nodes and node not in seen:
        seen.add(node)
        branch.append(mapping(nodes[node]).get("message"))
        node = text(mapping(nodes[node]).get("parent"))
    return branch[::-1]


def _children(node: object) -> list[Any]:
    return items(mapping(node).get("children"))


def _parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts of a message of ChatGPT; a call has a recipient and no id."""
    author, content = mapping(message.get("author")), mapping(message.get("content"))
    role, kind = author.get("role"), content.get("content_type")
    recipient = text(message.get("recipient")) or "all"
    said = text(content.get("text")) or "\n".join(
        one for one in items(content.get("parts")) if isinstance(one, str)
    )
    if kind in _NOT_SAID:
        return
    if role == "assistant" and recipient != "all":
        yield TurnStart()
        yield ToolUse(recipient, arguments(said))
    elif role == "tool":
        failed = True if kind == "system_error" else None
        yield ToolAnswer(said, failed, tool=text(author.get("name")) or None)
    elif role in ("user", "assistant"):
        yield Utterance("user" if role == "user" else "assistant", said)


def _blocks(message: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts of a message of claude.ai, whose calls may have no id."""
    role = "user" if message.get("sender") == "human" else "assistant"
    blocks = [mapping(block) for block in items(message.get("content"))]
    if not blocks:
        yield Utterance(role, text(message.get("text")))
    for block in blocks:
        kind, tool = block.get("type"), text(block.get("name"))
        if kind == "text":
            yield Utterance(role, text(block.get("text")))
        elif kind == "tool_use" and tool:
            yield ToolUse(tool, arguments(block.get("input")), text(block.get("id")) or None)
        elif kind == "tool_result":
            call_id = text(first(block, "tool_use_id", "id")) or None
            failed = block.get("is_error")
            known = failed if isinstance(failed, bool) else None
            yield ToolAnswer(flat(block.get("content")), known, call_id, tool or None)
