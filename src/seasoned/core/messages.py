"""Messages and tool results: the two things that an agent's session consists of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "system"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a session; `at` is microseconds since 1970 (UTC)."""

    role: Role
    text: str
    session: str = ""
    at: int | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One finished tool call.

    `error` is the error text if the caller knows that the call failed. A failure may also hide in
    `result` (an `is_error` flag, a non-zero exit code); `fixes.failure` finds it there.
    `id` names the call, so that nothing is learned twice from one call; `at` is microseconds
    since 1970 (UTC), None for "now". `refused` if a person or a policy did not allow the call,
    `cancelled` if it was stopped before it could end: neither says anything about the tool.
    """

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: Any = None
    error: str | None = None
    session: str = ""
    duration_ms: float | None = None
    at: int | None = None
    id: str | None = None
    refused: bool = False
    cancelled: bool = False
