"""What an agent's turn tells while it goes on: for a terminal, a socket, a chat."""

from dataclasses import dataclass
from typing import Literal

from seasoned.tools.run import ToolEvent

Kind = Literal["thinking", "chunk", "tool", "approval", "noticed", "done", "error"]


@dataclass(frozen=True, slots=True)
class Used:
    """What a turn took."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """`text` is a piece of the reply, the whole reply (done), what went wrong, or what was learned.

    `done` or `error` is the last of a turn; an `approval` wants `Turn.decide`.
    """

    kind: Kind
    text: str = ""
    tool: ToolEvent | None = None
    used: Used | None = None
