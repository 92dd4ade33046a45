"""Mask secrets in tool results and errors before a model, a store or a screen gets them."""

from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ToolReturn
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from seasoned.core.errors import SeasonedError
from seasoned.security.redact import redact, redacted
from seasoned.tools.calls import is_media
from seasoned.tools.plain_values import to_plain
from seasoned.tools.run import ToolRun

NO_LIMIT = 10_000_000  # characters; `Guarded` limits the length


@dataclass
class Redacted(WrapperToolset[ToolRun]):
    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[ToolRun],
        tool: ToolsetTool[ToolRun],
    ) -> Any:
        try:
            result = await super().call_tool(name, tool_args, ctx, tool)
        except (CallDeferred, ApprovalRequired):
            raise
        except Exception as error:
            text = str(error)
            masked = redact(text)
            if masked == text:
                raise
            raise ToolFailed(_with_type(error, masked)) from error
        return mask_result(result)


def mask_result(result: Any) -> Any:
    """Mask secrets in a result; one without secrets is returned as the same object.

    >>> mask_result({"user": "ana", "api_key": "12345"})
    {'user': 'ana', 'api_key': '<secret>'}
    >>> mask_result("password=hunter2 and so on")
    'password=<secret> and so on'
    """
    if isinstance(result, ToolReturn):
        given = cast("ToolReturn[Any]", result)
        content = given.content
        return replace(
            given,
            return_value=mask_result(given.return_value),
            content=redact(content) if isinstance(content, str) else content,
        )
    if isinstance(result, str):
        return redact(result)
    if is_media(result):
        return [mask_result(item) for item in result] if isinstance(result, list) else result  # pyright: ignore[reportUnknownVariableType]
    values = to_plain(result)
    masked = redacted(values, longest=NO_LIMIT, deepest=64)
    return result if masked == values else masked


def _with_type(error: Exception, text: str) -> str:
    own = isinstance(error, ToolFailed | SeasonedError)
    return text if own else f"{type(error).__name__}: {text}"
