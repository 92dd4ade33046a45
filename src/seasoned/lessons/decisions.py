"""Take back an operator's decision: the lessons it changed become what they were.

What is kept has no words; those are in the lesson's versions, and go when the lesson is erased.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from seasoned.core.errors import BadInput, Changed, NotFound
from seasoned.db.connection import Connection
from seasoned.db.unit import Change
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.lesson_store import LessonStore, record_changed


@dataclass(frozen=True, slots=True)
class LessonState:
    """What a decision changed of a lesson.

    `worked` and `failed` are what it added to the belief, `after` the version that it made.
    """

    id: str
    status: str
    worked: float
    failed: float
    source: str
    trust: str
    superseded_by: str | None
    waits: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that can be taken back; `winner` is that of a conflict, before it was decided."""

    at: int
    lessons: Sequence[LessonState]
    winner: str | None = None


class DecisionStore:
    """Owns `decisions`: the last one on each lesson or conflict."""

    async def put(
        self, change: Change, name: str, states: Sequence[LessonState], winner: str | None = None
    ) -> None:
        body = json.dumps({"lessons": [asdict(one) for one in states], "winner": winner})
        await change.execute(
            "INSERT INTO decisions (id, at, before) VALUES (?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET at = excluded.at, before = excluded.before",
            (name, change.at, body),
        )

    async def take(self, tx: Connection, name: str) -> Decision:
        """Return the last decision on a thing, and forget it."""
        row = await tx.fetch_one("SELECT at, before FROM decisions WHERE id = ?", (name,))
        if row is None:
            raise NotFound(f"no decision on {name!r} can be taken back")
        await tx.execute("DELETE FROM decisions WHERE id = ?", (name,))
        body = cast("dict[str, Any]", json.loads(row[1]))
        return Decision(row[0], [LessonState(**one) for one in body["lessons"]], body["winner"])


async def with_examples(
    store: LessonStore, tx: Connection, lessons: Sequence[Lesson]
) -> list[Lesson]:
    """Return lessons with the examples that follow them."""
    found: list[Lesson] = []
    for lesson in lessons:
        found += [lesson, *await store.rules.examples(tx, lesson.id)]
    return found


async def decided(
    store: LessonStore, tx: Connection, before: Sequence[Lesson]
) -> Sequence[LessonState]:
    """Return what those of these lessons were that the decision changed."""
    states: list[LessonState] = []
    for lesson in before:
        now = await store.find(tx, lesson.id)
        if now is None or (now.version, now.belief) == (lesson.version, lesson.belief):
            continue
        states.append(
            LessonState(
                id=lesson.id,
                status=lesson.status,
                worked=now.belief.worked - lesson.belief.worked,
                failed=now.belief.failed - lesson.belief.failed,
                source=lesson.source,
                trust=lesson.trust,
                superseded_by=lesson.superseded_by,
                waits=lesson.fix.waits if lesson.fix else "",
                words=lesson.words,
                after=now.version,
            )
        )
    return states


async def restore(store: LessonStore, change: Change, state: LessonState, at: int) -> Lesson:
    """Make a lesson what it was before the decision of this time."""
    lesson = await store.find(change, state.id)
    if lesson is None or not lesson.content:
        raise BadInput(f"lesson {state.id} was erased or deleted meanwhile; it cannot come back")
    if lesson.version != state.after:
        raise Changed(f"{lesson.kind} {lesson.id} was changed since; change it back by hand")
    if lesson.words != state.words:
        lesson = await _with_words(store, change, lesson, state.words)
    await change.send(
        "DELETE FROM evidence WHERE lesson_id = ? AND at = ? AND session = '' AND quote = ''",
        (state.id, at),
    )
    await change.send(
        "UPDATE lessons SET status = ?, worked = worked - ?, failed = failed - ?, source = ?, "
        "trust = ?, "
        "superseded_by = ?, updated_at = ?, graphed = 0 WHERE id = ?",
        (
            *(state.status, state.worked, state.failed, state.source, state.trust),
            *(state.superseded_by, change.at, state.id),
        ),
    )
    await change.send(
        "UPDATE lesson_fixes SET waits = ? WHERE lesson_id = ?", (state.waits, state.id)
    )
    restored = await store.find(change, state.id)
    assert restored is not None, "its row was updated in this transaction"
    await store.index.follow(change, restored)
    record_changed(change, lesson, restored, "the operator took a decision back")
    return restored


async def _with_words(store: LessonStore, change: Change, lesson: Lesson, words: str) -> Lesson:
    row = await change.fetch_one(
        "SELECT trigger, content, change FROM lesson_versions WHERE lesson_id = ? AND words = ?",
        (lesson.id, words),
    )
    if row is None:
        raise BadInput(f"the former words of lesson {lesson.id} were erased; it cannot come back")
    trigger, content, repair = row
    return await store.reword(change, lesson, trigger, content, repair, None)
