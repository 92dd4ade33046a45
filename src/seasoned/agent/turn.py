"""One turn, seen from outside: its events as they come, and the ways to answer and to stop it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

from seasoned.agent.event import AgentEvent
from seasoned.core.errors import NotFound, TurnFailed
from seasoned.tools.run import ApprovalRequest, Ask, Decision, ToolEvent

Work = Callable[["Turn"], Awaitable[None]]


class Turn:
    """Begins when it is iterated; whoever stops iterating has interrupted it."""

    def __init__(self, work: Work, ask: Ask | None = None, *, answers: bool = True) -> None:
        self._work = work
        self._ask = ask
        self._answers = answers
        self._events: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        self._waiting: dict[str, asyncio.Future[Decision]] = {}
        self._task: asyncio.Task[None] | None = None
        self.interrupted = False

    @property
    def ask(self) -> Ask | None:
        """Whom tools ask before they run: nobody, where nobody can answer."""
        return self._ask or (self._asked if self._answers else None)

    def tell(self, event: AgentEvent) -> None:
        self._events.put_nowait(event)

    def tool(self, event: ToolEvent) -> None:
        kind = "approval" if event.kind == "approval" else "tool"
        self.tell(AgentEvent(kind, event.text, event))

    def decide(self, request: str, decision: Decision) -> None:
        """Answers an `approval`, by the id of its request."""
        waiting = self._waiting.get(request)
        if waiting is None:
            raise NotFound(f"nothing waits for a decision under {request!r}; it may be too late")
        if not waiting.done():
            waiting.set_result(decision)

    def interrupt(self) -> None:
        """Stops the turn; what was said so far is kept, and that it was stopped is a signal."""
        self.interrupted = True
        if self._task is not None:
            self._task.cancel()

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
        """The whole reply, for whoever does not want to see it come; raises what went wrong."""
        last = AgentEvent("error", "the turn ended without a word")
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

    async def _asked(self, request: ApprovalRequest) -> Decision:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = waiting
        try:
            return await waiting
        finally:
            del self._waiting[request.id]
