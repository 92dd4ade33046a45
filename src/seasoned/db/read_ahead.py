"""Reads what searches will need before they ask for it, aside, in a process that stays.

A search compares hundreds of vectors and looks up where words stand; read when first needed, they
are most of its time. All together, they are read in seconds, while nobody else needs the database.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol

log = logging.getLogger("seasoned.db")

QUIET_SECONDS = 0.03  # without any use of the database: then nobody is held up
PATIENCE_SECONDS = 0.25  # for that; where it is never quiet, some batches are read all the same,
ENDURES = 100  # so many,
RESTS = 5  # each followed by a rest so many times as long as it took


class Opened(Protocol):
    """A connection of its own to the same database."""

    def execute(self, sql: str, params: Sequence[Any] = (), /) -> Any: ...
    def close(self) -> None: ...


class Beside(Protocol):
    """A database that others use meanwhile."""

    def open_beside(self) -> Opened | None: ...
    def idle_seconds(self) -> float: ...


Job = Callable[[Opened], Iterator[None]]  # reads on, a batch at a time


class ReadAhead(threading.Thread):
    """Ends when all is read, or when it is told to.

    One that hurries does not wait for ever until it is quiet.
    """

    def __init__(self, db: Beside, job: Job, *, hurries: bool = False) -> None:
        super().__init__(name="seasoned-read-ahead", daemon=True)
        self._db, self._job, self._hurries = db, job, hurries
        self._stopped = threading.Event()
        self._hurried = 0  # batches that are still read however busy the others are
        self.start()

    def stop(self) -> None:
        self._stopped.set()

    def run(self) -> None:
        try:
            opened = self._db.open_beside()
            if opened is not None:
                with closing(opened):
                    self._work(opened)
        except Exception as error:  # noqa: BLE001 - each search reads what it needs by itself
            log.info("nothing is read ahead any more: %s", error)

    def _work(self, opened: Opened) -> None:
        began = time.monotonic()
        for _ in self._job(opened):
            self._rest(time.monotonic() - began)
            if self._stopped.is_set():
                return
            began = time.monotonic()

    def _rest(self, took: float) -> None:
        """Lets the others work: until it is quiet, or for a while."""
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
