"""Follow what operators write by SQL through the views: the indexes, the audit, the events.

The triggers of the views change the tables at once and leave a note in `lesson_edits`. Words are
stemmed in Python and the audit is chained here, so both follow when the notes are read: before the
next recall, in whichever process that is.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from seasoned.db.database import Row
from seasoned.db.unit import Change, Unit
from seasoned.lessons.lesson import Belief, Evidence, Lesson
from seasoned.lessons.lesson_store import LessonStore, record_changed, record_learned

BATCH = 500
ADDED, CHANGED, DELETED = "told by the operator, by SQL", "changed by SQL", "deleted by SQL"


class LessonEdits:
    """Owns `lesson_edits`."""

    def __init__(self, unit: Unit, lessons: LessonStore) -> None:
        self.unit = unit
        self.lessons = lessons

    async def follow(self) -> int:
        """Bring indexes and audit up to date; return how many edits there were."""
        done = 0
        while await self._has_some():
            done += await self.unit.change(self._follow_some)
        return done

    async def _has_some(self) -> bool:
        async with self.unit.read() as tx:
            return await tx.fetch_one("SELECT 1 FROM lesson_edits LIMIT 1") is not None

    async def _follow_some(self, change: Change) -> int:
        # Taken, not only read: another process may be about to follow the same edits.
        rows = await change.fetch(
            "DELETE FROM lesson_edits WHERE seq IN "
            "(SELECT seq FROM lesson_edits ORDER BY seq LIMIT ?) "
            "RETURNING lesson_id, key, deed, before, seq",
            (BATCH,),
        )
        for row in sorted(rows, key=lambda row: row[4]):
            await self._follow_one(change, row)
        return len(rows)

    async def _follow_one(self, change: Change, row: Row) -> None:
        name, key, deed, before, _ = row
        if deed == "deleted":
            await self.lessons.index.drop(change, key)
            await self.lessons.remove_examples(change, name)
            change.record("lesson.forgotten", name, {"reason": DELETED, "before": _known(before)})
            return
        lesson = await self.lessons.find(change, name)
        if lesson is None:
            return  # deleted since; that edit follows
        await self.lessons.reindex(change, lesson)
        await self.lessons.move_examples(change, name, lesson.status)
        if deed == "added":
            prior = lesson.belief
            told = Evidence(change.at, ADDED, prior.worked, prior.failed)
            await self.lessons.witness(change, name, told)
            record_learned(change, lesson)
        else:
            record_changed(change, _as_before(lesson, json.loads(before)), lesson, CHANGED)


def _as_before(lesson: Lesson, known: dict[str, Any]) -> Lesson:
    return replace(
        lesson,
        status=known["status"],
        trigger=known["trigger"],
        content=known["content"],
        belief=Belief(known["worked"], known["failed"]),
    )


def _known(before: str) -> dict[str, Any]:
    """Return what the audit may keep of a deleted lesson: no words."""
    kept: Sequence[str] = ("status", "worked", "failed")
    return {name: value for name, value in json.loads(before).items() if name in kept}
