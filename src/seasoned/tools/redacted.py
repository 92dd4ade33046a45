"""Masks secrets in what tools return, before a model, a store or a screen gets it."""

from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ToolReturn
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from seasoned.core.errors import SeasonedError
from seasoned.security.redact import redact, redacted
from seasoned.tools.plain import is_media, plain
from seasoned.tools.run import Run

WHOLE = 10_000_000  # how long a text may be is not decided here


@dataclass
class Redacted(WrapperToolset[Run]):
    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Run], tool: ToolsetTool[Run]
    ) -> Any:
        try:
            result = await super().call_tool(name, tool_args, ctx, tool)
        except (CallDeferred, ApprovalRequired):
            raise
        except Exception as error:
            said = str(error)
            masked = redact(said)
            if masked == said:
                raise
            raise ToolFailed(_named(error, masked)) from error
        return masked_result(result)


def masked_result(result: Any) -> Any:
    """The result without secrets; what holds none stays the very object that it was.

    >>> masked_result({"user": "ana", "api_key": "12345"})
    {'user': 'ana', 'api_key': '<secret>'}
    >>> masked_result("password=hunter2 and so on")
    'password=<secret> and so on'
    """
    if isinstance(result, ToolReturn):
        given = cast("ToolReturn[Any]", result)
        content = given.content
        return replace(
            given,
            return_value=masked_result(given.return_value),
            content=redact(content) if isinstance(content, str) else content,
        )
    if isinstance(result, str):
        return redact(result)
    if is_media(result):
        return [masked_result(item) for item in result] if isinstance(result, list) else result  # pyright: ignore[reportUnknownVariableType]
    values = plain(result)
    masked = redacted(values, longest=WHOLE, deepest=64)
    return result if masked == values else masked


def _named(error: Exception, said: str) -> str:
    own = isinstance(error, ToolFailed | SeasonedError)
    return said if own else f"{type(error).__name__}: {said}"
