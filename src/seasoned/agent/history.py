"""Convert messages between storage and model, and close tool calls that a crash left open."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_core import PydanticSerializationError

from seasoned.core.text import one_line, storable
from seasoned.llm.chat.context_aware import prompt_text
from seasoned.sessions.session import NewMessage, Role, SessionMessage

MOST_PARSED = 5000  # messages kept in parsed form
LONGEST_RESULT = 600  # characters of a tool result in the text for people and learners
SUMMARY = "[What was said before, in short]"
UNKNOWN = "This call was interrupted; whether it took effect is not known. Check before you repeat."
NOT_MADE = "This call was interrupted before it was made."


@dataclass(frozen=True, slots=True)
class CallResult:
    """Result of a tool call, as stored in a step of the turn."""

    content: Any
    failed: bool

    @classmethod
    def from_json(cls, body: str) -> "CallResult":
        return cls(**json.loads(body))

    def to_json(self) -> str:
        return json.dumps({"content": self.content, "failed": self.failed}, default=str)


def to_stored(message: ModelMessage) -> NewMessage:
    """Convert a message for storage."""
    if isinstance(message, ModelResponse) and message.provider_url:
        message = replace(message, provider_url=None)  # an address may hold a secret
    # The library's adapter is for lists; one of our own for a message takes 50 ms to build.
    try:
        body = ModelMessagesTypeAdapter.dump_json([message]).decode()[1:-1]
    except PydanticSerializationError:  # half a character, as streams that are cut leave it
        plain = ModelMessagesTypeAdapter.dump_python([message], mode="json")
        body = json.dumps(_whole(plain[0]), ensure_ascii=False)
    return NewMessage(_role(message), readable(message), body)


def _whole(value: Any) -> Any:
    """Replace half characters in every text of a plain value."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_whole(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in cast("dict[str, Any]", value).items()}
    return value


def from_stored(message: SessionMessage) -> ModelMessage:
    """Return a stored message as the model gets it."""
    return _parsed(message.body)


@lru_cache(maxsize=MOST_PARSED)
def _parsed(body: str) -> ModelMessage:
    return ModelMessagesTypeAdapter.validate_json(f"[{body}]")[0]


def summary_message(summary: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(f"{SUMMARY}\n{summary}")])


def readable(message: ModelMessage) -> str:
    """Return a message as a person reads it."""
    return "\n".join(filter(None, map(_readable_part, message.parts)))


def reply_of(messages: Iterable[ModelMessage]) -> str:
    """Return what the agent said to the user in these messages."""
    texts = (
        part.content
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, TextPart) and part.content
    )
    return "\n\n".join(texts)


def calls_in(messages: Iterable[ModelMessage]) -> list[dict[str, Any]]:
    """Return the tool calls of a turn and their errors; a correction may refer to them."""
    calls: dict[str, dict[str, Any]] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                calls[part.tool_call_id] = {"tool": part.tool_name, "params": _args(part)}
            elif isinstance(part, ToolReturnPart) and part.outcome != "success":
                call = calls.get(part.tool_call_id)
                if call is not None:
                    call["error"] = one_line(str(part.content), LONGEST_RESULT)
    return list(calls.values())


def unanswered(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    """Return the tool calls of the last response, if it is the last message."""
    if not messages or not isinstance(messages[-1], ModelResponse):
        return []
    return [part for part in messages[-1].parts if isinstance(part, ToolCallPart)]


def close_calls(
    messages: Sequence[ModelMessage],
    results: Mapping[str, CallResult],
    started: frozenset[str] = frozenset(),
    *,
    keep_last: bool = False,
) -> list[ModelMessage]:
    """Add a result for each tool call without one, because providers require it.

    `results` are those of finished calls, `started` the ids of calls that may have taken effect.
    With `keep_last` the last message stays as it is: its calls can still be made.
    """
    whole: list[ModelMessage] = []
    for place, message in enumerate(messages):
        whole.append(message)
        if keep_last and place == len(messages) - 1:
            break
        calls = unanswered([message])
        after = messages[place + 1] if place + 1 < len(messages) else None
        answered = {
            part.tool_call_id
            for part in (after.parts if isinstance(after, ModelRequest) else ())
            if isinstance(part, ToolReturnPart)
        }
        lacking = [call for call in calls if call.tool_call_id not in answered]
        if lacking:
            whole.append(ModelRequest(parts=[_closing(one, results, started) for one in lacking]))
    return whole


def streamed_text(event: Any) -> tuple[str, str]:
    """Return the text and the thinking in an event of the model's stream."""
    if isinstance(event, PartStartEvent):
        content = event.part.content if isinstance(event.part, TextPart | ThinkingPart) else ""
        return ("", content) if isinstance(event.part, ThinkingPart) else (content, "")
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta, ""
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, ThinkingPartDelta):
        return "", event.delta.content_delta or ""
    return "", ""


def _closing(
    call: ToolCallPart, results: Mapping[str, CallResult], started: frozenset[str]
) -> ToolReturnPart:
    name = call.tool_call_id
    if name in results:
        done = results[name]
        outcome = "failed" if done.failed else "success"
        return ToolReturnPart(call.tool_name, done.content, name, outcome=outcome)
    said = UNKNOWN if name in started else NOT_MADE
    return ToolReturnPart(call.tool_name, said, name, outcome="failed")


def _role(message: ModelMessage) -> Role:
    if isinstance(message, ModelResponse):
        return "assistant"
    return "user" if any(isinstance(part, UserPromptPart) for part in message.parts) else "tool"


def _readable_part(part: Any) -> str:
    if isinstance(part, UserPromptPart):
        return prompt_text(part)
    if isinstance(part, TextPart):
        return part.content
    if isinstance(part, ToolCallPart):
        return (
            f"[calls {part.tool_name} {json.dumps(_args(part), ensure_ascii=False, default=str)}]"
        )
    if isinstance(part, ToolReturnPart):
        failed = "" if part.outcome == "success" else " failed"
        return f"[{part.tool_name}{failed}: {one_line(part.model_response_str(), LONGEST_RESULT)}]"
    return "" if isinstance(part, ThinkingPart) else f"[{part.part_kind}]"


def _args(call: Any) -> dict[str, Any]:
    try:
        return dict(call.args_as_dict())
    except (ValueError, AssertionError):  # a model may write invalid JSON
        return {"arguments": str(call.args)}
