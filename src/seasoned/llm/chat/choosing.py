"""Let a small model that cannot call tools choose one in JSON, enforced by a schema.

Each answer is `{"tool": …, "args": {…}}` or `{"say": …}`; the wrapped model must support JSON
schemas. To its caller it looks like any model that calls tools.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models import (
    CompletedStreamedResponse,
    ModelRequestParameters,
    StreamedResponse,
)
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from seasoned.llm.chat.near_json import near_json

LONGEST_TEXT = 1000  # characters: a small model may never stop
LONGEST_LIST = 20
TOLD = """You can use tools. Answer with one JSON object:
{{"tool": NAME, "args": {{...}}}} to use a tool, or {{"say": TEXT}} to answer the user.
Use a tool where it helps. Once you have its result, answer with "say".

Tools:
{tools}"""


class Choosing(WrapperModel):
    """With tools, a stream has its text in one piece; without tools nothing changes."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        tools = model_request_parameters.function_tools
        if not tools or model_request_parameters.output_mode != "text":
            return await self.wrapped.request(messages, model_settings, model_request_parameters)
        told = TOLD.format(tools="\n".join(map(tool_line, tools)))
        response = await self.wrapped.request(
            _with_instructions(messages, told),
            model_settings,
            _choosing(model_request_parameters, tools, told),
        )
        return replace(response, parts=_parts_of_choice(response, {tool.name for tool in tools}))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        parameters = model_request_parameters
        if parameters.function_tools and parameters.output_mode == "text":
            response = await self.request(messages, model_settings, parameters)
            yield CompletedStreamedResponse(
                response, model_request_parameters=parameters, replay_events=True
            )
            return
        async with self.wrapped.request_stream(
            messages, model_settings, parameters, run_context
        ) as stream:
            yield stream

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        return model_settings, model_request_parameters  # left to the wrapped model


def tool_line(tool: ToolDefinition) -> str:
    """Describe a tool in one line for a small model: name, arguments, purpose."""
    given = tool.parameters_json_schema.get("properties", {})
    takes = ", ".join(f"{name}: {one.get('type', 'any')}" for name, one in given.items())
    return f"- {tool.name}({takes}): {tool.description or ''}".strip()


def choice(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """Return the schema of an answer: one of the tools with its arguments, or a text."""
    say = _object({"say": {"type": "string", "maxLength": LONGEST_TEXT}})
    called = [
        _object({"tool": {"const": tool.name, "type": "string"}, "args": _arguments(tool)})
        for tool in tools
    ]
    defined: dict[str, Any] = {}
    for tool in tools:
        defined |= with_bounds(tool.parameters_json_schema.get("$defs", {}))
    return {"anyOf": [*called, say], **({"$defs": defined} if defined else {})}


def with_bounds(schema: Any) -> Any:
    """Limit every text and every list in a schema.

    >>> with_bounds({"type": "array", "items": {"type": "string", "maxLength": 5}})
    {'type': 'array', 'items': {'type': 'string', 'maxLength': 5}, 'maxItems': 20}
    """
    if isinstance(schema, list):
        return [with_bounds(one) for one in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    made = {name: with_bounds(one) for name, one in cast("dict[str, Any]", schema).items()}
    if made.get("type") == "string" and not made.keys() & {"enum", "const", "format"}:
        made.setdefault("maxLength", LONGEST_TEXT)
    if made.get("type") == "array":
        made.setdefault("maxItems", LONGEST_LIST)
    return made


def _arguments(tool: ToolDefinition) -> dict[str, Any]:
    given = {name: one for name, one in tool.parameters_json_schema.items() if name != "$defs"}
    return with_bounds(given)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _choosing(
    parameters: ModelRequestParameters, tools: Sequence[ToolDefinition], told: str
) -> ModelRequestParameters:
    return replace(
        parameters,
        function_tools=[],
        output_mode="native",
        output_object=OutputObjectDefinition(json_schema=choice(tools), name="choice"),
        instruction_parts=[*(parameters.instruction_parts or ()), InstructionPart(content=told)],
    )


def _with_instructions(messages: list[ModelMessage], told: str) -> list[ModelMessage]:
    """Append the list of tools to the instructions of the last request."""
    *before, last = messages
    if isinstance(last, ModelRequest):
        last = replace(last, instructions=f"{last.instructions or ''}\n\n{told}".strip())
    return [*before, last]


def _parts_of_choice(response: ModelResponse, tools: set[str]) -> list[ModelResponsePart]:
    """Turn the choice into a tool call or a text; any other answer is a text."""
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    try:
        said = near_json(text)
    except ValueError:
        return [TextPart(text)]
    if not isinstance(said, dict):
        return [TextPart(text)]
    made = cast("dict[str, Any]", said)
    if made.get("tool") in tools:
        return [ToolCallPart(str(made["tool"]), made.get("args") or {})]
    spoken = made.get("say")
    return [TextPart(spoken if isinstance(spoken, str) else json.dumps(made))]
