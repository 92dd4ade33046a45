"""Limit tools in a turn: length of a result, number of calls, repeated failures, time per call."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ToolReturn
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from seasoned.core.messages import ToolResult
from seasoned.fixes.failure import failure_of
from seasoned.security.redact import shortened, without_keys
from seasoned.tools.calls import call_key, is_media, result_text
from seasoned.tools.plain_values import to_plain
from seasoned.tools.run import ToolRun


@dataclass(frozen=True, slots=True)
class GuardConfig:
    longest: int = 30_000  # characters of a result
    calls: int = 50  # of one tool in a turn
    failures: int = 3  # of the same call in a row
    seconds: float = 300  # for one call


@dataclass
class Guarded(WrapperToolset[ToolRun]):
    config: GuardConfig = field(default_factory=GuardConfig)

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[ToolRun],
        tool: ToolsetTool[ToolRun],
    ) -> Any:
        run, key = ctx.deps, call_key(name, to_plain(tool_args))
        self._check_limits(name, key, run)
        run.calls[name] += 1
        try:
            result = await self._call_with_timeout(name, tool_args, ctx, tool)
        except (CallDeferred, ApprovalRequired):
            raise
        except Exception:
            run.failures[key] += 1
            raise
        if failure_of(ToolResult(name, result=to_plain(result))) is None:
            run.failures.pop(key, None)
        else:
            run.failures[key] += 1
        return self._shorten(result)

    def _check_limits(self, name: str, key: str, run: ToolRun) -> None:
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

    async def _call_with_timeout(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[ToolRun],
        tool: ToolsetTool[ToolRun],
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

    def _shorten(self, result: Any) -> Any:
        """Cut a result that is too long down to its beginning and its end."""
        if isinstance(result, ToolReturn):
            whole = cast("ToolReturn[Any]", result)
            return replace(whole, return_value=self._shorten(whole.return_value))
        if is_media(result) or len(text := result_text(result)) <= self.config.longest:
            return result
        values = to_plain(result)
        if isinstance(values, dict) and values:
            return shorten_fields(cast("dict[str, Any]", values), self.config.longest)
        return shortened(without_keys(text), self.config.longest)


def shorten_fields(values: Mapping[str, Any], longest: int) -> dict[str, Any]:
    """Cut the long fields and keep the others, so that an exit code survives.

    >>> shorten_fields({"exit_code": 2, "stdout": "x" * 1000}, 40)["exit_code"]
    2
    """
    share = longest // len(values)
    long = {name: text for name, value in values.items() if len(text := result_text(value)) > share}
    cut = {name: shortened(without_keys(text), share) for name, text in long.items()}
    return {**values, **cut}
