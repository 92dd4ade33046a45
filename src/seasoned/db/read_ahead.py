"""Reads what searches will need before they ask for it, aside, in a process that stays.

A search compares hundreds of vectors and looks up where words stand; read when first needed, they
are most of its time. All together, they are read in a second or a few, half of it spent resting.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol

log = logging.getLogger("seasoned.db")

RESTS = 1  # times as long as a batch took: whoever works here has the rest of the time


class Opened(Protocol):
    """A connection of its own to the same database."""

    def execute(self, sql: str, params: Sequence[Any] = (), /) -> Any: ...
    def close(self) -> None: ...


Job = Callable[[Opened], Iterator[None]]  # reads on, a batch at a time


class ReadAhead(threading.Thread):
    """Ends when all is read, or when it is told to."""

    def __init__(self, open_beside: Callable[[], Opened | None], jobs: Sequence[Job]) -> None:
        super().__init__(name="seasoned-read-ahead", daemon=True)
        self._open, self._jobs = open_beside, jobs
        self._stopped = threading.Event()
        self.start()

    def stop(self) -> None:
        self._stopped.set()

    def run(self) -> None:
        try:
            opened = self._open()
            if opened is not None:
                with closing(opened):
                    self._work(opened)
        except Exception as error:  # noqa: BLE001 - each search reads what it needs by itself
            log.info("nothing is read ahead any more: %s", error)

    def _work(self, opened: Opened) -> None:
        for job in self._jobs:
            began = time.monotonic()
            for _ in job(opened):
                if self._stopped.wait(RESTS * (time.monotonic() - began)):
                    return
                began = time.monotonic()
