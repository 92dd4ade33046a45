"""Watches every call of a turn's tools: what came of it is learned from, and a known fix is told.

A tool that fails never ends the turn: the model reads the error, and beside it the fix, if one is
known.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from seasoned.core.errors import SeasonedError
from seasoned.core.ids import new_id
from seasoned.core.tool_result import ToolResult
from seasoned.learning.failure import failure_of
from seasoned.learning.hint import Hint
from seasoned.security.redact import shortened
from seasoned.tools.leniency import ANY_ARGUMENTS, checked
from seasoned.tools.plain import plain, text_of
from seasoned.tools.run import Kind, Run, ToolEvent

log = logging.getLogger("seasoned.tools")

Record = Callable[[ToolResult, Run], Awaitable[Hint | None]]

SAID_FOR_ITSELF = (ModelRetry, ToolFailed, SeasonedError)  # messages that need no type before them
LONGEST_ERROR = 10_000
NOT_A_FAILURE = (CallDeferred, ApprovalRequired)  # the call goes on elsewhere


@dataclass(kw_only=True)
class ObservedTool(ToolsetTool[Run]):
    source: ToolsetTool[Run]


@dataclass
class Observed(WrapperToolset[Run]):
    """`record` is told each call; its hint stands beside the error that the model sees."""

    record: Record
    seconds: Callable[[], float] = field(default=time.perf_counter)

    async def get_tools(self, ctx: RunContext[Run]) -> dict[str, ToolsetTool[Run]]:
        """The same tools; wrong arguments come through to `call_tool`, for they teach too."""
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
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Run], tool: ToolsetTool[Run]
    ) -> Any:
        assert isinstance(tool, ObservedTool)
        run, start = ctx.deps, self.seconds()
        call = ToolResult(name, plain(tool_args), session=run.scope.session)
        call = replace(call, id=ctx.tool_call_id or new_id())
        run.show(_event("started", call))
        try:
            args = await checked(tool.source, tool_args, ctx)
            source = replace(tool.source, tool_def=tool.tool_def)
            result = await super().call_tool(name, args, ctx, source)
        except NOT_A_FAILURE:
            raise
        except (Exception, SystemExit) as error:  # a tool may not end the process either
            failed = replace(call, error=_said(error), duration_ms=self._passed(start))
            raise await self._failed(failed, str(failed.error), run) from error
        except BaseException as stopped:  # the turn was cancelled; that is a signal of its own
            ended = replace(call, error=type(stopped).__name__, duration_ms=self._passed(start))
            run.show(_event("failed", ended, "cancelled"))
            raise
        done = replace(call, result=plain_result(result), duration_ms=self._passed(start))
        if failure_of(done) is not None:
            raise await self._failed(done, text_of(result), run)
        await self._recorded(done, run)
        run.show(_event("finished", done, text_of(result)))
        return result

    async def _failed(self, call: ToolResult, said: str, run: Run) -> ToolFailed:
        """The failure as the model reads it: the error, and the fix that is known for it."""
        hint = await self._recorded(call, run)
        text = said if hint is None else f"{said}\n\n{hint}"
        run.show(_event("failed", call, text))
        return ToolFailed(text)

    async def _recorded(self, call: ToolResult, run: Run) -> Hint | None:
        """Learning never breaks acting: what goes wrong here is logged."""
        try:
            return await self.record(call, run)
        except Exception:
            log.exception("could not learn from a call of %s; the call is not affected", call.tool)
            return None

    def _passed(self, start: float) -> float:
        return (self.seconds() - start) * 1000


def plain_result(result: Any) -> Any:
    """What a tool returned as it is learned from."""
    return plain(getattr(result, "return_value", result))


def _said(error: BaseException) -> str:
    said = shortened(str(error).strip(), LONGEST_ERROR)
    if isinstance(error, SAID_FOR_ITSELF) and said:
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _event(kind: Kind, call: ToolResult, text: str = "") -> ToolEvent:
    return ToolEvent(kind, call.id or "", call.tool, call.params, text, call.duration_ms)
