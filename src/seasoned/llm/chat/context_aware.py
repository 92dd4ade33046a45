"""Put lessons into the prompt before each request to a model.

Lessons for the whole session go into the system prompt, lessons for one turn beside its user
message. A message keeps its block in all later requests, so that the beginning of the prompt stays
the same and the provider's cache works.
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

MOST_BLOCKS = 10_000  # of past turns, kept in memory


@dataclass(frozen=True, slots=True)
class PromptNotes:
    """Texts for a prompt: `stable` for the session, `turn` for this turn's message."""

    stable: str = ""
    turn: str = ""


Given = PromptNotes  # its former name, which the documentation shows
Recall = Callable[[str], Awaitable[PromptNotes]]


class ContextAware(WrapperModel):
    """Add to each request what `recall` returns for the user's message.

    `blocks` are those of earlier turns, by `prompt_key` of their messages, if they were stored;
    `stable` is what the system prompt held then.
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
        noted, parameters = await self._with_notes(messages, model_request_parameters)
        return await self.wrapped.request(noted, model_settings, parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        noted, parameters = await self._with_notes(messages, model_request_parameters)
        async with self.wrapped.request_stream(
            noted, model_settings, parameters, run_context
        ) as stream:
            yield stream

    async def _with_notes(
        self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters
    ) -> tuple[list[ModelMessage], ModelRequestParameters]:
        prompts = [
            part
            for message in messages
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, UserPromptPart)
        ]
        if prompts and prompt_key(prompts[-1]) not in self._blocks:
            notes = await self._recall(prompt_text(prompts[-1]))
            self._stable = notes.stable
            self._blocks[prompt_key(prompts[-1])] = notes.turn
            while len(self._blocks) > MOST_BLOCKS:
                self._blocks.popitem(last=False)
        noted = with_blocks(messages, lambda part: self._blocks.get(prompt_key(part), ""))
        return with_stable(noted, parameters, self._stable)


def with_blocks(
    messages: Sequence[ModelMessage], block_of: Callable[[UserPromptPart], str]
) -> list[ModelMessage]:
    """Return the messages with a block after each user prompt that has one; others are the same."""
    return [_with_blocks(message, block_of) for message in messages]


def with_stable(
    messages: list[ModelMessage], parameters: ModelRequestParameters, stable: str
) -> tuple[list[ModelMessage], ModelRequestParameters]:
    """Add lessons to the instructions: after those that never change, before those that do."""
    if not stable:
        return messages, parameters
    if parameters.instruction_parts is None:
        return _with_instructions(messages, stable), parameters
    parts = list(parameters.instruction_parts)
    place = next((at for at, part in enumerate(parts) if part.dynamic), len(parts))
    parts.insert(place, InstructionPart(stable))
    return messages, replace(parameters, instruction_parts=parts)


def _with_blocks(message: ModelMessage, block_of: Callable[[UserPromptPart], str]) -> ModelMessage:
    if not isinstance(message, ModelRequest):
        return message
    parts = [
        _with_block(part, block_of(part)) if isinstance(part, UserPromptPart) else part
        for part in message.parts
    ]
    changed = any(new is not old for new, old in zip(parts, message.parts, strict=True))
    return replace(message, parts=parts) if changed else message


def _with_block(part: UserPromptPart, block: str) -> UserPromptPart:
    if not block:
        return part
    said = [part.content] if isinstance(part.content, str) else list(part.content)
    if len(said) == 1 and isinstance(said[0], str):
        return replace(part, content=f"{said[0]}\n\n{block}")
    return replace(part, content=[*said, block])


def prompt_key(prompt: UserPromptPart) -> str:
    """Identify a user's message by its time and text."""
    return digest(prompt.timestamp.isoformat(), prompt_text(prompt))


def prompt_text(prompt: UserPromptPart) -> str:
    """Return the text of a user's message, without pictures and files."""
    if isinstance(prompt.content, str):
        return prompt.content
    said = (one if isinstance(one, str) else getattr(one, "content", "") for one in prompt.content)
    return "\n".join(text for text in said if isinstance(text, str) and text)


def _with_instructions(messages: list[ModelMessage], stable: str) -> list[ModelMessage]:
    """Add instructions to the last request, for a model that is asked without an agent."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, ModelRequest):
            said = "\n\n".join(filter(None, (message.instructions, stable)))
            return [*messages[:place], replace(message, instructions=said), *messages[place + 1 :]]
    return messages
