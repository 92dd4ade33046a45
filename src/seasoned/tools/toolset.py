"""Makes toolsets of functions, puts them together, and wraps them in what every tool needs."""

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
from seasoned.tools.approval import ApprovalRules
from seasoned.tools.approval_store import Approvals
from seasoned.tools.approved import DANGEROUS, Approved
from seasoned.tools.guarded import GuardConfig, Guarded
from seasoned.tools.observed_toolset import Observed, Record
from seasoned.tools.redacted import Redacted
from seasoned.tools.run import Run
from seasoned.tools.tool import spec_of


def toolset_from(functions: Iterable[Callable[..., Any]]) -> FunctionToolset[Run]:
    """A toolset of functions; `@tool` says more of one than its signature does."""
    toolset = FunctionToolset[Run]()
    for function in functions:
        made = _tool(function)
        if made.name in toolset.tools:
            raise BadInput(_twice(made.name))
        toolset.add_tool(made)
    return toolset


def combined(toolsets: Sequence[AbstractToolset[Run]]) -> AbstractToolset[Run]:
    """All of them as one; no two tools may have the same name."""
    seen: set[str] = set()
    for toolset in toolsets:
        for name in toolset.tools if isinstance(toolset, FunctionToolset) else ():
            if name in seen:
                raise BadInput(_twice(name))
            seen.add(name)
    return toolsets[0] if len(toolsets) == 1 else CombinedToolset(toolsets)


def wrapped(
    tools: AbstractToolset[Run],
    record: Record,
    *,
    rules: ApprovalRules | None = None,
    approvals: Approvals | None = None,
    guard: GuardConfig | None = None,
) -> Observed:
    """The tools as an agent gets them: bounded, allowed, without secrets, and learned from."""
    guarded = Guarded(tools, guard or GuardConfig())
    approved = Approved(guarded, rules or ApprovalRules(), approvals)
    return Observed(Redacted(approved), record)


def _tool(function: Callable[..., Any]) -> Tool[Run]:
    spec = spec_of(function)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what it returns need not have a schema
            made = Tool[Run](
                _unblocking(function),
                name=spec.name,
                description=spec.description or None,
                metadata={DANGEROUS: spec.dangerous},
            )
    except (NameError, TypeError, UserError, PydanticUserError) as error:
        raise BadInput(
            f"{spec.name} cannot be a tool ({error}); give each parameter a type that JSON can say"
        ) from error
    made.description = spec.told(made.description)
    return made


def _unblocking(function: Callable[..., Any]) -> Callable[..., Any]:
    """An ordinary function runs in a thread, so that other calls and the answer go on.

    A thread cannot be stopped: when its call is cancelled or takes too long, nobody waits for it.
    """
    called: object = getattr(function, "__call__", None)  # noqa: B004 - it may be async itself
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called):
        return function

    @functools.wraps(function)
    async def in_thread(*args: Any, **kwargs: Any) -> Any:
        work = functools.partial(function, *args, **kwargs)
        return await to_thread.run_sync(work, abandon_on_cancel=True)

    return in_thread


def _twice(name: str) -> str:
    return f'there are two tools called {name}; give one another name, as @tool(name="…")'
