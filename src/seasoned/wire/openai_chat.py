"""OpenAI's chat completions: `messages` with roles, `tools`, and streamed `choices`."""

from collections.abc import Mapping
from typing import Any

from seasoned.transcripts.formats.shapes import arguments, first, items, mapping, text
from seasoned.wire.conversation import WireCall, WireMessage, WireReply, WireRequest, WireResult
from seasoned.wire.conversation import WireTool as Tool
from seasoned.wire.events import events_of, json_body
from seasoned.wire.spans import (
    Place,
    Span,
    as_member,
    at_end_of_list,
    at_end_of_text,
    elements,
    members,
    read_object,
    text_member,
)

name = "openai-chat"
LISTS = ("messages", "tools")
PART = ('{"type":"text","text":', "}")
SYSTEM = ("system", "developer")


def read_request(body: str) -> WireRequest:
    """Read the body of a request."""
    found = read_object(body, LISTS)
    spans = elements(body, found["messages"]) if "messages" in found else []
    messages = [_message(body, span) for span in spans]
    system = next((span for span in spans if mapping(span.value).get("role") in SYSTEM), None)
    standing = _beside(body, members(body, system)) if system else _own_system(found)
    limit = first({key: one.value for key, one in found.items()}, *MOST_TOKENS)
    return WireRequest(
        body,
        "\n".join(one.text for one in messages if one.role == "system"),
        [one for one in messages if one.role != "system"],
        [_tool(body, span) for span in elements(body, found["tools"])] if "tools" in found else (),
        standing,
        text_member(found, "safety_identifier") or text_member(found, "user"),
        text_member(found, "prompt_cache_key"),
        most_tokens=limit if isinstance(limit, int) else None,
    )


MOST_TOKENS = ("max_completion_tokens", "max_tokens")


def _own_system(found: Mapping[str, Span]) -> Place | None:
    """Return the place of a system message, for a conversation that has none."""
    span = found.get("messages")
    if span is None or not items(span.value):
        return None
    return Place(span.start + 1, '{"role":"system","content":', "},")


def _message(body: str, span: Span) -> WireMessage:
    value = mapping(span.value)
    role, content = value.get("role"), value.get("content")
    if role in SYSTEM:
        return WireMessage("system", content_text(content))
    if role == "assistant":
        return WireMessage("assistant", content_text(content), _calls(value))
    place = _beside(body, members(body, span))
    if role in ("tool", "function"):
        call = text(first(value, "tool_call_id", "name"))
        result = WireResult(call, content, None, place, text(value.get("name")))
        return WireMessage("user", results=[result])
    others = [part for part in items(content) if mapping(part).get("type") != "text"]
    return WireMessage("user", content_text(content), others=others, place=place)


def _beside(body: str, found: Mapping[str, Span]) -> Place | None:
    """Return the place at the end of a message's content, in the shape that it has.

    A string stays a string: not every server that speaks this format takes parts.
    """
    content = found.get("content")
    if content is not None and isinstance(content.value, str):
        return at_end_of_text(content)
    if content is not None and isinstance(content.value, list):
        return at_end_of_list(content, *PART)
    return None


def content_text(content: object) -> str:
    """Join the texts of a content, without pictures and files."""
    if isinstance(content, str):
        return content
    parts = (mapping(part) for part in items(content))
    return "\n".join(said for part in parts if (said := text(first(part, "text", "refusal"))))


def _calls(message: Mapping[str, Any]) -> list[WireCall]:
    calls: list[WireCall] = []
    for call in (mapping(one) for one in items(message.get("tool_calls"))):
        function = mapping(first(call, "function", "custom"))
        if tool := text(function.get("name")):
            given = arguments(first(function, "arguments", "input"))
            calls.append(WireCall(tool, given, text(call.get("id"))))
    function = mapping(message.get("function_call"))
    if tool := text(function.get("name")):
        calls.append(WireCall(tool, arguments(function.get("arguments")), tool))
    return calls


def _tool(body: str, span: Span) -> Tool:
    found = members(body, span)
    inner = found.get("function") or found.get("custom")
    held = members(body, inner) if inner else {}
    if inner is None or not text_member(held, "name"):
        return Tool("")
    return Tool(text_member(held, "name"), description_place(inner, held))


def description_place(tool: Span, found: Mapping[str, Span]) -> Place | None:
    """Return the place at the end of a tool's description."""
    description = found.get("description")
    if description is None:
        return as_member(tool, "description")
    return at_end_of_text(description) if isinstance(description.value, str) else None


def read_reply(body: bytes, *, streamed: bool) -> WireReply:
    """Read a response, whole or streamed."""
    if streamed:
        return _streamed(body)
    answer = mapping(json_body(body))
    choice = mapping(next(iter(items(answer.get("choices"))), None))
    message = mapping(choice.get("message"))
    said = content_text(message.get("content")) or text(message.get("refusal"))
    return WireReply(said, _calls(message), whole=bool(choice))


def _streamed(body: bytes) -> WireReply:
    said: list[str] = []
    calls: dict[int, list[str]] = {}
    whole = False
    for event in events_of(body):
        choices = (mapping(one) for one in items(event.get("choices")))
        for choice in (one for one in choices if not one.get("index")):
            delta = mapping(choice.get("delta"))
            said.append(text(first(delta, "content", "refusal")))
            for number, piece in enumerate(map(mapping, items(delta.get("tool_calls")))):
                place = piece.get("index")
                call = calls.setdefault(place if isinstance(place, int) else number, ["", "", ""])
                function = mapping(first(piece, "function", "custom"))
                call[0] += text(piece.get("id")) if not call[0] else ""
                call[1] += text(function.get("name"))
                call[2] += text(first(function, "arguments", "input"))
            whole = whole or choice.get("finish_reason") is not None
    made = [WireCall(tool, arguments(given), name) for name, tool, given in calls.values() if tool]
    return WireReply("".join(said), made, whole=whole)
