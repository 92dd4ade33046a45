"""One turn as its caller sees it: events as they come, and ways to decide and to interrupt."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from seasoned.core.errors import NotFound, TurnFailed
from seasoned.recall.context import GivenLesson
from seasoned.tools.run import ApprovalDecision, ApprovalRequest, Ask, ToolEvent

T = TypeVar("T")
Work = Callable[["Turn"], Awaitable[None]]
Kind = Literal[
    "recalled",
    "thinking",
    "chunk",
    "tool",
    "approval",
    "noticed",
    "waiting",
    "done",
    "error",
]


@dataclass(frozen=True, slots=True)
class TurnUsage:
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """`text` is a piece of the reply, the whole reply (`done`), an error, or a learned rule.

    The last event of a turn is `done` or `error`; an `approval` waits for `Turn.decide`. `lesson`
    is the id of a learned rule (`noticed`), `against` the rules that it contradicts and `replaces`
    those that it replaced, id and words; `lasts` says whether it holds from now on or in this
    session only. `given` are the lessons that the agent reads in this turn (`recalled`). While the
    model is `waiting` for its next try, `seconds` says how long.
    """

    kind: Kind
    text: str = ""
    tool: ToolEvent | None = None
    used: TurnUsage | None = None
    lesson: str | None = None
    against: Sequence[tuple[str, str]] | None = None
    replaces: Sequence[tuple[str, str]] | None = None
    lasts: bool | None = None
    given: Sequence[GivenLesson] | None = None
    seconds: float | None = None


class Interrupted(Exception):
    """Raised inside a turn that its user has stopped."""


async def uncut(work: Coroutine[Any, Any, T]) -> T:
    """Finish work first if its turn is interrupted meanwhile."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


class Turn:
    """Starts when it is iterated; stopping the iteration interrupts it.

    `outcome` is its last event, once it has ended.
    """

    def __init__(self, work: Work, ask: Ask | None = None, *, answers: bool = True) -> None:
        self._work = work
        self._ask = ask
        self._answers = answers
        self._events: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        self._waiting: dict[str, asyncio.Future[ApprovalDecision]] = {}
        self._task: asyncio.Task[None] | None = None
        self._stoppable: asyncio.Task[Any] | None = None
        self.interrupted = False
        self.disapproved = False  # whether it was interrupted by a person who saw it
        self.outcome: AgentEvent | None = None

    @property
    def ask(self) -> Ask | None:
        """Approval callback for tools; None if nobody can answer."""
        return self._ask or (self._wait_for_decision if self._answers else None)

    def tell(self, event: AgentEvent) -> None:
        if event.kind in ("done", "error"):
            self.outcome = event
        self._events.put_nowait(event)

    def tell_tool(self, event: ToolEvent) -> None:
        kind = "approval" if event.kind == "approval" else "tool"
        self.tell(AgentEvent(kind, event.text, event))

    def decide(self, request: str, decision: ApprovalDecision) -> None:
        """Answer an `approval`, by the id of its request."""
        waiting = self._waiting.get(request)
        if waiting is None:
            raise NotFound(f"no approval {request!r} is waiting; it may have timed out")
        if not waiting.done():
            waiting.set_result(decision)

    def is_waiting(self, request: str) -> bool:
        """Tell whether an `approval` still waits for `decide`."""
        waiting = self._waiting.get(request)
        return waiting is not None and not waiting.done()

    def interrupt(self, *, by_user: bool = True) -> None:
        """Stop the turn and keep the reply so far.

        An interruption `by_user` is a signal to learn from; a window that closes is none. What
        stores the beginning and the end of the turn is never cut short.
        """
        if not self.interrupted:
            self.interrupted, self.disapproved = True, by_user
            if self._stoppable is not None:
                self._stoppable.cancel()

    async def stoppable(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the part of the turn that an interruption may stop; raise `Interrupted` if it did."""
        if self.interrupted:
            work.close()
            raise Interrupted
        self._stoppable = asyncio.create_task(work)
        try:
            return await self._stoppable
        except asyncio.CancelledError:
            if self.interrupted and self._stoppable.cancelled():
                raise Interrupted from None
            raise  # the process is ending; the turn can be resumed

    async def __aiter__(self) -> AsyncGenerator[AgentEvent]:
        self._task = asyncio.create_task(self._run())
        try:
            while (event := await self._events.get()) is not None:
                yield event
        finally:
            if not self._task.done():
                self.interrupt()
            with suppress(asyncio.CancelledError):
                await self._task

    async def reply(self) -> str:
        """Wait for the whole reply; raise `TurnFailed` if there is none."""
        last = AgentEvent("error", "the turn ended without a reply")
        async for event in self:
            last = event
        if last.kind == "error":
            raise TurnFailed(last.text)
        return last.text

    async def _run(self) -> None:
        try:
            await self._work(self)
        finally:
            self._events.put_nowait(None)

    async def _wait_for_decision(self, request: ApprovalRequest) -> ApprovalDecision:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = waiting
        try:
            return await waiting
        finally:
            del self._waiting[request.id]
