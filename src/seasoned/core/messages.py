"""What was said in a conversation, whoever said it."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant", "system"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a session; `at` is microseconds since 1970 (UTC)."""

    role: Role
    text: str
    session: str = ""
    at: int | None = None
    id: str | None = None
