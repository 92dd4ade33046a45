"""The latest events of a session, numbered, so that a client that was away gets what it missed.

Numbers grow by one from event to event. A log begins with the time in microseconds, so that the
numbers of a later log, after a restart too, are higher than those of an earlier one.
"""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

Waker = Callable[[], object]


@dataclass(frozen=True, slots=True)
class LogConfig:
    """Limits of one session's log; a single event that is larger is kept alone."""

    events: int = 4096
    bytes: int = 2 * 2**20


class LoggedEvent(NamedTuple):
    number: int
    kind: str
    text: str  # JSON

    def content(self) -> dict[str, Any]:
        return json.loads(self.text)


@dataclass(slots=True, eq=False)
class EventLog:
    """`wakers` are called after each event; a reader keeps its own place.

    >>> log = EventLog("s1", 100)
    >>> log.add("chunk", {"text": "Hello"}), log.add("done", {"text": "Hello"})
    (101, 102)
    >>> [one.kind for one in log.after(101)], log.holds(100), log.holds(99)
    (['done'], True, False)
    """

    session: str
    last: int  # number of the latest event
    config: LogConfig = field(default_factory=LogConfig)
    size: int = 0  # bytes
    closed: bool = False  # nothing comes any more: the server stops
    wakers: set[Waker] = field(default_factory=set[Waker])
    _events: deque[LoggedEvent] = field(default_factory=deque[LoggedEvent])

    def add(self, kind: str, content: Mapping[str, Any]) -> int:
        """Append an event and return its number."""
        self.last += 1
        frame = {"type": kind, "session": self.session, "seq": self.last, **content}
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"), default=str)
        if not text.isascii():  # half a character of a model or a tool cannot be sent
            text = text.encode("utf-8", "replace").decode("utf-8")
        self._events.append(LoggedEvent(self.last, kind, text))
        self.size += len(text)
        while len(self._events) > self.config.events or (
            self.size > self.config.bytes and len(self._events) > 1
        ):
            self.size -= len(self._events.popleft().text)
        self._wake()
        return self.last

    def close(self) -> None:
        """Let the readers go."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        for wake in tuple(self.wakers):
            wake()

    def holds(self, number: int) -> bool:
        """Tell whether every event after this one is still here."""
        return self.first - 1 <= number <= self.last

    @property
    def first(self) -> int:
        """The number of the oldest event here, or of the next one if there is none."""
        return self.last - len(self._events) + 1

    def after(self, number: int, most: int = 256) -> Sequence[LoggedEvent]:
        """Return up to `most` events after this number, in order."""
        start = max(0, number - self.first + 1)
        return list(islice(self._events, start, start + most))
