"""Which fixes a model has still to word, and what follows from its answer."""

from collections.abc import Sequence
from dataclasses import replace

from seasoned.core.ids import digest
from seasoned.db.database import Connection
from seasoned.db.unit import Change
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.lessons.reader import SELECT, lesson_from

# Fixes that are given to agents, derived from episodes, and not read by a model in this form.
DUE = (
    "f.distilled = '' AND f.change IS NOT NULL AND l.kind = 'fix' AND l.status = 'active' "
    "AND l.source = 'episode'"
)


async def undistilled(tx: Connection, limit: int) -> Sequence[Lesson]:
    """Return fixes that a model has still to word; those of one scope stand together."""
    rows = await tx.fetch(
        f"{SELECT} WHERE {DUE} ORDER BY l.tenant, l.project, l.user_id, l.id LIMIT ?", (limit,)
    )
    return [lesson_from(row) for row in rows]


async def count_undistilled(tx: Connection, tenant: str, project: str) -> int:
    row = await tx.fetch_one(
        "SELECT count(*) FROM lesson_fixes f JOIN lessons l ON l.id = f.lesson_id "
        f"WHERE {DUE} AND l.tenant IN ('', ?) AND l.project IN ('', ?)",
        (tenant, project),
    )
    return int(row[0]) if row else 0


async def mark_distilled(store: LessonStore, change: Change, asked: Lesson) -> Lesson | None:
    """Note that a model has read a fix; return it as it is now.

    None if it has changed since the model was asked, or another worker was faster.
    """
    assert asked.fix is not None, "only fixes are distilled"
    assert asked.fix.change is not None, "only fixes with a repair are distilled"
    repair = asked.fix.change
    claimed = await change.execute(
        "UPDATE lesson_fixes SET distilled = ? "
        "WHERE lesson_id = ? AND change = ? AND distilled = '' AND EXISTS (SELECT 1 FROM lessons l "
        "WHERE l.id = lesson_id AND l.status = 'active' AND l.source = 'episode')",
        (digest(repair), asked.id, repair),
    )
    return await store.find(change, asked.id) if claimed else None


async def hold(
    store: LessonStore, change: Change, lesson: Lesson, waits: str, reason: str
) -> Lesson:
    """Keep a fix from agents until an operator accepts it; `waits` tells the operator why."""
    assert lesson.fix is not None, "only fixes wait"
    await change.send("UPDATE lesson_fixes SET waits = ? WHERE lesson_id = ?", (waits, lesson.id))
    held = replace(lesson, fix=replace(lesson.fix, waits=waits))
    return await store.move(change, held, "candidate", reason)
