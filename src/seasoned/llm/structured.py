"""Asks a model for data of a known shape; what is nearly right is repaired, the rest asked again.

The model is asked in the way that it can do best (a schema that is enforced, a tool to call, or
words in the prompt); the answer is checked here, whichever way it came.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import anyio
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
from seasoned.llm.json_schema import complaint, without_bounds
from seasoned.llm.model import Answer, Question
from seasoned.llm.near_json import near_json
from seasoned.llm.providers import ChatModel
from seasoned.llm.supervisor import Supervised, SupervisorConfig

T = TypeVar("T")
TRIES = 2
AGAIN = (
    "Your answer could not be used: {wrong}.\n"
    "Answer again, with one JSON value that satisfies the schema, and nothing else."
)


class Misfit(Exception):
    """What is wrong with an answer, in words that a model can act upon."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A schema with a name, and what makes a value of an answer or says what is wrong with it."""

    name: str
    schema: dict[str, Any]
    check: Callable[[Any], Any]


@dataclass
class Asking:
    """One question and its repetitions: the messages so far, and what they took."""

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
    """A value of a type: a pydantic model, a dataclass, a list of them …

    Raises `ModelError` when none of the answers was one.
    """
    adapter: TypeAdapter[T] = TypeAdapter(wanted)

    def check(value: Any) -> T:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            raise Misfit(_told(error)) from None

    shape = Shape(getattr(wanted, "__name__", "answer"), adapter.json_schema(), check)
    found, _ = await _ask(model, system, prompt, shape, tries, most_tokens)
    return found


async def answer_to(model: Model, question: Question, *, tries: int = TRIES) -> Answer:
    """Data that satisfies the question's schema, and what it took."""

    def check(value: Any) -> dict[str, Any]:
        if wrong := complaint(value, question.schema.body):
            raise Misfit(wrong)
        return value

    shape = Shape(question.schema.name, without_bounds(question.schema.body), check)
    data, (asked, given) = await _ask(
        model, question.system, question.prompt, shape, tries, question.most_tokens
    )
    return Answer(data, asked, given)


class Background:
    """Makes any chat model one that is asked in the background: from a worker thread, and waits."""

    def __init__(self, chat: ChatModel, config: SupervisorConfig | None = None) -> None:
        self.name = chat.name
        self._model = Supervised([chat], config)

    def answer(self, question: Question) -> Answer:
        async def ask() -> Answer:
            async with self._model:
                return await answer_to(self._model, question)

        return anyio.run(ask)


async def _ask(
    model: Model, system: str, prompt: str, shape: Shape, tries: int, most_tokens: int
) -> tuple[Any, list[int]]:
    asking = Asking([ModelRequest.user_text_prompt(prompt, instructions=system or None)])
    settings: ModelSettings = {"max_tokens": most_tokens, "temperature": 0}
    wrong = ""
    for left in reversed(range(tries)):
        response = await _asked(model, asking, settings, _parameters(shape, system))
        try:
            return shape.check(_value(response, shape, last=not left)), asking.spent
        except Misfit as misfit:
            wrong = str(misfit)
        if response.finish_reason == "length":
            settings = {**settings, "max_tokens": 2 * most_tokens}
        again = ModelRequest.user_text_prompt(
            AGAIN.format(wrong=wrong), instructions=system or None
        )
        asking.messages += [_plain(response), again]
    raise ModelError(
        f"{model.model_name} gave no usable answer, asked {tries} times: {one_line(wrong, 300)}; "
        "if it stays so, another model may do better",
        *asking.spent,
    )


async def _asked(
    model: Model, asking: Asking, settings: ModelSettings, parameters: ModelRequestParameters
) -> ModelResponse:
    try:
        response = await model_request(
            model, asking.messages, model_settings=settings, model_request_parameters=parameters
        )
    except ModelError as error:
        error.input_tokens += asking.spent[0]
        error.output_tokens += asking.spent[1]
        raise
    except UserError as error:
        raise ModelError(f"{model.model_name} cannot be asked for data: {error}") from error
    asking.spent[0] += response.usage.input_tokens
    asking.spent[1] += response.usage.output_tokens
    return response


def _parameters(shape: Shape, system: str) -> ModelRequestParameters:
    """Both ways are offered; each model takes the one that it does best."""
    told = "Takes the answer. Call it once, with the whole answer."
    tool = ToolDefinition(
        name=shape.name,
        description=told,
        parameters_json_schema=_object(shape.schema),
        kind="output",
    )
    return ModelRequestParameters(
        output_mode="auto",
        output_object=OutputObjectDefinition(json_schema=shape.schema, name=shape.name),
        output_tools=[tool],
        allow_text_output=False,
        instruction_parts=[InstructionPart(content=system)] if system else None,
    )


def _object(schema: dict[str, Any]) -> dict[str, Any]:
    """A tool takes an object: any other value goes into one."""
    if schema.get("type") == "object" or "$ref" in schema:
        return schema
    defined = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    inner = {name: one for name, one in schema.items() if name != "$defs"}
    return {"type": "object", "properties": {WRAPPED: inner}, "required": [WRAPPED], **defined}


WRAPPED = "response"


def _value(response: ModelResponse, shape: Shape, *, last: bool) -> Any:
    """What was answered: by a tool that was called, or as a text.

    One that was cut off is asked for again; the last time, what there is of it must do.
    """
    if response.finish_reason == "length" and not last:
        raise Misfit("it was cut off; keep it short")
    calls = [part.args for part in response.parts if isinstance(part, ToolCallPart)]
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    text = calls[0] if calls else "".join(texts)
    if not isinstance(text, str):
        return _unwrapped(text, shape)
    try:
        return _unwrapped(near_json(text), shape)
    except ValueError as error:
        raise Misfit(f"{error}: {one_line(text, 120)!r}") from None


def _unwrapped(value: Any, shape: Shape) -> Any:
    if _object(shape.schema) is shape.schema or not isinstance(value, dict):
        return value  # pyright: ignore[reportUnknownVariableType]
    return cast("dict[str, Any]", value).get(WRAPPED, value)


def _plain(response: ModelResponse) -> ModelResponse:
    """The answer as a text: a call of the tool for it would want a result."""
    said = [
        _as_text(part.args) if isinstance(part, ToolCallPart) else part.content
        for part in response.parts
        if isinstance(part, ToolCallPart | TextPart)
    ]
    return ModelResponse(parts=[TextPart("\n".join(said) or json.dumps(None))])


def _as_text(args: Any) -> str:
    return args if isinstance(args, str) else json.dumps(args)


def _told(error: ValidationError) -> str:
    """
    >>> try:
    ...     TypeAdapter(dict[str, int]).validate_python({"a": "x"})
    ... except ValidationError as error:
    ...     print(_told(error))
    the answer.a: Input should be a valid integer, unable to parse string as an integer
    """
    told = [
        f"{'.'.join(map(str, ('the answer', *one['loc'])))}: {one['msg']}"
        for one in error.errors(include_url=False)[:3]
    ]
    return "; ".join(told)
