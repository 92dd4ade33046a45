"""Build toolsets from functions, combine them, and wrap them the way every agent gets them."""

import functools
import inspect
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anyio import to_thread
from pydantic.errors import PydanticUserError
from pydantic_ai import Tool
from pydantic_ai.exceptions import UserError
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, FunctionToolset

from seasoned.core.errors import BadInput
from seasoned.tools.approval import DANGEROUS, FOLDER, ApprovalRules, Approved
from seasoned.tools.approval_store import Approvals
from seasoned.tools.guarded import GuardConfig, Guarded
from seasoned.tools.observed import Observed, Record
from seasoned.tools.redacted import Redacted
from seasoned.tools.run import ToolRun
from seasoned.tools.tool import folder_of, spec_of


def toolset_from(functions: Iterable[Callable[..., Any]]) -> FunctionToolset[ToolRun]:
    """Build a toolset of plain functions, with or without `@tool`."""
    toolset = FunctionToolset[ToolRun]()
    for function in functions:
        made = _tool(function)
        if made.name in toolset.tools:
            raise BadInput(_duplicate(made.name))
        toolset.add_tool(made)
    return toolset


def combine(toolsets: Sequence[AbstractToolset[ToolRun]]) -> AbstractToolset[ToolRun]:
    """Combine toolsets into one; no two tools may have the same name."""
    seen: set[str] = set()
    for toolset in toolsets:
        for name in toolset.tools if isinstance(toolset, FunctionToolset) else ():
            if name in seen:
                raise BadInput(_duplicate(name))
            seen.add(name)
    return toolsets[0] if len(toolsets) == 1 else CombinedToolset(toolsets)


def wrapped(
    tools: AbstractToolset[ToolRun],
    record: Record,
    *,
    rules: ApprovalRules | None = None,
    approvals: Approvals | None = None,
    guard: GuardConfig | None = None,
) -> Observed:
    """Wrap tools for an agent: limited, approved, redacted, observed."""
    guarded = Guarded(tools, guard or GuardConfig())
    approved = Approved(guarded, rules or ApprovalRules(), approvals)
    return Observed(Redacted(approved), record)


def _tool(function: Callable[..., Any]) -> Tool[ToolRun]:
    spec = spec_of(function)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a return value needs no schema
            made = Tool[ToolRun](
                _non_blocking(function),
                name=spec.name,
                description=spec.description or None,
                metadata={DANGEROUS: spec.dangerous, FOLDER: folder_of(function)},
            )
    except (NameError, TypeError, UserError, PydanticUserError) as error:
        raise BadInput(
            f"{spec.name} cannot be a tool ({error}); give each parameter a type that JSON can hold"
        ) from error
    made.description = spec.full_description(made.description)
    return made


def _non_blocking(function: Callable[..., Any]) -> Callable[..., Any]:
    """ToolRun a sync function in a thread, so that it does not block the event loop.

    A thread cannot be stopped: if the call is cancelled or times out, the thread is abandoned.
    """
    called: object = getattr(function, "__call__", None)  # noqa: B004 - it may be async itself
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called):
        return function

    @functools.wraps(function)
    async def in_thread(*args: Any, **kwargs: Any) -> Any:
        work = functools.partial(function, *args, **kwargs)
        return await to_thread.run_sync(work, abandon_on_cancel=True)

    return in_thread


def _duplicate(name: str) -> str:
    return f'there are two tools called {name}; rename one with @tool(name="…")'
