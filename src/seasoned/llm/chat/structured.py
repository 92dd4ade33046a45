"""Ask a model for data that satisfies a schema; repair what is nearly right, ask again otherwise.

Each model is asked in the way that it does best (an enforced schema, a tool to call, or words in
the prompt); the answer is checked here, whichever way it came.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from seasoned.core.errors import ModelError
from seasoned.core.text import one_line
from seasoned.llm.chat.attempt import answer_tokens, request_tokens
from seasoned.llm.chat.near_json import near_json
from seasoned.llm.json_schema import complaint, without_bounds
from seasoned.llm.model import ModelAnswer, ModelQuestion

T = TypeVar("T")
TRIES = 2
WRAPPED = "response"  # the key for a value that is no object, in a tool's arguments
AGAIN = (
    "Your answer could not be used: {wrong}.\n"
    "Answer again, with one JSON value that satisfies the schema, and nothing else."
)


class MisfitError(Exception):
    """An answer that cannot be used; the message tells the model what is wrong."""


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """A named schema; `check` returns the value of an answer, or raises `MisfitError`."""

    name: str
    schema: dict[str, Any]
    check: Callable[[Any], Any]


@dataclass
class Dialogue:
    """One question and its repetitions: the messages so far, and the tokens they took."""

    messages: list[ModelMessage]
    spent: list[int] = field(default_factory=lambda: [0, 0])


async def ask_for(
    model: Model,
    prompt: str,
    wanted: type[T],
    *,
    system: str = "",
    tries: int = TRIES,
    most_tokens: int = 2000,
) -> T:
    """Return a value of a type: a pydantic model, a dataclass, a list of them …

    Raises `ModelError` if no answer has this type.
    """
    adapter: TypeAdapter[T] = TypeAdapter(wanted)

    def check(value: Any) -> T:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            raise MisfitError(_complaints(error)) from None

    shape = AnswerShape(getattr(wanted, "__name__", "answer"), adapter.json_schema(), check)
    found, _ = await _ask(model, system, prompt, shape, tries, most_tokens)
    return found


async def answer_to(model: Model, question: ModelQuestion, *, tries: int = TRIES) -> ModelAnswer:
    """Return data that satisfies the question's schema, and the tokens it took."""

    def check(value: Any) -> dict[str, Any]:
        if wrong := complaint(value, question.schema.body):
            raise MisfitError(wrong)
        return value

    shape = AnswerShape(question.schema.name, without_bounds(question.schema.body), check)
    data, (asked, given) = await _ask(
        model, question.system, question.prompt, shape, tries, question.most_tokens
    )
    return ModelAnswer(data, asked, given)


async def _ask(
    model: Model, system: str, prompt: str, shape: AnswerShape, tries: int, most_tokens: int
) -> tuple[Any, list[int]]:
    dialogue = Dialogue([ModelRequest.user_text_prompt(prompt, instructions=system or None)])
    settings: ModelSettings = {"max_tokens": most_tokens, "temperature": 0}
    wrong = ""
    for left in reversed(range(tries)):
        response = await _request(model, dialogue, settings, _parameters(shape, system))
        try:
            return shape.check(_value(response, shape, last=not left)), dialogue.spent
        except MisfitError as misfit:
            wrong = str(misfit)
        if response.finish_reason == "length":
            settings = {**settings, "max_tokens": 2 * most_tokens}
        again = ModelRequest.user_text_prompt(
            AGAIN.format(wrong=wrong), instructions=system or None
        )
        dialogue.messages += [_as_text_message(response), again]
    raise ModelError(
        f"{model.model_name} gave no usable answer, asked {tries} times: {one_line(wrong, 300)}; "
        "if this goes on, check llm.url, or try another model",
        *dialogue.spent,
    )


