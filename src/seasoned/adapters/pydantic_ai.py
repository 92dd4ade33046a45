"""Let an agent of pydantic-ai learn: `Agent(…, capabilities=[Learning(s)])`.

The dependencies stay the agent's own. `LearningToolset` does the part that concerns tools for a
single toolset.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from seasoned.adapters.companion import (
    Companion,
    FollowedSession,
    Name,
    Stopwatch,
    described,
    error_text,
    missing_framework,
    running,
    with_hint_text,
)
from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned
from seasoned.recall.tool_notes import ToolNotes

try:
    from pydantic import ValidationError
    from pydantic_ai import RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.capabilities.abstract import (
        RawToolArgs,
        ValidatedToolArgs,
        WrapRunHandler,
        WrapToolExecuteHandler,
    )
    from pydantic_ai.exceptions import (
        ApprovalRequired,
        CallDeferred,
        ModelRetry,
        SkipToolExecution,
        ToolFailed,
        ToolFailedError,
        ToolRetryError,
    )
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ToolCallPart,
        ToolReturn,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult
    from pydantic_ai.tools import AgentDepsT, DeferredToolRequests, ToolDefinition
    from pydantic_ai.toolsets import ToolsetTool, WrapperToolset
except ImportError as missing:
    raise missing_framework("pydantic-ai", "pydantic-ai-slim") from missing

from seasoned.llm.chat.context_aware import prompt_text, with_blocks, with_stable
from seasoned.tools.calls import is_media, result_text
from seasoned.tools.hinted_error import with_hint
from seasoned.tools.observed import complaint
from seasoned.tools.observed_function import is_reported
from seasoned.tools.plain_values import to_plain

CONTROL = (CallDeferred, ApprovalRequired, SkipToolExecution)  # the call goes on elsewhere


class Learning(AbstractCapability[Any]):
    """Everything that an agent needs to learn, as one capability.

    A tool's exception ends the run, as without it; with `tell_errors` the model reads it, and the
    known fix, as the tool's failed result. `session` is the run's `conversation_id` by default.
    """

    def __init__(
        self,
        seasoned: Seasoned | AsyncSeasoned,
        *,
        session: Name = None,
        user: Name = None,
        by_user: bool = True,
        tell_errors: bool = False,
    ) -> None:
        self.companion = Companion(seasoned, session=session, user=user, by_user=by_user)
        self.tell_errors = tell_errors

    async def prepare_tools(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        names = [tool.name for tool in tool_defs]
        notes = (await _followed(self.companion, ctx).prepare((), names)).notes
        return [_noted(tool, notes) for tool in tool_defs]

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        messages = request_context.messages
        prompts, latest = _prompts(messages, ctx.prompt)
        if latest is None:
            return request_context
        new = any(part is prompts[latest] for part in messages[-1].parts)
        said = [prompt_text(part) for part in prompts]
        added = await _followed(self.companion, ctx).prepare(said, latest=latest, new=new)
        blocks = {id(part): block for part, block in zip(prompts, added.blocks, strict=True)}
        noted = with_blocks(messages, lambda part: blocks.get(id(part), ""))
        noted, parameters = with_stable(
            noted, request_context.model_request_parameters, added.stable
        )
        return replace(request_context, messages=noted, model_request_parameters=parameters)

    async def wrap_run(
        self, ctx: RunContext[Any], *, handler: WrapRunHandler
    ) -> AgentRunResult[Any]:
        result = await handler()
        if not isinstance(result.output, DeferredToolRequests):
            await _followed(self.companion, ctx).replied(to_plain(result.output))
        return result

    async def on_tool_validate_error(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        error: ValidationError | ModelRetry,
    ) -> ValidatedToolArgs:
        text = error.message if isinstance(error, ModelRetry) else complaint(error)
        followed = _followed(self.companion, ctx)
        hint = await followed.called(call.tool_name, call.args_as_dict(), error=text)
        raise ModelRetry(with_hint_text(text, hint)) if hint else error

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Any:
        watched = _WatchedCall(_followed(self.companion, ctx), call.tool_name, call.args_as_dict())
        try:
            with running(call.tool_name):
                result = await handler(args)
        except CONTROL:
            raise
        except Exception as error:
            raised = await watched.failed(error, tell=self.tell_errors)
            if raised is error:
                raise
            raise raised from error
        return await watched.worked(result)


@dataclass
class LearningToolset(WrapperToolset[AgentDepsT]):
    """A toolset whose calls are learned from, with notes in its descriptions.

    It sees neither messages nor arguments that the schema refuses; `Learning` does.
    """

    seasoned: Seasoned | AsyncSeasoned
    session: Name = None
    user: Name = None
    tell_errors: bool = False
    companion: Companion | None = None

    def __post_init__(self) -> None:
        if self.companion is None:  # a copy of the toolset goes on with the same one
            self.companion = Companion(self.seasoned, session=self.session, user=self.user)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        tools = await super().get_tools(ctx)
        assert self.companion is not None
        notes = (await _followed(self.companion, ctx).prepare((), list(tools))).notes
        return {
            name: replace(tool, tool_def=_noted(tool.tool_def, notes))
            for name, tool in tools.items()
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
    ) -> Any:
        assert self.companion is not None
        if is_reported(name):
            return await super().call_tool(name, tool_args, ctx, tool)
        watched = _WatchedCall(_followed(self.companion, ctx), name, to_plain(tool_args))
        try:
            with running(name):
                result = await super().call_tool(name, tool_args, ctx, tool)
        except CONTROL:
            raise
        except Exception as error:
            raised = await watched.failed(error, tell=self.tell_errors)
            if raised is error:
                raise
            raise raised from error
        return await watched.worked(result)


class _WatchedCall:
    """Reports the outcome of a call, and puts the hint where the model reads it."""

    def __init__(self, followed: FollowedSession, tool: str, params: dict[str, Any]) -> None:
        self._called = partial(followed.called, tool, params)
        self._watch = Stopwatch()

    async def worked(self, result: Any) -> Any:
        """Return the result; one that reports a failure, with the hint after its text."""
        value = None if is_media(result) else to_plain(getattr(result, "return_value", result))
        hint = await self._called(value, seconds=self._watch.seconds)
        if not hint:
            return result
        text = with_hint_text(result_text(result), hint)
        if isinstance(result, ToolReturn):
            return replace(cast("ToolReturn[Any]", result), return_value=text)
        return text

    async def failed(self, error: Exception, *, tell: bool) -> Exception:
        """Return the exception to raise: the same, or one with the hint, of the same type."""
        part = _part_of(error)
        told = part.content if part else getattr(error, "message", None)
        is_meant_for_model = part is not None or isinstance(error, ModelRetry | ToolFailed)
        said = told if is_meant_for_model and isinstance(told, str) else error_text(error)
        hint = await self._called(error=said, seconds=self._watch.seconds)
        if tell and not is_meant_for_model:
            return ToolFailed(with_hint_text(str(said), hint))
        if not hint:
            return error
        if part is None:
            return with_hint(error, hint)
        hinted = replace(part, content=with_hint_text(str(said), hint))
        if isinstance(error, ToolRetryError):
            error.tool_retry = hinted
        elif isinstance(error, ToolFailedError):
            error.tool_failed = hinted
        return error


def _part_of(error: Exception) -> ToolReturnPart | None:
    """Return the part that a failure becomes in the messages, if it is made already."""
    if isinstance(error, ToolFailedError):
        return error.tool_failed
    part = error.tool_retry if isinstance(error, ToolRetryError) else None
    return part if isinstance(part, ToolReturnPart) else None


def _followed(companion: Companion, ctx: RunContext[Any]) -> FollowedSession:
    return companion.follow(ctx, ctx.conversation_id)


def _noted(tool: ToolDefinition, notes: ToolNotes) -> ToolDefinition:
    text = described(tool.name, tool.description or "", notes)
    return tool if text == (tool.description or "") else replace(tool, description=text)


def _prompts(
    messages: Sequence[ModelMessage], prompt: Any
) -> tuple[list[UserPromptPart], int | None]:
    """Return the user prompts, and which of them the user wrote last.

    A prompt beside the results of tools is theirs (a picture, a file), unless it is the run's.
    """
    prompts: list[UserPromptPart] = []
    latest = None
    for message in messages:
        if not isinstance(message, ModelRequest):
            continue
        results = any(isinstance(part, ToolReturnPart) for part in message.parts)
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                latest = len(prompts) if not results or part.content == prompt else latest
                prompts.append(part)
    return prompts, latest
