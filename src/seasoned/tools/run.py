"""The context that each tool of a turn gets: whose turn it is, who approves, who is told."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from seasoned.core.scope import Scope
from seasoned.sessions.session import Session

log = logging.getLogger("seasoned.tools")

Answer = Literal["allow", "always", "deny"]
Reach = Literal["call", "tool"]
Kind = Literal["started", "finished", "failed", "approval", "allowed", "denied"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that needs approval before it runs; `shown` is the call as a person reads it."""

    id: str
    tool: str
    params: Mapping[str, Any]
    shown: str
    reason: str  # why approval is needed
    timeout_seconds: float
    can_always: bool = True  # False: ask every time, whatever was answered before
    folder: str = ""  # where the tool works; empty if it works in none


@dataclass(frozen=True, slots=True)
class ApprovalDecision:
    """The answer to a request; `reach` says what "always" covers: this exact call, or the tool.

    `by_user` is False if nobody was there to decide: such a denial says nothing about the call.
    """

    answer: Answer
    reason: str = ""
    reach: Reach = "call"
    by_user: bool = True


ALLOW = ApprovalDecision("allow")
DENY = ApprovalDecision("deny")


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """Something a channel shows while tools run; `text` is the result, the error or the reason."""

    kind: Kind
    id: str
    tool: str
    params: Mapping[str, Any]
    text: str = ""
    duration_ms: float | None = None
    request: ApprovalRequest | None = None  # for `approval`
    hint: str = ""  # the lesson whose fix stands beside the error


@dataclass(frozen=True, slots=True)
class ToolDenial:
    """A call that was not allowed; `by_user` is False if nobody answered."""

    tool: str
    params: Mapping[str, Any]
    reason: str
    by_user: bool


Ask = Callable[[ApprovalRequest], Awaitable[ApprovalDecision]]
Tell = Callable[[ToolEvent], object]


def _ignore(event: ToolEvent) -> None:
    """Drop the event; used when no channel listens."""


@dataclass(slots=True)
class ToolRun:
    """One turn of an agent, as its tools see it. Each turn gets a new one, so counts start at 0."""

    scope: Scope = field(default_factory=Scope)
    session: Session | None = None
    turn: int = 0
    request: str = ""  # the user's own words, without the context added to them
    ask: Ask | None = None
    tell: Tell = _ignore
    denied: list[ToolDenial] = field(default_factory=list[ToolDenial])
    calls: Counter[str] = field(default_factory=Counter[str])  # per tool
    failures: Counter[str] = field(default_factory=Counter[str])  # per call, since it last worked
    limit: asyncio.Timeout | None = None  # of the whole turn
    waited_ms: dict[str, float] = field(default_factory=dict[str, float])  # for a person, per call
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)  # one question at a time

    @asynccontextmanager
    async def asking(self, call: str) -> AsyncGenerator[None]:
        """Wait for one's turn to ask a person; the time is neither the tool's nor the turn's."""
        start = time.perf_counter()
        try:
            async with self._asking, self._clock_stopped():
                yield
        finally:
            waited = (time.perf_counter() - start) * 1000
            self.waited_ms[call] = self.waited_ms.get(call, 0) + waited

    @asynccontextmanager
    async def _clock_stopped(self) -> AsyncGenerator[None]:
        ends = None if self.limit is None else self.limit.when()
        if self.limit is None or ends is None:
            yield
            return
        loop = asyncio.get_running_loop()
        left = ends - loop.time()
        self.limit.reschedule(None)
        try:
            yield
        finally:
            self.limit.reschedule(loop.time() + left)

    def show(self, event: ToolEvent) -> None:
        """Tell the channel; a channel that raises does not break the turn."""
        try:
            self.tell(event)
        except Exception:
            log.exception("could not show that %s has %s", event.tool, event.kind)


Run = ToolRun  # shorter, for tools that people write themselves
