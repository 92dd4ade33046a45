"""A session as it is kept: who talks, since when, and how far each learner has come with it."""

from dataclasses import dataclass
from typing import Literal

from seasoned.core.scope import Scope

Role = Literal["user", "assistant", "tool"]
TurnStatus = Literal["open", "done", "failed", "cancelled"]
# How far a learner has come: the number of the last message that it has seen to.
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
    turns: int  # the number of the last turn; 0: there was none yet
    last_seq: int  # the number of the last message
    analysed_to: int
    observed_to: int
    learned_to: int
    distilled_to: int
    asked_turn: int
    compacted_to: int
    summary: str

    @property
    def name(self) -> str:
        return self.scope.session


@dataclass(frozen=True, slots=True)
class Said:
    """A message before it is stored; `body` is the JSON that the model gets."""

    role: Role
    text: str
    body: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A message as it is stored; `seq` counts from 1 in its session and is never used again."""

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
