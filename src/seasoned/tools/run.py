"""What every tool of a turn is handed: whose turn it is, whom to ask, whom to tell."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from seasoned.core.ids import canonical, digest
from seasoned.core.scope import Scope
from seasoned.memory.session import Session

log = logging.getLogger("seasoned.tools")

Answer = Literal["allow", "always", "deny"]
Reach = Literal["call", "tool"]
Kind = Literal["started", "finished", "failed", "approval", "allowed", "denied"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that somebody must allow before it is made; `shown` is the call for people."""

    id: str
    tool: str
    params: Mapping[str, Any]
    shown: str
    reason: str  # why it is asked for
    timeout_seconds: float
    can_always: bool = True  # False: this tool is asked for each time


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody decided; `reach` says what "always" is for: this very call, or the tool."""

    answer: Answer
    reason: str = ""
    reach: Reach = "call"


ALLOW = Decision("allow")
DENY = Decision("deny")


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """What a channel shows while tools run; `text` is the result, the error or the reason."""

    kind: Kind
    id: str
    tool: str
    params: Mapping[str, Any]
    text: str = ""
    duration_ms: float | None = None
    request: ApprovalRequest | None = None  # with `approval`


@dataclass(frozen=True, slots=True)
class Denial:
    """A call that was not allowed; `by_user` is False when nobody answered."""

    tool: str
    params: Mapping[str, Any]
    reason: str
    by_user: bool


Ask = Callable[[ApprovalRequest], Awaitable[Decision]]
Tell = Callable[[ToolEvent], object]


def _nobody(event: ToolEvent) -> None:
    """Nobody listens."""


@dataclass(slots=True)
class Run:
    """One turn of an agent. A new one for each turn: what was counted here is the turn's."""

    scope: Scope = field(default_factory=Scope)
    session: Session | None = None
    turn: int = 0
    request: str = ""  # what the user wrote, and nothing that was put beside it
    ask: Ask | None = None
    tell: Tell = _nobody
    denied: list[Denial] = field(default_factory=list[Denial])
    calls: Counter[str] = field(default_factory=Counter[str])  # by tool
    failures: Counter[str] = field(default_factory=Counter[str])  # by call, since it last worked
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)  # one question at a time

    def show(self, event: ToolEvent) -> None:
        """Tells what happens; a screen that breaks does not break the turn."""
        try:
            self.tell(event)
        except Exception:
            log.exception("could not show that %s has %s", event.tool, event.kind)


def call_key(tool: str, params: Mapping[str, Any]) -> str:
    """The same name for the same call.

    >>> call_key("read", {"a": 1, "b": 2}) == call_key("read", {"b": 2, "a": 1})
    True
    """
    return digest(tool, canonical(params))
