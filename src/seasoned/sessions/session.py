"""A stored session: its scope, its times, and how far each learner has processed it."""

from dataclasses import dataclass
from typing import Literal

from seasoned.core.ids import digest
from seasoned.core.scope import Scope

Role = Literal["user", "assistant", "tool"]
TurnStatus = Literal["open", "done", "failed", "cancelled"]
# The last message (or turn) that a learner has processed.
Mark = Literal[
    "analysed_to", "observed_to", "learned_to", "distilled_to", "asked_turn", "compacted_to"
]


@dataclass(frozen=True, slots=True)
class Session:
    key: int
    scope: Scope  # its `session` is the session's name
    title: str
    started_at: int
    active_at: int
    ended_at: int | None
    end_reason: str
    turns: int  # number of the last turn; 0 before the first
    last_seq: int  # number of the last message
    analysed_to: int
    observed_to: int
    learned_to: int
    distilled_to: int
    asked_turn: int
    compacted_to: int
    summary: str

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in a list, latest first: `after` of the next page."""
        return (self.active_at, self.key)

    @property
    def version(self) -> str:
        """Return a digest that changes when the session goes on, ends or begins again."""
        return digest(str(self.key), str(self.ended_at), str(self.last_seq), str(self.turns))

    @property
    def name(self) -> str:
        return self.scope.session


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to store; `body` is the JSON that the model gets."""

    role: Role
    text: str
    body: str


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A stored message; `seq` counts from 1 in its session and is never reused."""

    seq: int
    turn: int
    role: Role
    text: str
    tokens: int
    at: int
    body: str


@dataclass(frozen=True, slots=True)
class TurnRecord:
    turn: int
    status: TurnStatus
    started_at: int
    ended_at: int | None
    error: str
    input_tokens: int
    output_tokens: int
