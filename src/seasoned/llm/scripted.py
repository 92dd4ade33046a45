"""A model that gives the answers it was handed, in their order: for tests and demonstrations.

It streams, calls tools, fails and dawdles as real ones do, needs no network, and remembers what it
was asked. Background questions are answered from `data`, by the name of their schema.
"""

import json
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import anyio
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from seasoned.core.errors import ModelError
from seasoned.core.text import one_line
from seasoned.llm.json_schema import complaint
from seasoned.llm.model import Answer, Question, estimated_tokens
from seasoned.llm.script import Call, Data, Fail, Say, Step, read_script
from seasoned.llm.scripted_stream import Part, ScriptedStream
from seasoned.llm.wire_errors import http_error

__all__ = ["Asked", "Call", "Fail", "Say", "Scripted"]

Chosen = Callable[["Asked"], "Step | str"]  # a step that depends on what was asked


@dataclass(frozen=True)
class Asked:
    """What the model was asked, as it arrived."""

    messages: list[ModelMessage]
    parameters: ModelRequestParameters
    settings: ModelSettings | None = field(default=None, repr=False)
    streamed: bool = False

    @property
    def tools(self) -> list[str]:
        return [one.name for one in self.parameters.function_tools]

    @property
    def instructions(self) -> str:
        """The system prompt: all instructions of the latest request."""
        if self.parameters.instruction_parts:
            return "\n\n".join(part.content for part in self.parameters.instruction_parts)
        requests = [one for one in self.messages if isinstance(one, ModelRequest)]
        return (requests[-1].instructions or "") if requests else ""

    @property
    def prompt(self) -> str:
        """What the user said last."""
        for message in reversed(self.messages):
            said = [part for part in message.parts if isinstance(part, UserPromptPart)]
            if said:
                content = said[-1].content
                texts = [content] if isinstance(content, str) else map(str, content)
                return "\n".join(texts)
        return ""

    @property
    def text(self) -> str:
        """All of it, as one text: to look for what must, or must not, stand in it."""
        parts = (str(part) for message in self.messages for part in message.parts)
        return "\n".join([self.instructions, *parts])


class Scripted(Model[Any]):
    """Gives `answers` one after another; tests look at `asked` and `questions`.

    An answer is a text, a `Say`, a `Fail`, or a function that makes one of these from what was
    asked. When they run out, `ModelError` says so.
    """

    _announces_system_voice = False

    def __init__(
        self,
        *answers: "str | Step | Chosen",
        data: Data | None = None,
        name: str = "script",
        chunk: int = 12,
        profile: ModelProfile | None = None,
        sleep: Callable[[float], Any] = anyio.sleep,
    ) -> None:
        taken = profile or ModelProfile(
            supports_json_schema_output=True, supports_json_object_output=True
        )
        super().__init__(profile=taken)
        self.asked: list[Asked] = []
        self.questions: list[Question] = []
        self._answers: list[str | Step | Chosen] = list(answers)
        self._data = {schema: list(given) for schema, given in (data or {}).items()}
        self._name = name
        self._chunk = chunk
        self._sleep = sleep
        self._turn = threading.Lock()

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Self:
        """The model of a script; `script.py` says how one is written."""
        file = Path(path).expanduser()
        steps, data = read_script(file)
        return cls(*steps, data=data, name=str(path), **options)

    @property
    def model_name(self) -> str:
        return self._name

    @property
    def system(self) -> str:
        return "scripted"

    @property
    def name(self) -> str:
        return f"scripted:{self._name}"

    @property
    def left(self) -> int:
        """How many answers are not given yet."""
        return len(self._answers)

    def add(self, *answers: "str | Step | Chosen") -> None:
        with self._turn:
            self._answers.extend(answers)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        settings, parameters = self.prepare_request(model_settings, model_request_parameters)
        say = await self._next(Asked(list(messages), parameters, settings))
        if say.breaks_after is not None:
            raise self._broken()
        return ModelResponse(
            parts=_parts(say),
            usage=_usage(say, messages),
            model_name=self._name,
            provider_name=self.system,
            finish_reason="tool_call" if say.calls else "stop",
        )

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        settings, parameters = self.prepare_request(model_settings, model_request_parameters)
        say = await self._next(Asked(list(messages), parameters, settings, streamed=True))
        yield ScriptedStream(
            parameters,
            _model=self._name,
            _provider=self.system,
            _parts=_parts(say),
            _spent=_usage(say, messages),
            _chunk=self._chunk,
            _breaks_after=say.breaks_after,
            _error=self._broken(),
        )

    def answer(self, question: Question) -> Answer:
        """A background question: the next of the data for its schema."""
        with self._turn:
            self.questions.append(question)
            given = self._data.get(question.schema.name)
            data = given.pop(0) if given else None
        if data is None:
            raise ModelError(
                f"{self.name} has no more answers for {question.schema.name!r} "
                f"(asked: {one_line(question.prompt, 120)!r}); add one to its data"
            )
        if wrong := complaint(data, question.schema.body):
            raise ModelError(f"{self.name} has an answer that the schema does not take: {wrong}")
        spent = estimated_tokens(question.system + question.prompt)
        return Answer(dict(data), spent, estimated_tokens(json.dumps(data)))

    async def _next(self, asked: Asked) -> Say:
        with self._turn:
            self.asked.append(asked)
            step = self._answers.pop(0) if self._answers else None
        if step is None:
            raise ModelError(
                f"{self.name} has given all its answers and was asked once more, after "
                f"{len(self.asked) - 1} times (asked: {one_line(asked.prompt, 120)!r}); add another"
            )
        if callable(step):
            step = step(asked)
        step = Say(step) if isinstance(step, str) else step
        if step.delay_seconds:
            await self._sleep(step.delay_seconds)
        if isinstance(step, Fail):
            raise self._failure(step)
        return step

    def _failure(self, fail: Fail) -> ModelAPIError:
        if not fail.status:
            return ModelConnectionError(self._name, fail.message, phase="connect")
        asked = fail.retry_after
        return http_error(fail.status, self._name, {"message": fail.message}, retry_after=asked)

    def _broken(self) -> ModelAPIError:
        return ModelConnectionError(self._name, "the connection was lost", phase="read")


def _parts(say: Say) -> list[Part]:
    parts: list[Part] = []
    if say.thinking:
        parts.append(ThinkingPart(say.thinking))
    if say.text or not say.calls:
        parts.append(TextPart(say.text))
    for call in say.calls:
        args = call.args if isinstance(call.args, str) else dict(call.args)
        made = ToolCallPart(call.tool, args, call.id) if call.id else ToolCallPart(call.tool, args)
        parts.append(made)
    return parts


def _usage(say: Say, messages: Sequence[ModelMessage]) -> RequestUsage:
    asked = sum(estimated_tokens(str(part)) for one in messages for part in one.parts)
    said = estimated_tokens(say.text + say.thinking) + sum(_size(call) for call in say.calls)
    return RequestUsage(
        input_tokens=say.input_tokens or asked, output_tokens=say.output_tokens or said
    )


def _size(call: Call) -> int:
    args = call.args if isinstance(call.args, str) else json.dumps(dict(call.args), default=str)
    return estimated_tokens(call.tool + args)
