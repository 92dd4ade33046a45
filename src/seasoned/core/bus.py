"""Carries facts to whoever wants them; the one place where a learner's exception stops."""

import logging
from collections import Counter, deque
from collections.abc import Callable
from typing import TypeVar

from seasoned.core.events import Event

log = logging.getLogger("seasoned.bus")

E = TypeVar("E", bound=Event)


class Bus:
    """Publishes to subscribers in their order of subscription.

    What is published waits until `deliver` is called, by the thread that asked for the work and
    after its transaction: a listener may then use the facade itself. A subscriber that raises
    is counted, logged with its traceback and shown in `failures`; the others still hear the fact,
    and the caller goes on: learning never breaks acting.

    >>> from seasoned.core.events import LessonLearned
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
            for wanted, listener in self._subscribers:
                if isinstance(event, wanted):
                    self._hand(listener, event)

    def _hand(self, listener: Callable[..., object], event: Event) -> None:
        try:
            listener(event)
        except Exception:  # this is the one place that may catch everything
            name = getattr(listener, "__qualname__", repr(listener))
            self.failures[name] += 1
            log.exception("listener %s failed on %s", name, type(event).__name__)
