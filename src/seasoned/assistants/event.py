"""A hook event in neutral words: whatever assistant it comes from, the handler reads this."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Kind = Literal[
    "start",  # a session begins, goes on, or lost what it was told
    "agent_start",  # a sub-agent begins
    "prompt",  # a person sends a message
    "result",  # a tool call is over
    "denied",  # a tool call was not allowed
    "reply",  # the assistant has answered
    "end",  # a session is over
    "other",  # nothing to learn from it, and nothing to say; yet something may be told at it
]

SHELL = "Bash"  # one name for the shell of every assistant, so that they learn from one another
SHELLS = frozenset(
    "Bash bash Shell shell run_shell_command run_terminal_cmd execute_command exec_command "
    "local_shell powershell".split()
)


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One event. `failed` is None if the assistant does not say whether the call failed."""

    host: str
    name: str  # as the assistant calls it
    kind: Kind
    session: str = ""
    folder: str = ""
    agent: str = ""  # the sub-agent it happened in
    turn: str = ""  # id of the prompt or turn
    call: str = ""  # id of the tool call
    tool: str = ""
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    output: Any = None
    failed: bool | None = None
    refused: bool = False
    cancelled: bool = False
    duration_ms: float | None = None
    text: str = ""  # the prompt, the reply, the reason, or why a session starts
    forgot: bool = False  # the assistant no longer has what it was told before
    records: str = ""  # the file in which the assistant records the session

    @property
    def conversation(self) -> str:
        """Name the session; a sub-agent's is its own, as in the assistant's records."""
        return f"{self.session}/{self.agent}" if self.agent else self.session


class Host(Protocol):
    """An assistant: how to read its events, and how to answer so that its model reads it."""

    @property
    def name(self) -> str: ...

    @property
    def limit(self) -> int:
        """The most characters that reach the model with one event."""
        ...

    @property
    def shell(self) -> str:
        """The name its model knows the shell by."""
        ...

    def read(self, payload: Mapping[str, Any], event: str) -> HookEvent:
        """Read what the assistant sent; `event` is its name if the command line gave one."""
        ...

    def hears(self, event: HookEvent) -> bool:
        """Tell whether text in the answer to this event reaches the model."""
        ...

    def answer(self, event: HookEvent, text: str) -> Mapping[str, Any] | None:
        """Return the answer as JSON, None for no output; `text` may be empty."""
        ...


def tool_name(given: str) -> str:
    """Return the name that lessons use for a tool.

    >>> tool_name("run_shell_command"), tool_name("mcp__shop__order")
    ('Bash', 'mcp__shop__order')
    """
    return SHELL if given in SHELLS else given
