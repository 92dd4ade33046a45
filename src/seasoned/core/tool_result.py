"""What one call of a tool came to: the fact that most learning starts from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One finished tool call.

    `error` is the error text when the caller knows that the call failed; a failure may also
    hide in `result` (an `is_error` flag, a non-zero exit code): `learning.failure` decides.
    `id` names the call, so that the same call is never learned from twice; `at` is
    microseconds since 1970 (UTC), None for "now".
    """

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: Any = None
    error: str | None = None
    session: str = ""
    duration_ms: float | None = None
    at: int | None = None
    id: str | None = None
