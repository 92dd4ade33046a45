"""A chat model of LangChain that answers as told, and keeps what it was sent."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    SystemMessage,
    ToolCall,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field


def calls(*given: tuple[str, dict[str, Any]]) -> AIMessage:
    made = [
        ToolCall(name=name, args=args, id=f"{name}-{at}-{sorted(args.values(), key=str)}")
        for at, (name, args) in enumerate(given)
    ]
    return AIMessage("", tool_calls=made)


class Sent:
    """One request: its messages, and the tools that were bound."""

    def __init__(self, messages: Sequence[BaseMessage], tools: Sequence[Any]) -> None:
        self.messages = list(messages)
        self.tools = [convert_to_openai_tool(one) for one in tools]

    @property
    def system(self) -> str:
        return "\n".join(str(m.text) for m in self.messages if isinstance(m, SystemMessage))

    @property
    def texts(self) -> list[tuple[str, str]]:
        return [(one.type, str(one.text)) for one in self.messages if one.type != "system"]

    def description(self, name: str) -> str:
        found = [t["function"] for t in self.tools if t["function"]["name"] == name]
        return str(found[0].get("description", ""))


class ScriptedChat(BaseChatModel):
    answers: list[AIMessage]
    sent: list[Sent] = Field(default_factory=list[Sent])
    bound: list[Any] = Field(default_factory=list[Any])

    model_config = ConfigDict(arbitrary_types_allowed=True)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        other = self.model_copy(update={"bound": list(tools)})
        other.answers, other.sent = self.answers, self.sent
        return other

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.sent.append(Sent(messages, self.bound))
        return ChatResult(generations=[ChatGeneration(message=self.answers.pop(0))])

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._generate(messages).generations[0].message
        assert isinstance(answer, AIMessage)
        words = str(answer.text).split(" ")
        for at, word in enumerate(words):
            made: list[Any] = [
                {"name": c["name"], "args": json.dumps(c["args"]), "id": c["id"]}
                for c in (answer.tool_calls if at == 0 else [])
            ]
            chunk = AIMessageChunk(
                content=word + ("" if at == len(words) - 1 else " "),
                tool_call_chunks=cast("Any", [{**one, "index": n} for n, one in enumerate(made)]),
            )
            yield ChatGenerationChunk(message=chunk)
