"""Facts that have happened, in the past tense; others draw their conclusions from them."""

from dataclasses import dataclass, field

from seasoned.core.scope import Scope
from seasoned.core.tool_result import ToolResult


@dataclass(frozen=True, slots=True)
class Event:
    """The root of all facts: subscribe to it to hear everything."""

    at: int


@dataclass(frozen=True, slots=True)
class ToolFinished(Event):
    """A tool call was observed; `error` is None when it succeeded."""

    call: ToolResult
    error: str | None
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class LessonLearned(Event):
    """A lesson came into being."""

    lesson: str
    kind: str


@dataclass(frozen=True, slots=True)
class LessonChanged(Event):
    """A lesson's belief, text or status is no longer what it was."""

    lesson: str
    before: float
    after: float
    reason: str


@dataclass(frozen=True, slots=True)
class HintGiven(Event):
    """A fix was handed to the agent beside its error."""

    lesson: str
    session: str
    tool: str


@dataclass(frozen=True, slots=True)
class Corrected(Event):
    """A user corrected the assistant."""

    correction: str
    session: str
    kind: str
    score: float


@dataclass(frozen=True, slots=True)
class RuleLearned(Event):
    """A rule came into being; one that was only said again did not."""

    lesson: str
    type: str
    description: str
    session: str


@dataclass(frozen=True, slots=True)
class RuleConflicted(Event):
    """A rule contradicts an earlier one."""

    conflict: str
    earlier: str
    later: str
    reason: str


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    """The agent's turn is over and stored; `session` is the key of its session."""

    session: int
    turn: int
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class SessionEnded(Event):
    """A session was closed: by its user, by the end of the process, or for nobody said a word."""

    session: int
    reason: str
    scope: Scope = field(default_factory=Scope)
