"""Deliver notices in the background, to the log or the channel in the settings."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from seasoned.channels.notice import Notice, Notifier
from seasoned.channels.outlets import ChannelNotifier, Outlets
from seasoned.core.errors import ConfigError
from seasoned.core.text import one_line

log = logging.getLogger("seasoned.notice")

CAPACITY = 256


@dataclass(slots=True)
class NoticeCounters:
    delivered: int = 0
    failed: int = 0
    dropped: int = 0  # because the queue was full or stopped
    last_error: str = ""


class NoticeQueue:
    """Queues notices and delivers them in a thread, so that learning never waits for a channel.

    A notice that cannot be delivered is counted, logged and dropped.
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
        """Queue a notice; never blocks, never raises."""
        with self._changed:
            room = len(self._waiting) < self._capacity and not self._stopped
            if room:
                self._waiting.append(notice)
                self._start()
                self._changed.notify_all()
            else:
                self.counters.dropped += 1
        if not room:
            why = "the queue is stopped" if self._stopped else f"{self._capacity} are waiting"
            log.warning("the notice %s of %s is dropped: %s", notice.kind, notice.lesson, why)

    def stop(self, seconds: float = 5.0) -> None:
        """Deliver what waits, for `seconds` at most, and drop the rest."""
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
            log.warning("%d notices are dropped: there was no time left to deliver them", left)
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
        except Exception as error:  # noqa: BLE001 - counted and logged; the next one may succeed
            self.counters.failed += 1
            self.counters.last_error = f"{type(error).__name__}: {error}"
            log.warning("the notice %s of %s failed: %s", notice.kind, notice.lesson, error)
        else:
            self.counters.delivered += 1


class LogNotifier:
    """Writes each notice to the log on one line; kind and lesson are in `extra`."""

    def notify(self, notice: Notice) -> None:
        log.info(
            "%s: %s (%s): %s",
            notice.kind,
            one_line(notice.title),
            notice.lesson,
            one_line(notice.text, 400),
            extra={"notice_kind": notice.kind, "lesson": notice.lesson},
        )


class NotifySettings(Protocol):
    """The section `notify` of the settings."""

    @property
    def channel(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def secret(self) -> str: ...
    @property
    def to(self) -> str: ...


def notifier_from(settings: NotifySettings, outlets: Outlets) -> Notifier | None:
    """Build the notifier in the settings; None if notices are off."""
    build = CHANNELS.get(settings.channel)
    if build is None:
        raise ConfigError(
            f"notify.channel is {settings.channel!r}; it must be one of {', '.join(CHANNELS)}"
        )
    return build(settings, outlets)


def _log(settings: NotifySettings, outlets: Outlets) -> Notifier:
    return LogNotifier()


def _webhook(settings: NotifySettings, outlets: Outlets) -> Notifier:
    # Imported on use, because most installations notify by log only.
    from seasoned.channels.webhook import WebhookNotifier

    return WebhookNotifier(settings.url, settings.secret)


def _chat(settings: NotifySettings, outlets: Outlets) -> Notifier:
    if not settings.to:
        raise ConfigError(
            "notify.channel is chat, but notify.to is empty; set the place, as telegram:CHAT"
        )
    return ChannelNotifier(outlets, settings.to)


def _none(settings: NotifySettings, outlets: Outlets) -> None:
    return None


CHANNELS: dict[str, Callable[[NotifySettings, Outlets], Notifier | None]] = {
    "log": _log,
    "webhook": _webhook,
    "chat": _chat,
    "none": _none,
}
