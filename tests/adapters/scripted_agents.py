"""A model of the OpenAI Agents SDK that answers as told, and keeps what it was sent."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import uuid4

from agents import FunctionTool, Model, ModelResponse, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

Call = tuple[str, dict[str, Any] | str]
Answer = str | Call | list[Call]


class Sent:
    """One request: instructions, input items, and the descriptions of its tools."""

    def __init__(self, instructions: str | None, items: Any, tools: Sequence[Any]) -> None:
        self.instructions = instructions or ""
        self.items: list[dict[str, Any]] = json.loads(json.dumps(items))
        named = [one for one in tools if isinstance(one, FunctionTool)]
        self.descriptions = {one.name: one.description for one in named}

    @property
    def outputs(self) -> list[str]:
        return [one["output"] for one in self.items if one.get("type") == "function_call_output"]


class ScriptedModel(Model):
    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.sent: list[Sent] = []
        self._made = 0

    async def get_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002 - named by the SDK
        model_settings: Any,
        tools: Any,
        *args: Any,
        **kw: Any,
    ) -> ModelResponse:
        self.sent.append(Sent(system_instructions, input, tools))
        return ModelResponse(output=self._output(), usage=Usage(), response_id=None)

    async def stream_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002 - named by the SDK
        model_settings: Any,
        tools: Any,
        *args: Any,
        **kw: Any,
    ) -> AsyncIterator[Any]:
        self.sent.append(Sent(system_instructions, input, tools))
        response = Response(
            id="r",
            created_at=0,
            model="scripted",
            object="response",
            output=self._output(),
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
            usage=ResponseUsage(
                input_tokens=0,
                output_tokens=0,
                total_tokens=0,
                input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
                output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
            ),
        )
        yield ResponseCompletedEvent(
            type="response.completed", response=response, sequence_number=0
        )

    def _output(self) -> list[Any]:
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            text = ResponseOutputText(text=answer, type="output_text", annotations=[])
            return [
                ResponseOutputMessage(
                    id=f"m{self._next()}",
                    type="message",
                    role="assistant",
                    content=[text],
                    status="completed",
                )
            ]
        calls = answer if isinstance(answer, list) else [answer]
        return [
            ResponseFunctionToolCall(
                name=name,
                arguments=args if isinstance(args, str) else json.dumps(args),
                call_id=f"call_{uuid4().hex}",
                type="function_call",
            )
            for name, args in calls
        ]

    def _next(self) -> int:
        self._made += 1
        return self._made
