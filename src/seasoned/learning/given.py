"""Counts which lessons were handed to agents: noted in memory at once, written a little later.

Recall only reads, and must not wait for a writer. What is lost when a process is killed is a
count of the last seconds, and nothing that was learned.
"""

import threading
from collections import Counter
from collections.abc import Iterable

from seasoned.core.clock import Clock
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.lessons import LessonStore


class Given:
    def __init__(self, db: Database, lessons: LessonStore, clock: Clock) -> None:
        self.db = db
        self.lessons = lessons
        self.clock = clock
        self._turn = threading.Lock()
        self._times: Counter[str] = Counter()

    def note(self, lesson_ids: Iterable[str]) -> bool:
        """Remembers that these were given; whether there was any."""
        with self._turn:
            before = self._times.total()
            self._times.update(lesson_ids)
            return self._times.total() > before

    def work(self, most: int) -> int:
        """Writes what was noted; how many lessons. Runs in the buffer's thread."""
        with self._turn:
            taken = dict(sorted(self._times.items())[:most])
            for name in taken:
                del self._times[name]
        try:
            self.db.run(transact(self.db, lambda tx: self._written(tx, taken)))
        except Exception:
            with self._turn:
                self._times.update(taken)
            raise
        return len(taken)

    async def _written(self, tx: Connection, times: dict[str, int]) -> None:
        if times:
            await self.lessons.give(tx, times, self.clock.now())
