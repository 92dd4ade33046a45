"""Keeps a turn within bounds: how much a tool may say, how often it runs, how often it may fail."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ToolReturn
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from seasoned.core.tool_result import ToolResult
from seasoned.learning.failure import failure_of
from seasoned.security.redact import shortened, without_keys
from seasoned.tools.plain import is_media, plain, text_of
from seasoned.tools.run import Run, call_key


@dataclass(frozen=True, slots=True)
class GuardConfig:
    longest: int = 30_000  # characters of a result
    calls: int = 50  # of one tool in a turn
    failures: int = 3  # of the very same call in a row
    seconds: float = 300  # a call may take


@dataclass
class Guarded(WrapperToolset[Run]):
    config: GuardConfig = field(default_factory=GuardConfig)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Run], tool: ToolsetTool[Run]
    ) -> Any:
        run, key = ctx.deps, call_key(name, plain(tool_args))
        self._within_limits(name, key, run)
        run.calls[name] += 1
        try:
            result = await self._in_time(name, tool_args, ctx, tool)
        except (CallDeferred, ApprovalRequired):
            raise
        except Exception:
            run.failures[key] += 1
            raise
        if failure_of(ToolResult(name, result=plain(result))) is None:
            run.failures.pop(key, None)
        else:
            run.failures[key] += 1
        return self._short(result)

    def _within_limits(self, name: str, key: str, run: Run) -> None:
        if run.failures[key] >= self.config.failures:
            raise ToolFailed(
                f"this very call of {name} has failed {run.failures[key]} times in this turn and "
                "was not made again; change the parameters, use another tool, or tell the user"
            )
        if run.calls[name] >= self.config.calls:
            raise ToolFailed(
                f"{name} was called {run.calls[name]} times in this turn, which is the limit; "
                "go on with what you have, or tell the user what is missing"
            )

    async def _in_time(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Run], tool: ToolsetTool[Run]
    ) -> Any:
        limit = asyncio.timeout(self.config.seconds)
        try:
            async with limit:
                return await super().call_tool(name, tool_args, ctx, tool)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ToolFailed(
                f"{name} timed out after {self.config.seconds:g} s and was stopped"
            ) from error

    def _short(self, result: Any) -> Any:
        """A result that is too long becomes its beginning and its end."""
        if isinstance(result, ToolReturn):
            whole = cast("ToolReturn[Any]", result)
            return replace(whole, return_value=self._short(whole.return_value))
        if is_media(result) or len(text := text_of(result)) <= self.config.longest:
            return result
        values = plain(result)
        if isinstance(values, dict) and values:
            return shrunk(cast("dict[str, Any]", values), self.config.longest)
        return shortened(without_keys(text), self.config.longest)


def shrunk(values: Mapping[str, Any], longest: int) -> dict[str, Any]:
    """The same fields, so that a result still says how it went; what is long in them is cut.

    >>> shrunk({"exit_code": 2, "stdout": "x" * 1000}, 40)["exit_code"]
    2
    """
    share = longest // len(values)
    long = {name: text for name, value in values.items() if len(text := text_of(value)) > share}
    cut = {name: shortened(without_keys(text), share) for name, text in long.items()}
    return {**values, **cut}
