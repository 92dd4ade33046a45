"""OpenAI's responses: `input` items, `instructions`, conversations that the provider keeps."""

from collections.abc import Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.parts import ToolAnswer, ToolUse, item_parts
from seasoned.transcripts.formats.shapes import first, items, mapping, text
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
    in_place_of,
    members,
    read_object,
    text_member,
)

name = "openai-responses"
LISTS = ("input", "tools")
PART = ('{"type":"input_text","text":', "}")
DESCRIBED = ("function", "custom")
TEXTUAL = ("function_call_output", "custom_tool_call_output")  # outputs that take a text part
ENDED = ("response.completed", "response.incomplete", "response.failed")


def read_request(body: str) -> WireRequest:
    """Read the body of a request."""
    found = read_object(body, LISTS)
    kept = found["conversation"].value if "conversation" in found else None
    limit = found["max_output_tokens"].value if "max_output_tokens" in found else None
    messages = _messages(body, found["input"]) if "input" in found else []
    said = [text_member(found, "instructions")]
    said += [one.text for one in messages if one.role == "system"]
    return WireRequest(
        body,
        "\n".join(filter(None, said)),
        [one for one in messages if one.role != "system"],
        [_tool(body, one) for one in elements(body, found["tools"])] if "tools" in found else (),
        _standing(body, found.get("instructions")),
        text_member(found, "safety_identifier") or text_member(found, "user"),
        text_member(found, "prompt_cache_key"),
        text(kept) or text(mapping(kept).get("id")),
        text_member(found, "previous_response_id"),
        limit if isinstance(limit, int) else None,
    )


def _standing(body: str, instructions: Span | None) -> Place | None:
    if instructions is None:
        return as_first_member(body, "instructions")
    if instructions.value is None:
        return in_place_of(instructions)
    return at_end_of_text(instructions) if isinstance(instructions.value, str) else None


def _messages(body: str, given: Span) -> list[WireMessage]:
    """Read the items; what the model said at one time is one message."""
    if isinstance(given.value, str):
        return [WireMessage("user", given.value, place=at_end_of_text(given))]
    found: list[WireMessage] = []
    for span in elements(body, given):
        message = _message(body, span)
        if message is None:
            continue
        if message.role == "assistant" and found and found[-1].role == "assistant":
            found[-1] = _joined(found[-1], message)
        else:
            found.append(message)
    return found


def _joined(one: WireMessage, other: WireMessage) -> WireMessage:
    said = "\n".join(filter(None, (one.text, other.text)))
    return WireMessage("assistant", said, [*one.calls, *other.calls])


def _message(body: str, span: Span) -> WireMessage | None:
    item = mapping(span.value)
    role = item.get("role")
    if role == "assistant":
        return WireMessage("assistant", _text(item.get("content")))
    if role in ("system", "developer"):
        return WireMessage("system", _text(item.get("content")))
    if role == "user":
        return _user(body, span)
    part = next(item_parts(item), None)
    if isinstance(part, ToolUse):
        return WireMessage("assistant", calls=[WireCall(part.tool, part.params, part.id or "")])
    if isinstance(part, ToolAnswer):
        return WireMessage("user", results=[_result(body, span, part)])
    return None  # reasoning, a reference to an item, a call that the provider made


def _user(body: str, span: Span) -> WireMessage:
    content = members(body, span).get("content")
    held: Any = content.value if content else None
    place = _at_end_of(content) if content else None
    others = [one for one in items(held) if mapping(one).get("type") != "input_text"]
    return WireMessage("user", _text(held), others=others, place=place)


def _result(body: str, span: Span, part: ToolAnswer) -> WireResult:
    output = members(body, span).get("output")
    kind = mapping(span.value).get("type")
    place = _at_end_of(output) if output and kind in TEXTUAL else None
    told = _text(part.output) if items(part.output) else part.output
    return WireResult(part.id or "", told, part.failed, place)


def _at_end_of(content: Span) -> Place | None:
    """Return the place at the end of a content, in the shape that it has."""
    if isinstance(content.value, str):
        return at_end_of_text(content)
    return at_end_of_list(content, *PART) if isinstance(content.value, list) else None


def _text(content: object) -> str:
    """Join the texts of a content, whoever said them."""
    if isinstance(content, str):
        return content
    parts = (mapping(part) for part in items(content))
    return "\n".join(said for part in parts if (said := text(first(part, "text", "refusal"))))


def _tool(body: str, span: Span) -> WireTool:
    found = members(body, span)
    tool, described = text_member(found, "name"), found.get("description")
    if not tool or text_member(found, "type") not in DESCRIBED:
        return WireTool(tool)
    if described is None:
        return WireTool(tool, as_member(span, "description"))
    if described.value is None:
        return WireTool(tool, in_place_of(described))
    is_text = isinstance(described.value, str)
    return WireTool(tool, at_end_of_text(described) if is_text else None)


def read_reply(body: bytes, *, streamed: bool) -> WireReply:
    """Read a response, whole or streamed."""
    if not streamed:
        return _reply(mapping(json_body(body)))
    for event in events_of(body):
        if event.get("type") in ENDED:
            return _reply(mapping(event.get("response")))
    return WireReply(whole=False)


def _reply(response: Mapping[str, Any]) -> WireReply:
    output = [mapping(one) for one in items(response.get("output"))]
    said = [_text(one.get("content")) for one in output if one.get("type") == "message"]
    whole = response.get("status") == "completed"
    return WireReply("\n".join(said), _calls(output), text(response.get("id")), whole)


def _calls(output: Sequence[Mapping[str, Any]]) -> list[WireCall]:
    uses = [part for item in output for part in item_parts(item) if isinstance(part, ToolUse)]
    return [WireCall(use.tool, use.params, use.id or "") for use in uses]
