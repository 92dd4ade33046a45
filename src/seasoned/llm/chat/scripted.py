"""A model that gives prepared answers in their order, for tests and demonstrations.

It streams, calls tools, fails and waits as real models do, needs no network, and records what it
was asked. Questions with a schema are answered from `data`, by the schema's name.
"""

import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

import anyio
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
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
from seasoned.llm.chat.model_errors import http_error
from seasoned.llm.chat.script import Data, Fail, Say, ScriptedCall, Step, read_script
from seasoned.llm.model import estimated_tokens

__all__ = ["Call", "Fail", "Say", "Scripted", "ScriptedRequest"]

Call = ScriptedCall  # the short name for scripts in code

Part = TextPart | ThinkingPart | ToolCallPart
Chosen = Callable[["ScriptedRequest"], "Step | str"]  # a step that depends on the request


@dataclass(frozen=True)
class ScriptedRequest:
    """One request to the model, as it arrived."""

    messages: list[ModelMessage]
    parameters: ModelRequestParameters
    settings: ModelSettings | None = field(default=None, repr=False)
    streamed: bool = False

    @property
    def tools(self) -> list[str]:
        return [one.name for one in self.parameters.function_tools]

    @property
    def schema(self) -> str:
        """The name of the schema that the answer must satisfy; empty if it may be any text."""
        wanted = [self.parameters.output_object, *self.parameters.output_tools]
        return next((one.name or "" for one in wanted if one is not None), "")

    @property
    def instructions(self) -> str:
        """The system prompt: all instructions of the latest request."""
        if self.parameters.instruction_parts:
            return "\n\n".join(part.content for part in self.parameters.instruction_parts)
        requests = [one for one in self.messages if isinstance(one, ModelRequest)]
        return (requests[-1].instructions or "") if requests else ""

    @property
    def prompt(self) -> str:
        """The user's last message."""
        for message in reversed(self.messages):
            said = [part for part in message.parts if isinstance(part, UserPromptPart)]
            if said:
                content = said[-1].content
                texts = [content] if isinstance(content, str) else map(str, content)
                return "\n".join(texts)
        return ""

    @property
    def text(self) -> str:
        """The whole request as one text, for tests of what it must or must not contain."""
        parts = (str(part) for message in self.messages for part in message.parts)
        return "\n".join([self.instructions, *parts])


class Scripted(Model[Any]):
    """Give `answers` one after another; tests look at `asked`.

    An answer is a text, a `Say`, a `Fail`, or a function that returns one of these for the request.
    When they run out, `ModelError` says so.
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
        self.asked: list[ScriptedRequest] = []
        self._answers: list[str | Step | Chosen] = list(answers)
        self._data = None if data is None else {name: list(data[name]) for name in data}
        self._name = name
        self._chunk = chunk
        self._sleep = sleep
        self._turn = threading.Lock()

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Self:
        """Read a script; `script.py` describes its format."""
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
        """The number of answers not given yet."""
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
        say = await self._next(ScriptedRequest(list(messages), parameters, settings))
        if say.breaks_after is not None:
            raise self._connection_lost()
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
        say = await self._next(ScriptedRequest(list(messages), parameters, settings, streamed=True))
        yield ScriptedStream(
            parameters,
            _model=self._name,
            _provider=self.system,
            _parts=_parts(say),
            _spent=_usage(say, messages),
            _chunk=self._chunk,
            _breaks_after=say.breaks_after,
            _error=self._connection_lost(),
            _pause=partial(self._sleep, say.pause_seconds) if say.pause_seconds else None,
        )

    async def _next(self, asked: ScriptedRequest) -> Say:
        with self._turn:
            self.asked.append(asked)
            step = self._take(asked)
        if callable(step):
            step = step(asked)
        step = Say(step) if isinstance(step, str) else step
        if step.delay_seconds:
            await self._sleep(step.delay_seconds)
        if isinstance(step, Fail):
            raise self._failure(step)
        return step

    def _take(self, asked: ScriptedRequest) -> "str | Step | Chosen":
        """Take the next datum for the schema that is asked for, if there are data, else a step."""
        if self._data is not None and asked.schema:
            if given := self._data.get(asked.schema):
                return json.dumps(given.pop(0))
            raise ModelError(
                f"{self.name} has no more answers for {asked.schema!r} "
                f"(asked: {one_line(asked.prompt, 120)!r}); add one to its data"
            )
        if self._answers:
            return self._answers.pop(0)
        raise ModelError(
            f"{self.name} has given all its answers and was asked once more, after "
            f"{len(self.asked) - 1} times (asked: {one_line(asked.prompt, 120)!r}); add another"
        )

    def _failure(self, fail: Fail) -> ModelAPIError:
        if not fail.status:
            return ModelConnectionError(self._name, fail.message, phase="connect")
        asked = fail.retry_after
        return http_error(fail.status, self._name, {"message": fail.message}, retry_after=asked)

    def _connection_lost(self) -> ModelAPIError:
        return ModelConnectionError(self._name, "the connection was lost", phase="read")


@dataclass
class ScriptedStream(StreamedResponse):
    """Streams the parts in pieces of `_chunk` characters, and breaks where the script says so."""

    _model: str
    _provider: str
    _parts: Sequence[Part]
    _spent: RequestUsage
    _chunk: int
    _breaks_after: int | None
    _error: Exception
    _pause: Callable[[], Any] | None = None
    _begun: datetime = field(default_factory=lambda: datetime.now(UTC), init=False)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        sent = 0
        for place, part in enumerate(self._parts):
            for nth, piece in enumerate(pieces(_text(part), self._chunk)):
                if self._pause is not None:
                    await self._pause()
                if self._cancelled:
                    return
                if sent == self._breaks_after:
                    raise self._error
                for event in self._events(place, part, piece, first=nth == 0):
                    yield event
                sent += 1
        if self._breaks_after is not None:
            raise self._error
        self._usage = self._spent
        called = any(isinstance(part, ToolCallPart) for part in self._parts)
        self.finish_reason = "tool_call" if called else "stop"

    def _events(
        self, place: int, part: Part, piece: str, *, first: bool
    ) -> Iterator[ModelResponseStreamEvent]:
        manager = self._parts_manager
        if isinstance(part, TextPart):
            return manager.handle_text_delta(vendor_part_id=place, content=piece)
        if isinstance(part, ThinkingPart):
            return manager.handle_thinking_delta(vendor_part_id=place, content=piece)
        return manager.handle_tool_call_delta_events(
            vendor_part_id=place,
            tool_name=part.tool_name if first else None,
            args=piece,
            tool_call_id=part.tool_call_id if first else None,
        )

    async def close_stream(self) -> None:
        """There is no connection to close."""

    @property
    def model_name(self) -> str:
        return self._model

    @property
    def provider_name(self) -> str:
        return self._provider

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return self._begun


def pieces(text: str, size: int) -> list[str]:
    """
    >>> pieces("abcde", 2), pieces("", 2)
    (['ab', 'cd', 'e'], [''])
    """
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]


def _text(part: Part) -> str:
    if not isinstance(part, ToolCallPart):
        return part.content
    args = cast("str | dict[str, Any]", part.args)
    return args if isinstance(args, str) else json.dumps(args)


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


def _size(call: ScriptedCall) -> int:
    args = call.args if isinstance(call.args, str) else json.dumps(dict(call.args), default=str)
    return estimated_tokens(call.tool + args)
