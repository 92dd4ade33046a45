"""Reads the vectors of a mirror before they are asked for, aside, in a process that stays.

A search compares hundreds of vectors; read one by one when first needed, they are most of its
time. In the order of their keys, a million are read in seconds, mostly spent resting.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, Protocol

from seasoned.db.vector_mirror import VectorMirror

log = logging.getLogger("seasoned.db")

AT_ONCE = 2_000  # keys: a search that comes meanwhile waits as long as these take to be taken in
RESTS = 1  # as long as a batch took: whoever works here has the rest of the time
TRIES = 3  # at a batch that was changed while it was read; it is read when asked for, then


class Opened(Protocol):
    """A connection of its own to the same database."""

    def execute(self, sql: str, params: Sequence[Any] = (), /) -> Any: ...
    def close(self) -> None: ...


class ReadAhead(threading.Thread):
    """Ends when all is read, or when it is told to."""

    def __init__(
        self,
        open_beside: Callable[[], Opened | None],
        sql: str,
        mirror: VectorMirror,
        space: int,
        turn: threading.RLock,
    ) -> None:
        super().__init__(name="seasoned-read-ahead", daemon=True)
        self._open, self._sql, self._space = open_beside, sql, space
        self._mirror, self._turn = mirror, turn  # it is touched only in one's turn
        self._stopped = threading.Event()
        self.start()

    def stop(self) -> None:
        self._stopped.set()

    def run(self) -> None:
        try:
            opened = self._open()
            if opened is not None:
                with closing(opened):
                    self._read(opened)
        except Exception as error:  # noqa: BLE001 - each search reads what it needs by itself
            log.info("vectors are not read ahead any more: %s", error)

    def _read(self, opened: Opened) -> None:
        for start in range(0, self._mirror.size, AT_ONCE):
            began = time.monotonic()
            for _ in range(TRIES):
                version = self._mirror.version
                keys = (self._space, start, start + AT_ONCE)
                rows: list[tuple[int, bytes]] = opened.execute(self._sql, keys).fetchall()
                with self._turn:
                    if self._mirror.version == version:
                        self._mirror.remember(rows)
                        break
            if self._stopped.wait(RESTS * (time.monotonic() - began)):
                return
