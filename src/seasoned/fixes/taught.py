"""Find the fixes that a person taught for words that stand in an error.

A failure is the hot path, so the triggers of all taught fixes are kept in memory. Each lookup asks
the database for what is new; everything else about a lesson, its status too, is read when it is
found.
"""

from seasoned.db.database import Connection
from seasoned.errors.trigger import TriggerIndex, trigger_of
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.lesson_store import LessonStore

MOST_FOUND = 5
RELOAD_AFTER = 200  # lookups; a lesson may be stored late, or by a clock that is behind


class TaughtFixes:
    def __init__(self, lessons: LessonStore) -> None:
        self.lessons = lessons
        self._begin()

    def _begin(self) -> None:
        self._index = TriggerIndex()
        self._tools: dict[str, str] = {}
        self._latest = 0
        self._lookups = 0

    async def matching(self, tx: Connection, tool: str, error: str) -> list[Lesson]:
        """Return the taught fixes whose trigger stands in the error, the most exact first."""
        await self._refresh(tx)
        if not self._tools:
            return []
        found = self._index.find(error)
        ids = [key for _, key in found if self._tools[key] in ("", tool)]
        ids.sort(key=lambda key: self._tools[key] == "")  # stable: of one tool before of any
        lessons = [await self.lessons.find(tx, key) for key in ids[:MOST_FOUND]]
        return [lesson for lesson in lessons if lesson is not None]

    async def _refresh(self, tx: Connection) -> None:
        if self._lookups >= RELOAD_AFTER:
            self._begin()
        self._lookups += 1
        for new in await self.lessons.taught_since(tx, self._latest):
            self._latest = max(self._latest, new.at)
            if new.trigger and new.id not in self._tools:
                trigger = trigger_of(new.trigger)
                if trigger is not None:
                    self._index.add(trigger, new.id)
                    self._tools[new.id] = new.tool
