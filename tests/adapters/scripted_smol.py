"""A model of smolagents that answers as told, and keeps what it was sent."""

import json
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from smolagents.models import (
    ChatMessage,
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
    Model,
)

Answer = str | tuple[str, dict[str, Any]]


class Sent:
    def __init__(self, messages: Sequence[ChatMessage], tools: Sequence[Any]) -> None:
        self.texts = [(one.role.value, _text(one)) for one in messages]
        self.descriptions = {one.name: one.description for one in tools}

    @property
    def system(self) -> str:
        return self.texts[0][1]


class ScriptedModel(Model):
    """A text is code or an answer; a tuple calls a tool."""

    def __init__(self, *answers: Answer) -> None:
        init: Any = getattr(super(), "__init__")  # noqa: B009 - untyped
        init(model_id="scripted")
        self.answers = list(answers)
        self.sent: list[Sent] = []

    def generate(
        self,
        messages: list[ChatMessage],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, str] | None = None,
        tools_to_call_from: list[Any] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        self.sent.append(Sent(messages, tools_to_call_from or []))
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=answer)
        made = ChatMessageToolCallFunction(arguments=answer[1], name=answer[0])
        call = ChatMessageToolCall(function=made, id=f"c{len(self.sent)}", type="function")
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


class StreamingModel(ScriptedModel):
    def generate_stream(
        self, messages: list[ChatMessage], **kwargs: Any
    ) -> Generator[ChatMessageStreamDelta]:
        said = self.generate(messages, **kwargs)
        calls = [
            ChatMessageToolCallStreamDelta(
                index=at,
                id=one.id,
                type="function",
                function=replace(one.function, arguments=json.dumps(one.function.arguments)),
            )
            for at, one in enumerate(said.tool_calls or [])
        ]
        yield ChatMessageStreamDelta(content=str(said.content), tool_calls=calls or None)


def _text(message: ChatMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(part.get("text", "")) for part in message.content or [])
