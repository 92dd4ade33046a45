"""Responses of the providers as they are on the wire, plain and streamed."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.json_service import Reply

EVENTS = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Called:
    id: str
    tool: str
    args: dict[str, Any]


Said = str | list[Called]
USAGE = (120, 30)


def pieces(text: str) -> list[str]:
    return [text[at : at + 5] for at in range(0, len(text), 5)]


def _openai_call(call: Called) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": json.dumps(call.args)}
    return {"id": call.id, "type": "function", "function": function}


def openai_plain(said: Said) -> Reply:
    message: dict[str, Any] = {"role": "assistant", "content": said, "refusal": None}
    if not isinstance(said, str):
        message |= {"content": None, "tool_calls": [_openai_call(call) for call in said]}
    ended = "stop" if isinstance(said, str) else "tool_calls"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": ended}
    return Reply(_openai("chat.completion", [choice]) | {"usage": _openai_usage()}, headers=JSON)


def openai_events(said: Said) -> list[bytes]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if isinstance(said, str):
        deltas += [{"content": piece} for piece in pieces(said)]
    else:
        for place, call in enumerate(said):
            first, *rest = ["", *pieces(json.dumps(call.args))]
            function = {"name": call.tool, "arguments": first}
            begun = {"index": place, "id": call.id, "type": "function", "function": function}
            deltas.append({"tool_calls": [begun]})
            for piece in rest:
                deltas.append({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
    ended = "stop" if isinstance(said, str) else "tool_calls"
    choices: list[list[dict[str, Any]]] = [
        [{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas
    ]
    choices.append([{"index": 0, "delta": {}, "finish_reason": ended}])
    chunks = [_openai("chat.completion.chunk", choice) for choice in choices]
    chunks.append(_openai("chat.completion.chunk", []) | {"usage": _openai_usage()})
    return [*(_data(chunk) for chunk in chunks), b"data: [DONE]\n\n"]


def _openai(kind: str, choices: list[Any]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": "m-1", "choices": choices}


def _openai_usage() -> dict[str, int]:
    asked, given = USAGE
    return {"prompt_tokens": asked, "completion_tokens": given, "total_tokens": asked + given}


def _anthropic_blocks(said: Said) -> list[dict[str, Any]]:
    if isinstance(said, str):
        return [{"type": "text", "text": said}]
    return [
        {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.args} for call in said
    ]


def _anthropic_message(said: Said) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": _anthropic_blocks(said),
        "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": USAGE[0], "output_tokens": USAGE[1]},
    }


def anthropic_plain(said: Said) -> Reply:
    return Reply(_anthropic_message(said), headers=JSON)


def anthropic_events(said: Said) -> list[bytes]:
    whole = _anthropic_message(said)
    begun: dict[str, Any] = {**whole, "content": list[Any](), "stop_reason": None}
    begun["usage"] = {"input_tokens": USAGE[0], "output_tokens": 1}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    for place, block in enumerate(whole["content"]):
        empty: dict[str, Any] = {"text": ""} if block["type"] == "text" else {"input": {}}
        start = {"type": "content_block_start", "index": place, "content_block": block | empty}
        events.append(start)
        text = block["text"] if block["type"] == "text" else json.dumps(block["input"])
        for piece in pieces(text):
            delta = (
                {"type": "text_delta", "text": piece}
                if block["type"] == "text"
                else {"type": "input_json_delta", "partial_json": piece}
            )
            events.append({"type": "content_block_delta", "index": place, "delta": delta})
        events.append({"type": "content_block_stop", "index": place})
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": USAGE[1]}
    events.append({"type": "message_delta", "delta": ended, "usage": usage})
    events.append({"type": "message_stop"})
    return [f"event: {event['type']}\n".encode() + _data(event) for event in events]


def _gemini(parts: list[dict[str, Any]], ended: str | None = "STOP") -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if ended:
        candidate["finishReason"] = ended
    asked, given = USAGE
    usage = {"promptTokenCount": asked, "candidatesTokenCount": given}
    usage["totalTokenCount"] = asked + given
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": "m-1",
        "responseId": "r-1",
    }


def _gemini_parts(said: Said) -> list[dict[str, Any]]:
    if isinstance(said, str):
        return [{"text": piece} for piece in pieces(said)]
    return [
        {"functionCall": {"id": call.id, "name": call.tool, "args": call.args}} for call in said
    ]


def gemini_plain(said: Said) -> Reply:
    whole = [{"text": said}] if isinstance(said, str) else _gemini_parts(said)
    return Reply(_gemini(whole), headers=JSON)


def gemini_events(said: Said) -> list[bytes]:
    *before, last = _gemini_parts(said)
    return [*(_data(_gemini([part], None)) for part in before), _data(_gemini([last]))]


def _data(content: Any) -> bytes:
    return f"data: {json.dumps(content)}\n\n".encode()


@dataclass(frozen=True)
class Wire:
    """The wire format of one provider: paths, replies and refusals."""

    path: str
    streamed_path: str
    plain: Callable[[Said], Reply]
    events: Callable[[Said], list[bytes]]
    refusal: Callable[[int, str], Any]

    def stream(self, said: Said) -> Reply:
        return Reply(b"".join(self.events(said)), headers=EVENTS)

    def broken(self, said: Said, events: int) -> Reply:
        """Return a stream that loses its connection after some events."""
        body = b"".join(self.events(said)[:events])
        length = {"Content-Length": str(len(body) + 1000), "Connection": "close"}
        return Reply(body, headers=EVENTS | length)

    def silent(self, said: Said, events: int) -> Reply:
        """Return a stream that ends early, without an error."""
        return Reply(b"".join(self.events(said)[:events]), headers=EVENTS)

    def no(self, status: int, message: str, **headers: str) -> Reply:
        return Reply(self.refusal(status, message), status=status, headers=JSON | headers)


ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    429: "rate_limit_error",
    500: "api_error",
}
GEMINI_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
}
OPENAI = Wire(
    "/v1/chat/completions",
    "/v1/chat/completions",
    openai_plain,
    openai_events,
    lambda status, message: {"error": {"message": message, "type": "error", "code": None}},
)
WIRES = {
    "openai": OPENAI,
    "ollama": OPENAI,
    "anthropic": Wire(
        "/v1/messages",
        "/v1/messages",
        anthropic_plain,
        anthropic_events,
        lambda status, message: {
            "type": "error",
            "error": {"type": ANTHROPIC_TYPES[status], "message": message},
        },
    ),
    "gemini": Wire(
        "/v1/models/m-1:generateContent",
        "/v1/models/m-1:streamGenerateContent?alt=sse",
        gemini_plain,
        gemini_events,
        lambda status, message: {
            "error": {"code": status, "message": message, "status": GEMINI_STATUSES[status]}
        },
    ),
}
