"""Observe every tool call of a turn: learn from its outcome, and show the model a known fix.

A failing tool never ends the turn: the model reads the error, followed by the fix if one is known.
Calls with invalid arguments are observed too, because they are failures to learn from.
"""

import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from pydantic import ValidationError
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset
from pydantic_ai.toolsets.abstract import SchemaValidatorProt
from pydantic_core import from_json

from seasoned.core.errors import SeasonedError
from seasoned.core.ids import new_id
from seasoned.core.messages import ToolResult
from seasoned.fixes.failure import failure_of
from seasoned.fixes.hint import Hint
from seasoned.security.redact import shortened
from seasoned.tools.calls import result_text
from seasoned.tools.plain_values import to_plain
from seasoned.tools.run import Kind, ToolEvent, ToolRun

log = logging.getLogger("seasoned.tools")

Record = Callable[[ToolResult, ToolRun], Awaitable[Hint | None]]
Partial = bool | Literal["off", "on", "trailing-strings"]

PLAIN_ERRORS = (ModelRetry, ToolFailed, SeasonedError)  # their messages need no type in front
NOT_A_FAILURE = (CallDeferred, ApprovalRequired)  # the call continues elsewhere
LONGEST_ERROR = 10_000
UNREADABLE = "unreadable arguments"  # the only parameter of a call with broken JSON
MOST_COMPLAINTS = 8


@dataclass(kw_only=True)
class ObservedTool(ToolsetTool[ToolRun]):
    source: ToolsetTool[ToolRun]


@dataclass
class Observed(WrapperToolset[ToolRun]):
    """`record` gets each call; the hint it returns is appended to the error the model sees."""

    record: Record
    seconds: Callable[[], float] = field(default=time.perf_counter)

    async def get_tools(self, ctx: RunContext[ToolRun]) -> dict[str, ToolsetTool[ToolRun]]:
        """Return the tools with a validator that lets invalid arguments through to `call_tool`."""
        tools = await super().get_tools(ctx)
        return {
            name: ObservedTool(
                toolset=tool.toolset,
                tool_def=tool.tool_def,
                max_retries=tool.max_retries,
                args_validator=ANY_ARGUMENTS,
                source=tool,
            )
            for name, tool in tools.items()
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[ToolRun],
        tool: ToolsetTool[ToolRun],
    ) -> Any:
        assert isinstance(tool, ObservedTool)
        run, start = ctx.deps, self.seconds()
        call = ToolResult(name, to_plain(tool_args), session=run.scope.session)
        call = replace(call, id=ctx.tool_call_id or new_id())
        run.show(_event("started", call))
        try:
            args = await validate_arguments(tool.source, tool_args, ctx)
            source = replace(tool.source, tool_def=tool.tool_def)
            result = await super().call_tool(name, args, ctx, source)
        except NOT_A_FAILURE:
            raise
        except (Exception, SystemExit) as error:  # a tool must not end the process
            failed = replace(
                call, error=_error_text(error), duration_ms=self._worked_ms(start, call, run)
            )
            raise await self._failure(failed, str(failed.error), run) from error
        except BaseException as stopped:  # the turn was cancelled, which is not the tool's failure
            ended = replace(
                call, error=type(stopped).__name__, duration_ms=self._worked_ms(start, call, run)
            )
            run.show(_event("failed", ended, "cancelled"))
            raise
        value = to_plain(getattr(result, "return_value", result))
        done = replace(call, result=value, duration_ms=self._worked_ms(start, call, run))
        if failure_of(done) is not None:
            raise await self._failure(done, result_text(result), run)
        await self._record(done, run)
        run.show(_event("finished", done, result_text(result)))
        return result

    async def _failure(self, call: ToolResult, error: str, run: ToolRun) -> ToolFailed:
        """Build the failure that the model reads: the error, then the known fix."""
        hint = await self._record(call, run)
        text = error if hint is None else f"{error}\n\n{hint}"
        lesson = "" if hint is None else hint.lesson
        run.show(replace(_event("failed", call, text), hint=lesson))
        return ToolFailed(text)

    async def _record(self, call: ToolResult, run: ToolRun) -> Hint | None:
        """Learn from the call; an error in learning is logged and never breaks the call."""
        try:
            return await self.record(call, run)
        except Exception:
            log.exception("could not learn from a call of %s; the call is not affected", call.tool)
            return None

    def _worked_ms(self, start: float, call: ToolResult, run: ToolRun) -> float:
        """Return the tool's own time, without the wait for somebody's approval."""
        waited = run.waited_ms.pop(call.id or "", 0)
        return max((self.seconds() - start) * 1000 - waited, 0)


class AnyArguments:
    """A validator that accepts everything; `validate_arguments` applies the real one later."""

    def validate_json(
        self,
        input: str | bytes | bytearray,  # noqa: A002 - named by the protocol
        *,
        allow_partial: Partial = False,
        **kwargs: Any,
    ) -> Any:
        try:
            partial = False if allow_partial == "off" else allow_partial
            given = from_json(input, allow_partial=partial)
        except ValueError:
            given = None
        if isinstance(given, dict):
            return cast("dict[str, Any]", given)
        return {
            UNREADABLE: input if isinstance(input, str) else bytes(input).decode(errors="replace")
        }

    def validate_python(
        self,
        input: Any,  # noqa: A002 - named by the protocol
        *,
        allow_partial: Partial = False,
        **kwargs: Any,
    ) -> Any:
        return input if isinstance(input, dict) else {UNREADABLE: repr(input)}  # pyright: ignore[reportUnknownVariableType]


ANY_ARGUMENTS: SchemaValidatorProt = AnyArguments()


async def validate_arguments(
    tool: ToolsetTool[ToolRun], params: dict[str, Any], ctx: RunContext[ToolRun]
) -> dict[str, Any]:
    """Return the arguments as the tool takes them; raise `ToolFailed` with what is wrong."""
    if UNREADABLE in params:
        raise ToolFailed(
            f"the arguments are not a JSON object: {params[UNREADABLE][:200]!r}; send them as one"
        )
    try:
        args = tool.args_validator.validate_json(json.dumps(params), context=ctx.validation_context)
        if tool.args_validator_func is not None:
            check = tool.args_validator_func(ctx, **args)
            if hasattr(check, "__await__"):
                await check
    except ValidationError as error:
        raise ToolFailed(complaint(error)) from error
    except ModelRetry as error:
        raise ToolFailed(error.message) from error
    return args


def complaint(error: ValidationError) -> str:
    """Say what is wrong with each argument, in one line."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    parts = [
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
        for one in errors[:MOST_COMPLAINTS]
    ]
    more = len(errors) - len(parts)
    return "wrong arguments: " + "; ".join(parts) + (f"; and {more} more" if more else "")


def _error_text(error: BaseException) -> str:
    text = shortened(str(error).strip(), LONGEST_ERROR)
    if isinstance(error, PLAIN_ERRORS) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _event(kind: Kind, call: ToolResult, text: str = "") -> ToolEvent:
    return ToolEvent(kind, call.id or "", call.tool, call.params, text, call.duration_ms)
