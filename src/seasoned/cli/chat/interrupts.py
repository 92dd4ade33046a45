"""Decide what a signal does at this moment: stop the answer, clear the line, or leave the chat.

Ctrl-C is the person's own word. SIGTERM and SIGHUP (the window was closed) end the chat, too, and
keep what was said, but say nothing about it.
"""

import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Protocol, Self

from seasoned.cli.command import INTERRUPTED
from seasoned.cli.show.render import note

CLOSING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
PATIENCE_SECONDS = 3.0  # from the second Ctrl-C on; after that, another ends the process


class Stop(Protocol):
    """Stops what is going on; `by_user` says whether a person wanted that."""

    def __call__(self, *, by_user: bool) -> object: ...


class WindowClosed(Exception):
    """Raised out of reading a line when the chat must end."""


class Interrupts:
    """Handles signals while it is entered; `pressed` counts Ctrl-C since the last line typed.

    `closed_by` is the signal that ends the chat, 0 if there was none. `on_abort` puts the terminal
    right before the process ends on the spot.

    Only the start, until `started`, and the reading of a line are interrupted by an exception.
    Elsewhere it could come in the middle of storing something: there, a turn is asked to stop, and
    everything else goes on.
    """

    def __init__(self, on_abort: Callable[[], object] = lambda: None) -> None:
        self.pressed = 0
        self.closed_by = 0
        self._on_abort = on_abort
        self._second_at = 0.0
        self._reading = True
        self._started = False
        self._stop: Stop | None = None
        self._before: dict[int, Any] = {}

    def started(self) -> None:
        """Let the conversation decide what a signal does from now on."""
        self._reading, self._started = False, True

    @contextmanager
    def stopping(self, stop: Stop) -> Generator[None]:
        """Call `stop` when a signal comes inside."""
        self._stop = stop
        try:
            yield
        finally:
            self._stop = None

    @contextmanager
    def reading(self) -> Generator[None]:
        """Raise KeyboardInterrupt at Ctrl-C inside, `WindowClosed` when the chat must end."""
        self._reading = True
        try:
            yield
        finally:
            self._reading = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.pressed += 1
        if self.pressed <= 2:
            self._second_at = time.monotonic()
        if self._reading:
            raise KeyboardInterrupt
        if self.pressed > 2 and time.monotonic() > self._second_at + PATIENCE_SECONDS:
            note("interrupted")  # what was stored stays; the turn can be resumed
            self._on_abort()
            os._exit(INTERRUPTED)
        if self._stop is not None:
            self._stop(by_user=True)

    def _on_close(self, number: int, frame: FrameType | None) -> None:
        self.closed_by = self.closed_by or number
        if number == getattr(signal, "SIGHUP", 0):
            _write_nowhere()
        if not self._started:
            raise SystemExit(128 + number)
        if self._reading:
            raise WindowClosed
        if self._stop is not None:
            self._stop(by_user=False)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {signal.SIGINT: signal.signal(signal.SIGINT, self._on_signal)}
            self._before |= {one: signal.signal(one, self._on_close) for one in CLOSING}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def _write_nowhere() -> None:
    """Let output go on without its terminal, which is gone: each write to it would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        if _is_gone(descriptor):
            os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _is_gone(descriptor: int) -> bool:
    """Whether output went to the terminal: a hung-up one no longer says that it is one."""
    return not stat.S_ISREG(mode := os.fstat(descriptor).st_mode) and not stat.S_ISFIFO(mode)