async def _request(
    model: Model, dialogue: Dialogue, settings: ModelSettings, parameters: ModelRequestParameters
) -> ModelResponse:
    try:
        response = await model_request(
            model, dialogue.messages, model_settings=settings, model_request_parameters=parameters
        )
    except ModelError as error:
        error.input_tokens += dialogue.spent[0]
        error.output_tokens += dialogue.spent[1]
        raise
    except UserError as error:
        raise ModelError(f"{model.model_name} cannot be asked for data: {error}") from error
    usage = response.usage  # a service that doesn't count has its tokens estimated
    dialogue.spent[0] += usage.input_tokens or request_tokens(dialogue.messages, parameters)
    dialogue.spent[1] += usage.output_tokens or answer_tokens(response)
    return response


def _parameters(shape: AnswerShape, system: str) -> ModelRequestParameters:
    """Offer a schema and a tool; each model takes the one that it does best."""
    tool = ToolDefinition(
        name=shape.name,
        description="Takes the answer. Call it once, with the whole answer.",
        parameters_json_schema=_object_schema(shape.schema),
        kind="output",
    )
    return ModelRequestParameters(
        output_mode="auto",
        output_object=OutputObjectDefinition(json_schema=shape.schema, name=shape.name),
        output_tools=[tool],
        allow_text_output=False,
        instruction_parts=[InstructionPart(content=system)] if system else None,
    )


def _object_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Wrap the schema of any other value in an object: tools take objects only."""
    if schema.get("type") == "object" or "$ref" in schema:
        return schema
    defined = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    inner = {name: one for name, one in schema.items() if name != "$defs"}
    return {"type": "object", "properties": {WRAPPED: inner}, "required": [WRAPPED], **defined}


def _value(response: ModelResponse, shape: AnswerShape, *, last: bool) -> Any:
    """Return the answer, from a tool call or a text.

    An answer that was cut off is asked for again; the last time, its beginning has to do.
    """
    if response.finish_reason == "length" and not last:
        raise MisfitError("it was cut off; keep it short")
    calls = [part.args for part in response.parts if isinstance(part, ToolCallPart)]
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    said = calls[0] if calls else "".join(texts)
    if not said and response.finish_reason == "content_filter":
        raise MisfitError(_refusal(response))
    if not isinstance(said, str):
        return _unwrap(said, shape)
    try:
        return _unwrap(near_json(said), shape)
    except ValueError as error:
        raise MisfitError(f"{error}: {one_line(said, 120)!r}") from None


def _refusal(response: ModelResponse) -> str:
    details = response.provider_details or {}
    if blocked := details.get("block_reason"):
        return f"the prompt was blocked: {blocked}"
    return f"the model refused: {details.get('refusal') or 'no reason is given'}"


def _unwrap(value: Any, shape: AnswerShape) -> Any:
    if _object_schema(shape.schema) is shape.schema or not isinstance(value, dict):
        return value  # pyright: ignore[reportUnknownVariableType]
    return cast("dict[str, Any]", value).get(WRAPPED, value)


def _as_text_message(response: ModelResponse) -> ModelResponse:
    """Return the answer as a text: a tool call would need a tool result."""
    said = [
        _as_text(part.args) if isinstance(part, ToolCallPart) else part.content
        for part in response.parts
        if isinstance(part, ToolCallPart | TextPart)
    ]
    return ModelResponse(parts=[TextPart("\n".join(said) or json.dumps(None))])


def _as_text(args: Any) -> str:
    return args if isinstance(args, str) else json.dumps(args)


def _complaints(error: ValidationError) -> str:
    """
    >>> try:
    ...     TypeAdapter(dict[str, int]).validate_python({"a": "x"})
    ... except ValidationError as error:
    ...     print(_complaints(error))
    the answer.a: Input should be a valid integer, unable to parse string as an integer
    """
    told = [
        f"{'.'.join(map(str, ('the answer', *one['loc'])))}: {one['msg']}"
        for one in error.errors(include_url=False)[:3]
    ]
    return "; ".join(told)
