"""Facts, named in the past tense, and the bus that carries them to their subscribers."""

import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from seasoned.core.messages import ToolResult
from seasoned.core.scope import Scope

log = logging.getLogger("seasoned.bus")


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events; subscribe to it to hear everything."""

    at: int


@dataclass(frozen=True, slots=True)
class ToolFinished(Event):
    """A tool call was observed; `error` is None when it succeeded."""

    call: ToolResult
    error: str | None
    scope: Scope = field(default_factory=Scope)
    nature: str = ""  # of the failure (see `errors.nature`)
    repeated: bool = False  # whether its error was known before this session's failure


@dataclass(frozen=True, slots=True)
class LessonLearned(Event):
    """A lesson was created."""

    lesson: str
    kind: str
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class LessonChanged(Event):
    """A lesson's belief, text or status changed."""

    lesson: str
    before: float
    after: float
    reason: str


@dataclass(frozen=True, slots=True)
class HintGiven(Event):
    """The agent got a fix along with its error."""

    lesson: str
    session: str
    tool: str
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class Corrected(Event):
    """A user corrected the assistant."""

    correction: str
    session: str
    kind: str
    score: float
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class Remarked(Event):
    """A user said something that waits for a model's judgement."""

    remark: str
    session: str


@dataclass(frozen=True, slots=True)
class RuleLearned(Event):
    """A rule was created; saying a known rule again creates none."""

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
    """An agent's turn was stored; `session` is the key of its session."""

    session: int
    turn: int
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class SessionEnded(Event):
    """A session was closed: by its user, by the end of the process, or after a long silence."""

    session: int
    reason: str
    scope: Scope = field(default_factory=Scope)


E = TypeVar("E", bound=Event)


class Bus:
    """Publishes events to subscribers in their order of subscription.

    An event waits until `deliver` is called, by the thread that asked for the work and after its
    transaction, so a listener may use the facade itself. Learning never breaks acting: this is the
    one place where a listener's exception stops. It is counted in `failures` and logged with its
    traceback; the other listeners still hear the event.

    >>> bus, heard = Bus(), []
    >>> bus.subscribe(LessonLearned, heard.append)
    >>> bus.publish(LessonLearned(at=0, lesson="x1", kind="fix"))
    >>> bus.deliver()
    >>> heard[0].lesson
    'x1'
    """

    def __init__(self) -> None:
        self._subscribers: list[tuple[type[Event], Callable[..., object]]] = []
        self._waiting: deque[Event] = deque()
        self.failures: Counter[str] = Counter()

    def subscribe(self, event: type[E], listener: Callable[[E], object]) -> None:
        self._subscribers.append((event, listener))

    def publish(self, event: Event) -> None:
        if self._subscribers:
            self._waiting.append(event)

    def deliver(self) -> None:
        while self._waiting:
            try:
                event = self._waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            for kind, listener in self._subscribers:
                if isinstance(event, kind):
                    self._call(listener, event)

    def _call(self, listener: Callable[..., object], event: Event) -> None:
        try:
            listener(event)
        except Exception:  # this is the one place that may catch everything
            name = getattr(listener, "__qualname__", repr(listener))
            self.failures[name] += 1
            log.exception("listener %s failed on %s", name, type(event).__name__)
