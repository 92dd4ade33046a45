"""Gemini's generateContent: `contents` of parts, function declarations, streams of two kinds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from seasoned.transcripts.formats.shapes import arguments, first, items, mapping, text
from seasoned.wire.conversation import (
    NAMELESS,
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

name = "gemini"
LISTS = ("contents", "tools")
PART = ('{"text":', "}")
SYSTEM = ("systemInstruction", "system_instruction")
CALL = ("functionCall", "function_call")
RESPONSE = ("functionResponse", "function_response")
DECLARATIONS = ("functionDeclarations", "function_declarations")
WORDS = ("error", "output", "result")  # members of a result that hold its text


def read_request(body: str) -> WireRequest:
    """Read the body of a request."""
    found = read_object(body, LISTS)
    system = _one(found, SYSTEM)
    config = _one(found, ("generationConfig", "generation_config"))
    limit = first(mapping(config.value if config else None), "maxOutputTokens", "max_output_tokens")
    return WireRequest(
        body,
        _text(mapping(system.value).get("parts")) if system else "",
        _messages(body, found["contents"]) if "contents" in found else (),
        _tools(body, found["tools"]) if "tools" in found else (),
        _standing(body, system),
        most_tokens=limit if isinstance(limit, int) else None,
    )


def _one(found: Mapping[str, Span], names: Sequence[str]) -> Span | None:
    """Return a member by either of its spellings."""
    return next((found[one] for one in names if one in found), None)


def _standing(body: str, system: Span | None) -> Place | None:
    if system is None:
        return as_first_member(body, "systemInstruction", '{"parts":[{"text":', "}]}")
    parts = members(body, system).get("parts")
    if parts is None:
        return None
    if isinstance(parts.value, list):
        return at_end_of_list(parts, *PART)
    said = members(body, parts).get("text")
    return at_end_of_text(said) if said and isinstance(said.value, str) else None


class _Numbers:
    """Names calls and results that have no id: the second result of a tool is its second call's."""

    def __init__(self) -> None:
        self._calls: Counter[str] = Counter()
        self._results: Counter[str] = Counter()

    def call(self, function: Mapping[str, Any]) -> str:
        return self._name(self._calls, function)

    def result(self, function: Mapping[str, Any]) -> str:
        return self._name(self._results, function)

    def _name(self, times: Counter[str], function: Mapping[str, Any]) -> str:
        if given := text(function.get("id")):
            return given
        tool = text(function.get("name"))
        times[tool] += 1
        return f"{NAMELESS}{tool}-{times[tool]}"


def _messages(body: str, given: Span) -> list[WireMessage]:
    numbers = _Numbers()
    return [_message(body, span, numbers) for span in elements(body, given)]


def _message(body: str, span: Span, numbers: _Numbers) -> WireMessage:
    value = mapping(span.value)
    parts: Any = value.get("parts")
    if value.get("role") == "model":
        return WireMessage("assistant", _text(parts), _calls(parts, numbers))
    held = members(body, span).get("parts")
    spans = elements(body, held) if held else []
    found = [members(body, one) for one in spans]
    results = [_result(body, one, numbers) for part in found if (one := _one(part, RESPONSE))]
    others = [
        one.value
        for one, part in zip(spans, found, strict=True)
        if "text" not in part and not _one(part, RESPONSE)
    ]
    place = at_end_of_list(held, *PART) if held and items(parts) else None
    return WireMessage("user", _text(parts), results=results, others=others, place=place)


def _result(body: str, span: Span, numbers: _Numbers) -> WireResult:
    function = mapping(span.value)
    answer = members(body, span).get("response")
    held = members(body, answer) if answer else {}
    said = next((held[one] for one in WORDS if isinstance(_value(held, one), str)), None)
    place = at_end_of_text(said) if said else None
    if answer is not None and place is None and isinstance(answer.value, dict):
        place = as_member(answer, "hint")
    output: Any = mapping(function.get("response"))
    if list(output) in (["output"], ["result"]):  # what the SDK wraps around a plain text
        output = next(iter(output.values()))
    return WireResult(numbers.result(function), output, None, place, text(function.get("name")))


def _value(held: Mapping[str, Span], member: str) -> Any:
    return held[member].value if member in held else None


def _text(parts: object) -> str:
    """Join the texts of parts, without thoughts, files and functions."""
    held = [mapping(one) for one in items(parts)] or [mapping(parts)]
    said = (text(one.get("text")) for one in held if one.get("thought") is not True)
    return "\n".join(filter(None, said))


def _calls(parts: object, numbers: _Numbers) -> list[WireCall]:
    functions = (mapping(first(mapping(one), *CALL)) for one in items(parts))
    return [
        WireCall(text(one.get("name")), arguments(one.get("args")), numbers.call(one))
        for one in functions
        if text(one.get("name"))
    ]


def _tools(body: str, given: Span) -> list[WireTool]:
    found: list[WireTool] = []
    for span in elements(body, given):
        declared = _one(members(body, span), DECLARATIONS)
        found += [_tool(body, one) for one in (elements(body, declared) if declared else ())]
    return found


def _tool(body: str, span: Span) -> WireTool:
    held = members(body, span)
    described = held.get("description")
    if described is None:
        return WireTool(text_member(held, "name"), as_member(span, "description"))
    is_text = isinstance(described.value, str)
    place = at_end_of_text(described) if is_text else None
    return WireTool(text_member(held, "name"), place)


def read_reply(body: bytes, *, streamed: bool) -> WireReply:
    """Read a response: whole, as events, or as the elements of a list."""
    answer: Any = list(events_of(body)) if streamed else json_body(body)
    chunks = items(answer) or [answer]
    said: list[str] = []
    calls: list[WireCall] = []
    numbers, whole = _Numbers(), False
    for chunk in chunks:
        candidate = mapping(next(iter(items(mapping(chunk).get("candidates"))), None))
        parts = mapping(candidate.get("content")).get("parts")
        said.append(_text(parts))
        calls += _calls(parts, numbers)
        whole = whole or bool(first(candidate, "finishReason", "finish_reason"))
    return WireReply("".join(said), calls, whole=whole)
