"""Hide personal data and secrets in every part of a request, and reveal them in answers.

Fails closed: every text of every part is searched, except the protocol's own names.
"""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from pydantic_ai.messages import (
    BaseToolCallPart,
    BinaryContent,
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_core import to_jsonable_python

from seasoned.security.placeholders import Placeholders

T = TypeVar("T")
# Fields that the protocol needs unchanged; none of them holds what a person wrote.
PROTOCOL = frozenset(
    """part_kind kind event_kind tool_name tool_kind tool_call_id id identifier _identifier
    signature provider_name provider_details provider_url provider_response_id canonical_system
    model_name run_id conversation_id media_type _media_type format outcome state finish_reason
    usage timestamp vendor_metadata metadata""".split()
)
TEXTUAL = ("text/", "application/json", "application/xml", "application/yaml")


def hidden_messages(messages: Sequence[ModelMessage], held: Placeholders) -> list[ModelMessage]:
    return [_copy_hidden(message, held) for message in messages]


def hidden_parameters(
    parameters: ModelRequestParameters, held: Placeholders
) -> ModelRequestParameters:
    """Hide values in the instructions, the tools and the schema of the answer."""
    told, shape = parameters.instruction_parts, parameters.output_object
    template = parameters.prompted_output_template
    return replace(
        parameters,
        function_tools=[_tool(one, held) for one in parameters.function_tools],
        output_tools=[_tool(one, held) for one in parameters.output_tools],
        instruction_parts=told and [replace(one, content=held.hide(one.content)) for one in told],
        output_object=shape
        and replace(
            shape,
            json_schema=_texts(shape.json_schema, held.hide),
            description=shape.description and held.hide(shape.description),
        ),
        prompted_output_template=held.hide(template) if isinstance(template, str) else template,
    )


def revealed_response(
    response: ModelResponse, held: Placeholders, *, as_json: bool = False
) -> ModelResponse:
    """Reveal the values in an answer; `as_json` escapes them, for a text that holds JSON."""
    parts = [revealed_part(part, held, as_json=as_json) for part in response.parts]
    return replace(response, parts=parts)


def revealed_part(
    part: ModelResponsePart, held: Placeholders, *, as_json: bool = False
) -> ModelResponsePart:
    if as_json and isinstance(part, TextPart):
        return replace(part, content=held.reveal_json(part.content))
    if isinstance(part, TextPart | ThinkingPart):
        return replace(part, content=held.reveal(part.content))
    if isinstance(part, BaseToolCallPart):
        made = copy.copy(part)
        made.args = revealed_args(cast("Any", part.args), held)
        return cast("ModelResponsePart", made)
    return part


def revealed_args(args: str | dict[str, Any] | None, held: Placeholders) -> Any:
    return held.reveal_json(args) if isinstance(args, str) else held.reveal_all(args)


def _copy_hidden(value: T, held: Placeholders) -> T:
    """Copy a message or part with all its texts hidden."""
    made = copy.copy(value)
    for one in fields(cast("Any", value)):
        if one.name in PROTOCOL:
            continue
        given = getattr(value, one.name)
        taken = _args(given, held) if one.name == "args" else _hidden(given, held, one.name)
        if taken is not given:
            object.__setattr__(made, one.name, taken)
    if isinstance(made, BinaryContent) and made.media_type.startswith(TEXTUAL):
        text = made.data.decode("utf-8", "replace")
        object.__setattr__(made, "data", held.hide(text).encode())
    return made


def _hidden(value: Any, held: Placeholders, name: str = "") -> Any:
    if value is None or isinstance(value, bool | bytes):
        return value
    if isinstance(value, str | int | float):
        return held.hide_all(value, name)
    if isinstance(value, list | tuple):
        return [_hidden(one, held) for one in cast("list[Any]", value)]
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {_hidden(key, held): _hidden(one, held, str(key)) for key, one in items}
    if is_dataclass(value) and type(value).__module__.startswith("pydantic_ai."):
        return _copy_hidden(value, held)
    return held.hide_all(to_jsonable_python(value, fallback=str), name)


def _args(given: Any, held: Placeholders) -> Any:
    """Hide values in arguments, which may be a JSON text, even a broken one."""
    if not isinstance(given, str):
        return _hidden(given, held)
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        return held.hide(given)
    return json.dumps(held.hide_all(value), ensure_ascii=False)


def _tool(tool: ToolDefinition, held: Placeholders) -> ToolDefinition:
    return replace(
        tool,
        description=tool.description and held.hide(tool.description),
        parameters_json_schema=_texts(tool.parameters_json_schema, held.hide),
    )


def _texts(value: Any, hide: Callable[[str], str]) -> Any:
    """Hide values in the texts of a schema, but keep the names of its properties."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {key: _texts(one, hide) for key, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_texts(one, hide) for one in cast("list[Any]", value)]
    return value
