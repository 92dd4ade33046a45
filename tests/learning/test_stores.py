"""The stores of learning on both databases."""

import json
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.learning.confidence import Belief
from seasoned.learning.error_store import ErrorStore, KnownError
from seasoned.learning.error_template import Groups
from seasoned.learning.lesson import Draft, Evidence, Lesson
from seasoned.learning.lessons import LessonStore

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
    return write(db, lambda tx: LessonStore(db).add(tx, one, 5))


def test_a_lesson_comes_back_as_it_was_stored(db: Database) -> None:
    lesson, is_new = add(db, draft("Take an umbrella.", scope=Scope("t", "p", "u", "s")))
    assert is_new
    assert lesson.scope == Scope("t", "p", "u", "s")
    assert (lesson.content, lesson.confidence, lesson.trust) == ("Take an umbrella.", 0.9, "user")
    assert write(db, lambda tx: LessonStore(db).get(tx, lesson.id, lesson.scope)) == lesson


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
    assert write(db, lambda tx: get(tx, lesson.id[:6], Scope())).id == lesson.id
    for wrong in ("zzzzzz", "", "a", "%", lesson.id + "0"):
        with pytest.raises(NotFound):
            write(db, partial(get, name=wrong, scope=Scope()))


def test_an_ambiguous_id_is_refused(db: Database) -> None:
    async def both(tx: Connection) -> None:
        for number in (1, 2):
            lesson, _ = await LessonStore(db).add(tx, draft(f"lesson {number}"), 5)
            for table in ("evidence", "lesson_versions"):
                await tx.execute(f"DELETE FROM {table} WHERE lesson_id = ?", (lesson.id,))
            await tx.execute(
                "UPDATE lessons SET id = ? WHERE id = ?", (f"abcd0000000{number}", lesson.id)
            )

    write(db, both)
    with pytest.raises(BadInput, match="several lessons"):
        write(db, lambda tx: LessonStore(db).get(tx, "abcd", Scope()))
    assert (
        write(db, lambda tx: LessonStore(db).get(tx, "abcd00000001", Scope())).content == "lesson 1"
    )


def test_a_step_that_a_lesson_may_not_take_is_refused(db: Database) -> None:
    lesson, _ = add(db, draft("one"))
    move = LessonStore(db).move
    retired = write(db, lambda tx: move(tx, lesson, "retired", 6))
    with pytest.raises(BadInput, match="retired and cannot become candidate"):
        write(db, lambda tx: move(tx, retired, "candidate", 7))


def rows_of(db: Database, lesson: Lesson) -> list[int]:
    """How many rows of each index are about this lesson."""

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
    retired = write(db, lambda tx: store.move(tx, lesson, "retired", 6))
    assert rows_of(db, lesson) == [0, 0]
    write(db, lambda tx: store.move(tx, retired, "active", 7))
    assert rows_of(db, lesson) == [1, 1]


def test_a_removed_lesson_leaves_no_row_behind(db: Database) -> None:
    store = LessonStore(db)
    lesson, _ = add(db, draft("umbrella"))
    write(db, lambda tx: store.remove(tx, lesson))
    for table in ("lessons", "lessons_text", "lesson_vectors", "evidence", "lesson_versions"):
        assert write(db, lambda tx, t=table: tx.fetch(f"SELECT 1 FROM {t}")) == []


def see(
    db: Database, message: str, *, tool: str = "shell", scope: Scope | None = None
) -> KnownError:
    store = ErrorStore(db)

    def seen(tx: Connection) -> Coroutine[Any, Any, KnownError]:
        return store.see(tx, scope or Scope(), tool, message, 5)

    return write(db, seen)


def test_occurrences_of_one_error_are_one_row(db: Database) -> None:
    first = see(db, "open /tmp/a.txt: no such file")
    second = see(db, "open /var/b.txt: no such file")
    assert (second.id, second.seen) == (first.id, 2)


def test_each_tool_and_project_has_its_own_errors(db: Database) -> None:
    ids = {
        see(db, "disk full").id,
        see(db, "disk full", tool="copy").id,
        see(db, "disk full", scope=Scope(project="web")).id,
    }
    assert len(ids) == 3


def test_an_error_knows_the_same_error_in_wider_scopes(db: Database) -> None:
    wide = see(db, "disk full", tool="")
    narrow = see(db, "disk full", scope=Scope("acme", "web"))
    assert narrow.wider == (wide.id,)


def test_names_that_keep_changing_become_one_error(db: Database) -> None:
    names = ("alice", "bobby", "carol", "david", "erika", "frank")
    seen = [see(db, f"Invalid user {name} from 10.0.0.7") for name in names]
    assert seen[-1].template.startswith("Invalid user <")
    again = see(db, "Invalid user alice from 10.0.0.8")
    assert again.id == seen[-1].id
    assert again.seen == len(names) + 1


def test_similar_errors_are_linked_where_one_may_help_the_other(db: Database) -> None:
    broad = see(db, "the remote host closed the connection early", tool="")
    close = see(db, "the remote host closed the connection", tool="curl")
    other = see(db, "the remote host closed the connection now", tool="psql")

    async def links(tx: Connection) -> set[tuple[str, str]]:
        rows = await tx.fetch("SELECT error_id, other_id FROM similar_errors")
        return {(row[0], row[1]) for row in rows}

    found = write(db, links)
    assert (close.id, broad.id) in found
    assert (broad.id, close.id) not in found
    assert (close.id, other.id) not in found


def test_the_store_groups_errors_as_the_evaluated_groups_do(db: Database) -> None:
    """`evals/error_patterns.py` measures `Groups`; the product uses the store."""
    vectors = Path(__file__).parent.parent / "vectors" / "error_patterns.json"
    errors: list[str] = [row["error"] for row in json.loads(vectors.read_text("utf-8"))]
    for number, name in enumerate(("alice", "bobby", "carol", "david", "erika", "frank")):
        errors += [
            f"Invalid user {name} from 10.0.0.{number}",
            f"worker w{number} took {number} seconds",
            f"no such table: {name}",
            f"disk {name} is full",
        ]
    groups = Groups()
    placed = [groups.add(error) for error in errors]
    for error in errors:
        see(db, error)
    stored = [see(db, error).id for error in errors]
    ours = [groups.current(group) for group in placed]
    same = [[a == b for b in stored] for a in stored]
    assert same == [[a == b for b in ours] for a in ours]
