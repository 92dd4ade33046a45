"""Read in the background what later searches will need, in a long-running process.

A search compares hundreds of vectors and looks up the rows of words; reading them takes most of
its time. Reading them all takes seconds, at times when nobody else uses the database.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol

log = logging.getLogger("seasoned.db")

QUIET_SECONDS = 0.03  # the database counts as idle after this long without use
PATIENCE_SECONDS = 0.25  # how long to wait for that; then, if it hurries, read all the same:
ENDURES = 100  # so many batches,
RESTS = 5  # with a pause of 5× each batch's duration


class ReadConnection(Protocol):
    """A separate connection to the same database."""

    def execute(self, sql: str, params: Sequence[Any] = (), /) -> Any: ...
    def close(self) -> None: ...


class ReadDatabase(Protocol):
    """A database that others use meanwhile."""

    def open_beside(self) -> ReadConnection | None: ...
    def idle_seconds(self) -> float: ...


Job = Callable[[ReadConnection], Iterator[None]]  # reads a batch per step


class ReadAhead(threading.Thread):
    """Runs until all is read, or until `stop`.

    With `hurries`, it does not wait forever for the database to be idle.
    """

    def __init__(self, db: ReadDatabase, job: Job, *, hurries: bool = False) -> None:
        super().__init__(name="seasoned-read-ahead", daemon=True)
        self._db, self._job, self._hurries = db, job, hurries
        self._stopped = threading.Event()
        self._hurried = 0  # batches to read even if the database is busy
        self.start()

    def stop(self) -> None:
        self._stopped.set()

    def run(self) -> None:
        try:
            reader = self._db.open_beside()
            if reader is not None:
                with closing(reader):
                    self._work(reader)
        except Exception as error:  # noqa: BLE001 - searches read what they need themselves
            log.info("stopped reading ahead: %s", error)

    def _work(self, reader: ReadConnection) -> None:
        began = time.monotonic()
        for _ in self._job(reader):
            self._rest(time.monotonic() - began)
            if self._stopped.is_set():
                return
            began = time.monotonic()

    def _rest(self, took: float) -> None:
        """Pause until the database is idle, or for a while."""
        if self._hurried:
            self._hurried -= 1
            self._stopped.wait(RESTS * took)
            return
        until = time.monotonic() + PATIENCE_SECONDS
        while (left := QUIET_SECONDS - self._db.idle_seconds()) > 0:
            if self._stopped.wait(left):
                return
            if self._hurries and time.monotonic() > until:
                self._hurried = ENDURES
                return
