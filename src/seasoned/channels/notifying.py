"""Delivers notices in the background: whoever learns never waits for a channel."""

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass

from seasoned.channels.notifier import Notice, Notifier

log = logging.getLogger("seasoned.notice")

CAPACITY = 256


@dataclass(slots=True)
class NoticeCounters:
    delivered: int = 0
    failed: int = 0
    dropped: int = 0  # no room, or no time any more
    last_error: str = ""


class Notifying:
    """Wraps a notifier: takes notices at once, hands them on one after the other.

    A notice is news, not state: what cannot be delivered is counted and logged, and not kept.
    """

    def __init__(self, notifier: Notifier, *, capacity: int = CAPACITY) -> None:
        self.counters = NoticeCounters()
        self._notifier = notifier
        self._capacity = capacity
        self._waiting: deque[Notice] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None
        self._at_work = False
        self._stopped = False

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def notify(self, notice: Notice) -> None:
        """Never blocks and never raises."""
        with self._changed:
            room = len(self._waiting) < self._capacity and not self._stopped
            if room:
                self._waiting.append(notice)
                self._start()
                self._changed.notify_all()
            else:
                self.counters.dropped += 1
        if not room:
            why = "it is stopped" if self._stopped else f"{self._capacity} wait already"
            log.warning("the notice %s of %s is dropped: %s", notice.kind, notice.lesson, why)

    def stop(self, seconds: float = 5.0) -> None:
        """Delivers what waits, for so long at most; what is left then is dropped."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: not self._waiting and not self._at_work, max(0.0, seconds)
            )
            left = len(self._waiting)
            self._waiting.clear()
            self.counters.dropped += left
            worker, self._worker = self._worker, None
        if left:
            log.warning("%d notices are dropped: there was no time to deliver them", left)
        if worker is not None:
            worker.join(max(0.0, deadline - time.monotonic()))

    def _start(self) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=self._run, name="seasoned-notices", daemon=True)
            self._worker.start()

    def _run(self) -> None:
        while (notice := self._next()) is not None:
            self._deliver(notice)

    def _next(self) -> Notice | None:
        with self._changed:
            self._at_work = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._stopped)
            if not self._waiting:
                return None
            self._at_work = True
            return self._waiting.popleft()

    def _deliver(self, notice: Notice) -> None:
        try:
            self._notifier.notify(notice)
        except Exception as error:  # noqa: BLE001 - counted and logged; the next one may arrive
            self.counters.failed += 1
            self.counters.last_error = f"{type(error).__name__}: {error}"
            log.warning("the notice %s of %s failed: %s", notice.kind, notice.lesson, error)
        else:
            self.counters.delivered += 1
