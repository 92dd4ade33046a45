"""Says what happened and what is so, and asks what is known of it: the loop of learning."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.core.tool_result import ToolResult
from seasoned.facade.opened import Opened
from seasoned.learning.lesson import Lesson, Source

if TYPE_CHECKING:
    from seasoned.learning.hint import Hint
    from seasoned.recall.context import Context
    from seasoned.recall.layers import Layer
    from seasoned.recall.layers import Source as LayerSource
    from seasoned.tools.observed import Outcome

F = TypeVar("F", bound=Callable[..., Any])


class Observing(Opened):
    """Observe, teach, recall."""

    async def observe(
        self,
        tool: str | ToolResult,
        params: Mapping[str, Any] | None = None,
        result: Any = None,
        error: str | BaseException | None = None,
        *,
        session: str | None = None,
        duration_ms: float | None = None,
    ) -> Hint | None:
        """Says what a tool call came to; a `Hint` when it failed and a fix is known.

        A failure is an `error`, or a result that says so (`is_error`, a non-zero exit code).
        """
        if isinstance(tool, ToolResult):
            call = replace(tool, session=session or tool.session or self._session())
        else:
            named = session or self._session()
            call = ToolResult(tool, params or {}, result, _error_text(error), named, duration_ms)
        return await self._run(self.app.engine.observe(call, self.scope))

    async def on_tool_result(
        self,
        session: str,
        tool: str,
        params: Mapping[str, Any] | None,
        result: Any,
        error: str | BaseException | None,
    ) -> Hint | None:
        """The same under the name and in the order of the observer interface."""
        return await self.observe(tool, params, result, error, session=session)

    @overload
    def tool(self, function: F) -> F: ...
    @overload
    def tool(self, *, name: str) -> Callable[[F], F]: ...
    def tool(self, function: F | None = None, *, name: str | None = None) -> F | Callable[[F], F]:
        """Wraps a function, sync or async, so that every call of it is observed.

        An exception goes on to the caller as it was, with the hint as a note on it.
        """
        from seasoned.tools.observed import observed

        watch = functools.partial(observed, name=name, run=self._drive, record=self._record)
        return watch(function) if function is not None else watch

    async def teach(
        self,
        trigger: str = "",
        *,
        fix: str | None = None,
        rule: str | None = None,
        fact: str | None = None,
        preference: str | None = None,
        tool: str | None = None,
        scope: Scope | None = None,
        source: Source = "operator",
    ) -> Lesson:
        """Tells a lesson outright: it applies at once and beats whatever was inferred.

        For a fix, `trigger` is the error it is for; for the others, the situation they belong to.
        """
        from seasoned.learning.teaching import teaching_from

        told = teaching_from(
            trigger,
            fix=fix,
            rule=rule,
            fact=fact,
            preference=preference,
            tool=tool,
            source=source,
        )
        return await self._run(self.app.teacher.teach(told, scope or self.scope))

    async def recall(
        self,
        query: str,
        *,
        session: str | None = None,
        tool: str | None = None,
        tools: Sequence[str] = (),
        runtime: Mapping[str, object] | None = None,
        limit: int | None = None,
        given: bool = True,
    ) -> Context:
        """The few lines that matter for this request; `.text` goes into the prompt.

        `tool` is the one about to be used, `tools` those at hand; `runtime` is what holds right
        now (a channel, a date) and is told as it is. `limit` is for each layer. With `given`
        False nothing is counted as handed to an agent: to look what it would be told.
        """
        from seasoned.recall.retriever import Turn

        if limit is not None and limit < 0:
            raise BadInput(f"limit is {limit}; it must be 0 or more")
        scope = self.scope.within(session or self._session())
        turn = Turn(query, scope, tool, tuple(tools), runtime)
        context = await self._run(self.app.retriever.recall(turn, limit=limit))
        if given:
            self.app.hand(context, scope)
        return context

    def provide(self, layer: Layer, source: LayerSource) -> None:
        """Fills a layer of recall (skills, observations…) from a source of yours.

        It is asked at each recall, in a thread of its own, for lines that fit the request; one
        that takes longer than `knowledge.deadlineSeconds` is left out.
        """
        self.app.retriever.provide(layer, source)

    async def _record(self, outcome: Outcome) -> Hint | None:
        call = ToolResult(
            outcome.tool,
            outcome.params,
            outcome.result,
            _error_text(outcome.error),
            self._session(),
            outcome.duration_ms,
        )
        # Only an exception can carry a hint: one that nobody sees must not count as given.
        seen = isinstance(outcome.error, Exception)
        return await self._run(self.app.engine.observe(call, self.scope, hints=seen))


def _error_text(error: str | BaseException | None) -> str | None:
    if isinstance(error, BaseException):
        return f"{type(error).__name__}: {error}"
    return error
