"""Count which lessons were handed to agents: in memory at once, in the database later.

Recall only reads and must not wait for a writer. A killed process loses the counts of its last
seconds, but nothing that was learned.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence

from seasoned.core.clock import Clock
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.lesson_store import LessonStore

MOST_SESSIONS = 1000  # sessions whose last rules are remembered


class Handouts:
    def __init__(self, db: Database, lessons: LessonStore, clock: Clock) -> None:
        self.db = db
        self.lessons = lessons
        self.clock = clock
        self._turn = threading.Lock()
        self._times: Counter[tuple[str, Scope]] = Counter()
        self._rules: OrderedDict[Scope, Sequence[str]] = OrderedDict()

    def note(self, lessons: Sequence[Lesson], session: Scope) -> bool:
        """Count these lessons as given; tell whether there is anything to write."""
        learned = [lesson.id for lesson in lessons if lesson.source != "document"]
        self.count(learned, session)
        rules = [lesson.id for lesson in lessons if lesson.kind in ("rule", "preference")]
        with self._turn:
            self._rules[session] = rules
            self._rules.move_to_end(session)
            if len(self._rules) > MOST_SESSIONS:
                self._rules.popitem(last=False)
        return bool(learned)

    def count(self, lesson_ids: Sequence[str], session: Scope) -> None:
        """Count lessons as given once more in a session."""
        with self._turn:
            self._times.update((name, session) for name in lesson_ids)

    def rules(self, session: Scope) -> Sequence[str]:
        """Return the rules given last in a session, which a correction may blame."""
        return self._rules.get(session, ())

    def work(self, most: int) -> int:
        """Write up to `most` counts and return how many. Runs in the buffer's thread."""
        with self._turn:
            taken = dict(sorted(self._times.items(), key=_by_lesson)[:most])
            for name in taken:
                del self._times[name]
        try:
            self.db.run(transact(self.db, lambda tx: self._write(tx, taken)))
        except Exception:
            with self._turn:
                self._times.update(taken)
            raise
        return len(taken)

    async def _write(self, tx: Connection, times: dict[tuple[str, Scope], int]) -> None:
        if times:
            await self.lessons.give(tx, times, self.clock.now())


def _by_lesson(counted: tuple[tuple[str, Scope], int]) -> tuple[str, ...]:
    """Order rows as all writers do, so that two of them never wait for each other."""
    (lesson, scope), _ = counted
    return (lesson, *scope.fields())
