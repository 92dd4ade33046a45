"""Erase the words of a lesson wherever they are stored."""

from seasoned.core.ids import new_id
from seasoned.db.unit import Change
from seasoned.lessons.index import LessonIndex
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.reader import LessonReader


async def erase_words(change: Change, lesson: Lesson, index: LessonIndex) -> None:
    await index.take_out(change, lesson.id)
    await change.send("DELETE FROM lesson_versions WHERE lesson_id = ?", (lesson.id,))
    if lesson.explicit:
        await change.send("UPDATE lessons SET fingerprint = ? WHERE id = ?", (new_id(), lesson.id))
    await change.send("DELETE FROM evidence WHERE lesson_id = ?", (lesson.id,))
    await change.send(
        "UPDATE lesson_fixes SET change = NULL, waits = '' WHERE lesson_id = ?", (lesson.id,)
    )
    await change.send(
        "UPDATE lesson_rules SET poison = NULL, fewshot_user = NULL, fewshot_assistant = NULL, "
        "guard = NULL, guard_kind = NULL, source_exchange = NULL WHERE lesson_id = ?",
        (lesson.id,),
    )
    await change.send(
        "UPDATE lesson_examples SET request = '', reply = '', note = '' WHERE lesson_id = ?",
        (lesson.id,),
    )
    await change.send(
        "UPDATE corrections SET message = '', body = '' WHERE lesson_id = ?", (lesson.id,)
    )
    await _erase_from_neighbours(change, lesson.id, index)
    await change.send(
        "UPDATE lessons SET trigger = '', content = '', status = 'retired', updated_at = ? "
        "WHERE id = ?",
        (change.at, lesson.id),
    )


async def _erase_from_neighbours(change: Change, lesson_id: str, index: LessonIndex) -> None:
    """Re-index the neighbours of a passage, which are found by its words too."""
    rows = await change.fetch(
        "SELECT o.lesson_id FROM lesson_passages p JOIN lesson_passages o "
        "ON o.document_id = p.document_id AND o.place BETWEEN p.place - 2 AND p.place + 2 "
        "WHERE p.lesson_id = ?",
        (lesson_id,),
    )
    for (name,) in rows:
        await change.send(
            "UPDATE lesson_passages SET near = '', far = '' WHERE lesson_id = ?", (name,)
        )
        neighbour = await LessonReader().find(change, name)
        if neighbour is not None and name != lesson_id:
            await index.take_out(change, name)
            await index.put(change, neighbour)
