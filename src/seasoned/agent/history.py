"""Messages as they are stored, and as a model gets them; what a crash left open is closed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from seasoned.core.text import one_line
from seasoned.llm.context_aware import text_of
from seasoned.memory.session import Kept, Role, Said

ADAPTER: TypeAdapter[ModelMessage] = TypeAdapter(ModelMessage)
MOST_PARSED = 5000  # messages that are remembered as a model gets them
LONGEST_RESULT = 600  # characters of a tool's result that a person, or a learner, reads
SUMMARY = "[What was said before, in short]"
UNKNOWN = "This call was interrupted; whether it took effect is not known. Check before you repeat."
NOT_MADE = "This call was interrupted before it was made."


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a tool call, as a turn's step keeps it."""

    content: Any
    failed: bool

    @classmethod
    def read(cls, body: str) -> "Done":
        return cls(**json.loads(body))

    def written(self) -> str:
        return json.dumps({"content": self.content, "failed": self.failed}, default=str)


def said(message: ModelMessage) -> Said:
    """A message as it is stored."""
    return Said(_role(message), text(message), ADAPTER.dump_json(message).decode())


def told(kept: Kept) -> ModelMessage:
    """A stored message as a model gets it."""
    return _parsed(kept.body)


@lru_cache(maxsize=MOST_PARSED)
def _parsed(body: str) -> ModelMessage:
    return ADAPTER.validate_json(body)


def summarised(summary: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(f"{SUMMARY}\n{summary}")])


def text(message: ModelMessage) -> str:
    """As a person reads it."""
    return "\n".join(filter(None, map(_read, message.parts)))


def reply_of(messages: Iterable[ModelMessage]) -> str:
    """What the agent said to the user in these messages."""
    texts = (
        part.content
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, TextPart) and part.content
    )
    return "\n\n".join(texts)


def calls_in(messages: Iterable[ModelMessage]) -> list[dict[str, Any]]:
    """The tool calls of a turn, and which of them failed: what a correction may be about."""
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
    """The tool calls of the last response that nothing came of."""
    if not messages or not isinstance(messages[-1], ModelResponse):
        return []
    return [part for part in messages[-1].parts if isinstance(part, ToolCallPart)]


def closed(
    messages: Sequence[ModelMessage],
    results: Mapping[str, Done],
    begun: frozenset[str] = frozenset(),
    *,
    keep_last: bool = False,
) -> list[ModelMessage]:
    """The same, with something for each tool call that nothing came of: a provider wants that.

    `results` are of calls that were done, `begun` those that may have been. With `keep_last` the
    last message stays as it is: its calls can still be made.
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
            whole.append(ModelRequest(parts=[_closing(one, results, begun) for one in lacking]))
    return whole


def _closing(
    call: ToolCallPart, results: Mapping[str, Done], begun: frozenset[str]
) -> ToolReturnPart:
    name = call.tool_call_id
    if name in results:
        done = results[name]
        outcome = "failed" if done.failed else "success"
        return ToolReturnPart(call.tool_name, done.content, name, outcome=outcome)
    said = UNKNOWN if name in begun else NOT_MADE
    return ToolReturnPart(call.tool_name, said, name, outcome="failed")


def _role(message: ModelMessage) -> Role:
    if isinstance(message, ModelResponse):
        return "assistant"
    return "user" if any(isinstance(part, UserPromptPart) for part in message.parts) else "tool"


def _read(part: Any) -> str:
    if isinstance(part, UserPromptPart):
        return text_of(part)
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
    except (ValueError, AssertionError):  # a model may write what is no JSON
        return {"arguments": str(call.args)}
