"""Anthropic's messages: content blocks, `tool_use` and `tool_result`, and streamed blocks."""

import json
import re
from collections.abc import Mapping
from typing import Any

from seasoned.transcripts.formats.shapes import arguments, items, json_of, mapping, text
from seasoned.wire.conversation import (
    WireCall,
    WireMessage,
    WireReply,
    WireRequest,
    WireResult,
    WireTool,
)
from seasoned.wire.events import events_of, json_body
from seasoned.wire.spans import (
    Place,
    Span,
    as_first_member,
    as_member,
    at_end_of_list,
    at_end_of_text,
    elements,
    members,
    read_object,
    text_member,
)

name = "anthropic"
LISTS = ("messages", "tools", "system")
BLOCK = ('{"type":"text","text":', "}")
# Claude Code names the account and the session together.
SESSION = re.compile(r"(?P<user>.*?)_session_(?P<session>[0-9a-fA-F-]{8,})")


def read_request(body: str) -> WireRequest:
    """Read the body of a request."""
    found = read_object(body, LISTS)
    messages = [_message(body, one) for one in elements(body, found["messages"])]
    metadata = mapping(found["metadata"].value if "metadata" in found else None)
    user, session = named_by(text(metadata.get("user_id")))
    limit = found["max_tokens"].value if "max_tokens" in found else None
    system = found.get("system")
    return WireRequest(
        body,
        block_text(system.value) if system else "",
        [one for one in messages if one.role != "system"],
        [_tool(body, one) for one in elements(body, found["tools"])] if "tools" in found else (),
        _standing(body, system),
        user,
        session,
        most_tokens=limit if isinstance(limit, int) else None,
    )


def named_by(user_id: str) -> tuple[str, str]:
    """Return the user and the session that `metadata.user_id` names.

    >>> named_by("user_ab12_account__session_0123-4567"), named_by("ana")
    (('user_ab12_account_', '0123-4567'), ('ana', ''))
    """
    told = mapping(json_of(user_id))
    if told:
        who = text(told.get("account_uuid")) or text(told.get("device_id"))
        return who, text(told.get("session_id"))
    found = SESSION.fullmatch(user_id)
    return (found["user"], found["session"]) if found else (user_id, "")


def _standing(body: str, system: Span | None) -> Place | None:
    if system is None:
        return as_first_member(body, "system")
    if isinstance(system.value, str):
        return at_end_of_text(system)
    return at_end_of_list(system, *BLOCK) if isinstance(system.value, list) else None


def _message(body: str, span: Span) -> WireMessage:
    value = mapping(span.value)
    content = value.get("content")
    if value.get("role") == "assistant":
        return WireMessage("assistant", block_text(content), _calls(content))
    if value.get("role") != "user":
        return WireMessage("system", block_text(content))
    held = members(body, span).get("content")
    if held is None or isinstance(content, str):
        place = at_end_of_text(held) if held else None
        return WireMessage("user", text(content), place=place)
    blocks = elements(body, held)
    kinds = [text(mapping(one.value).get("type")) for one in blocks]
    return WireMessage(
        "user",
        block_text(content),
        results=[
            _result(body, one)
            for one, kind in zip(blocks, kinds, strict=True)
            if kind.endswith("tool_result")
        ],
        others=[
            one.value
            for one, kind in zip(blocks, kinds, strict=True)
            if kind != "text" and not kind.endswith("tool_result")
        ],
        place=at_end_of_list(held, *BLOCK) if isinstance(content, list) else None,
    )


def _result(body: str, span: Span) -> WireResult:
    found = members(body, span)
    content, failed = found.get("content"), mapping(span.value).get("is_error")
    if content is None:
        place = as_member(span, "content")
    elif isinstance(content.value, str):
        place = at_end_of_text(content)
    else:
        is_list = isinstance(content.value, list)
        place = at_end_of_list(content, *BLOCK) if is_list else None
    return WireResult(
        text_member(found, "tool_use_id"),
        content.value if content else "",
        failed if isinstance(failed, bool) else None,
        place,
    )


def block_text(content: object) -> str:
    """Join the texts of content blocks; thinking, images and tools are left out."""
    if isinstance(content, str):
        return content
    blocks = (mapping(one) for one in items(content))
    return "\n".join(text(one.get("text")) for one in blocks if one.get("type") == "text")


def _calls(content: object) -> list[WireCall]:
    blocks = (mapping(one) for one in items(content))
    return [
        WireCall(text(one.get("name")), arguments(one.get("input")), text(one.get("id")))
        for one in blocks
        if one.get("type") == "tool_use" and text(one.get("name"))
    ]


def _tool(body: str, span: Span) -> WireTool:
    """Read a tool; those that the provider defines itself take no description."""
    found = members(body, span)
    tool = text_member(found, "name")
    if "input_schema" not in found or not tool:
        return WireTool(tool)
    described = found.get("description")
    if described is None:
        return WireTool(tool, as_member(span, "description"))
    is_text = isinstance(described.value, str)
    return WireTool(tool, at_end_of_text(described) if is_text else None)


def read_reply(body: bytes, *, streamed: bool) -> WireReply:
    """Read a response, whole or streamed."""
    if not streamed:
        answer = mapping(json_body(body))
        content = answer.get("content")
        whole = isinstance(content, list)
        return WireReply(block_text(content), _calls(content), whole=whole)
    blocks: dict[Any, dict[str, Any]] = {}
    whole = False
    for event in events_of(body):
        match event.get("type"):
            case "content_block_start":
                blocks[str(event.get("index"))] = dict(mapping(event.get("content_block")))
            case "content_block_delta":
                _add(blocks.setdefault(str(event.get("index")), {}), mapping(event.get("delta")))
            case "message_stop":
                whole = True
            case _:
                pass
    content = [_closed(block) for block in blocks.values()]
    return WireReply(block_text(content), _calls(content), whole=whole)


def _add(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    if delta.get("type") == "text_delta":
        block["text"] = text(block.get("text")) + text(delta.get("text"))
    elif delta.get("type") == "input_json_delta":
        block["json"] = text(block.get("json")) + text(delta.get("partial_json"))


def _closed(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block of a stream with its input, which came as pieces of JSON."""
    if "json" not in block:
        return block
    try:
        return {**block, "input": json.loads(block["json"] or "{}")}
    except (ValueError, RecursionError):
        return {**block, "input": {"input": block["json"]}}
