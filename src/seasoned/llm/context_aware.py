"""Gives a model what was learned: before each request, beside what it is asked.

What holds for the whole session goes to the system prompt, what belongs to one turn beside the
user's message of that turn. A message that once went out with its block goes out with the same
block ever after, so that the beginning of the prompt stays the same and the provider's cache works.
"""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import InstructionPart, ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from seasoned.core.ids import digest

MOST_BLOCKS = 10_000  # of past turns that are remembered


@dataclass(frozen=True, slots=True)
class Given:
    """What is put into a prompt: `stable` for the session, `turn` for this request alone."""

    stable: str = ""
    turn: str = ""


Recall = Callable[[str], Awaitable[Given]]


class ContextAware(WrapperModel):
    """Any model, told what was learned; `recall` says what that is for a user's message.

    `blocks` are those of earlier turns, by `key_of` their messages, where somebody kept them, and
    `stable` is what stood in the system prompt then.
    """

    def __init__(
        self,
        wrapped: Model,
        recall: Recall,
        blocks: Mapping[str, str] | None = None,
        stable: str = "",
    ) -> None:
        super().__init__(wrapped)
        self._recall = recall
        self._blocks: OrderedDict[str, str] = OrderedDict(blocks or {})
        self._stable = stable

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> Any:
        told, parameters = await self._told(messages, model_request_parameters)
        return await self.wrapped.request(told, model_settings, parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        told, parameters = await self._told(messages, model_request_parameters)
        async with self.wrapped.request_stream(
            told, model_settings, parameters, run_context
        ) as stream:
            yield stream

    async def _told(
        self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters
    ) -> tuple[list[ModelMessage], ModelRequestParameters]:
        prompts = [
            part
            for message in messages
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, UserPromptPart)
        ]
        if prompts and key_of(prompts[-1]) not in self._blocks:
            given = await self._recall(text_of(prompts[-1]))
            self._stable = given.stable
            self._blocks[key_of(prompts[-1])] = given.turn
            while len(self._blocks) > MOST_BLOCKS:
                self._blocks.popitem(last=False)
        told = [self._beside(message) for message in messages]
        if not self._stable:
            return told, parameters
        if parameters.instruction_parts is None:
            return _instructed(told, self._stable), parameters
        # Behind what never changes, before what changes each time.
        parts = list(parameters.instruction_parts)
        place = next((at for at, part in enumerate(parts) if part.dynamic), len(parts))
        parts.insert(place, InstructionPart(self._stable))
        return told, replace(parameters, instruction_parts=parts)

    def _beside(self, message: ModelMessage) -> ModelMessage:
        """A message with the blocks of what users said in it."""
        if not isinstance(message, ModelRequest):
            return message
        parts = [self._with_block(part) for part in message.parts]
        changed = any(new is not old for new, old in zip(parts, message.parts, strict=True))
        return replace(message, parts=parts) if changed else message

    def _with_block(self, part: Any) -> Any:
        block = self._blocks.get(key_of(part)) if isinstance(part, UserPromptPart) else None
        if not block:
            return part
        said = [part.content] if isinstance(part.content, str) else list(part.content)
        if len(said) == 1 and isinstance(said[0], str):
            return replace(part, content=f"{said[0]}\n\n{block}")
        return replace(part, content=[*said, block])


def key_of(prompt: UserPromptPart) -> str:
    """What a user's message is known by: when it was said, and what it says."""
    return digest(prompt.timestamp.isoformat(), text_of(prompt))


def text_of(prompt: UserPromptPart) -> str:
    """What a user's message says, without its pictures and files."""
    if isinstance(prompt.content, str):
        return prompt.content
    said = (one if isinstance(one, str) else getattr(one, "content", "") for one in prompt.content)
    return "\n".join(text for text in said if isinstance(text, str) and text)


def _instructed(messages: list[ModelMessage], stable: str) -> list[ModelMessage]:
    """The same, with more instructions, where a model is asked without an agent."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, ModelRequest):
            said = "\n\n".join(filter(None, (message.instructions, stable)))
            return [*messages[:place], replace(message, instructions=said), *messages[place + 1 :]]
    return messages
