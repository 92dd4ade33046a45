"""Lessons are stored, indexed, audited and published, on both databases."""

import json
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import pytest

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.events import LessonChanged, LessonLearned
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.unit import Change
from seasoned.lessons.lesson import Belief, Draft, Evidence, Lesson
from seasoned.lessons.lesson_store import LessonStore

T = TypeVar("T")


def write(db: Database, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
    async def done() -> T:
        async with db.write() as tx:
            return await work(tx)

    return db.run(done())


def draft(content: str, *, trigger: str = "when it rains", scope: Scope | None = None) -> Draft:
    said = Evidence(1, "told", 9, 1)
    return Draft(
        kind="rule",
        status="active",
        scope=scope or Scope(),
        trigger=trigger,
        content=content,
        belief=Belief(9, 1),
        source="user",
        evidence=(said,),
    )


def add(db: Database, one: Draft) -> tuple[Lesson, bool]:
    return write(db, lambda tx: LessonStore(db).add(Change(tx, 5), one))


def test_a_lesson_comes_back_as_it_was_stored(db: Database) -> None:
    lesson, is_new = add(db, draft("Take an umbrella.", scope=Scope("t", "p", "u", "s")))
    assert is_new
    assert lesson.scope == Scope("t", "p", "u", "s")
    assert (lesson.content, lesson.confidence, lesson.trust) == ("Take an umbrella.", 0.9, "user")
    assert write(db, lambda tx: LessonStore(db).get(tx, lesson.id, Caller(lesson.scope))) == lesson


def test_the_same_lesson_is_stored_once_per_scope(db: Database) -> None:
    first, _ = add(db, draft("Take an umbrella."))
    second, is_new = add(db, draft("Take an umbrella."))
    other, other_is_new = add(db, draft("Take an umbrella.", scope=Scope(user="ana")))
    assert (second.id, is_new) == (first.id, False)
    assert other_is_new
    assert other.id != first.id


def test_an_id_may_be_shortened_while_it_is_unique(db: Database) -> None:
    lesson, _ = add(db, draft("one"))
    get = LessonStore(db).get
    assert write(db, lambda tx: get(tx, lesson.id[:6], Caller(Scope()))).id == lesson.id
    for wrong in ("zzzzzz", "", "a", "%", lesson.id + "0"):
        with pytest.raises(NotFound):
            write(db, partial(get, name=wrong, caller=Caller(Scope())))


def test_an_ambiguous_id_is_refused(db: Database) -> None:
    async def both(tx: Connection) -> None:
        for number in (1, 2):
            lesson, _ = await LessonStore(db).add(Change(tx, 5), draft(f"lesson {number}"))
            for table in ("evidence", "lesson_versions"):
                await tx.execute(f"DELETE FROM {table} WHERE lesson_id = ?", (lesson.id,))
            await tx.execute(
                "UPDATE lessons SET id = ? WHERE id = ?", (f"abcd0000000{number}", lesson.id)
            )

    write(db, both)
    with pytest.raises(BadInput, match="several lessons"):
        write(db, lambda tx: LessonStore(db).get(tx, "abcd", Caller(Scope())))
    assert (
        write(db, lambda tx: LessonStore(db).get(tx, "abcd00000001", Caller(Scope()))).content
        == "lesson 1"
    )


def test_a_step_that_a_lesson_may_not_take_is_refused(db: Database) -> None:
    lesson, _ = add(db, draft("one"))
    move = LessonStore(db).move
    retired = write(db, lambda tx: move(Change(tx, 6), lesson, "retired", None))
    with pytest.raises(BadInput, match="retired and cannot become candidate"):
        write(db, lambda tx: move(Change(tx, 7), retired, "candidate", None))


def rows_of(db: Database, lesson: Lesson) -> list[int]:
    """Count the rows of this lesson in each index."""

    async def counted(tx: Connection) -> list[int]:
        row = await tx.fetch_one("SELECT key FROM lessons WHERE id = ?", (lesson.id,))
        key = row[0] if row else -1
        wheres = ("lessons_text WHERE rowid", "lesson_vectors WHERE key")
        return [len(await tx.fetch(f"SELECT 1 FROM {where} = ?", (key,))) for where in wheres]

    return write(db, counted)


def test_only_what_may_be_recalled_is_indexed(db: Database) -> None:
    store = LessonStore(db)
    lesson, _ = add(db, draft("umbrella"))
    assert rows_of(db, lesson) == [1, 1]
    retired = write(db, lambda tx: store.move(Change(tx, 6), lesson, "retired", None))
    assert rows_of(db, lesson) == [0, 0]
    write(db, lambda tx: store.move(Change(tx, 7), retired, "active", None))
    assert rows_of(db, lesson) == [1, 1]


def test_a_removed_lesson_leaves_no_row_behind(db: Database) -> None:
    store = LessonStore(db)
    lesson, _ = add(db, draft("umbrella"))
    write(db, lambda tx: store.remove(Change(tx, 6), lesson, None))
    for table in ("lessons", "lessons_text", "lesson_vectors", "evidence", "lesson_versions"):
        assert write(db, lambda tx, t=table: tx.fetch(f"SELECT 1 FROM {t}")) == []


def test_every_change_of_a_lesson_is_audited_and_published(db: Database) -> None:
    store = LessonStore(db)

    async def life(tx: Connection) -> Change:
        change = Change(tx, 5)
        lesson, _ = await store.add(change, draft("Take an umbrella."))
        lesson = await store.believe(change, lesson, Evidence(5, "it rained", 1, 0), "active")
        lesson = await store.reword(change, lesson, "rain", "Take a coat.", None, "edited")
        lesson = await store.move(change, lesson, "suspended", "switched off")
        await store.remove(change, lesson, "deleted")
        return change

    change = write(db, life)
    kinds = [entry.kind.removeprefix("lesson.") for entry in change.entries]
    assert kinds == ["learned", "changed", "changed", "changed", "forgotten"]
    reasons = [json.loads(entry.detail).get("reason", "") for entry in change.entries]
    assert reasons == ["", "it rained", "edited", "switched off", "deleted"]
    assert [type(event) for event in change.events] == [LessonLearned, *[LessonChanged] * 4]


def test_a_change_without_a_reason_is_left_to_the_caller(db: Database) -> None:
    store = LessonStore(db)
    lesson, _ = add(db, draft("Take an umbrella."))

    async def moved(tx: Connection) -> Change:
        change = Change(tx, 6)
        await store.move(change, lesson, "suspended", None)
        return change

    change = write(db, moved)
    assert (change.entries, change.events) == ([], [])
