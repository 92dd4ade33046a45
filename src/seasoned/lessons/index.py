"""Index lessons: by words at once, by meaning a little later."""

from seasoned.core.ids import number
from seasoned.core.words import IndexedText, stems
from seasoned.db.database import Connection, Database
from seasoned.lessons.lesson import (
    USABLE,
    Lesson,
)

# Columns that recall filters by inside its search.
FILTERS = ("tenant", "project", "user_id", "session", "kind", "status", "source")


class LessonIndex:
    """Owns the rows of both indexes, and `lessons.key`, which points at them."""

    def __init__(self, db: Database) -> None:
        self.vectors = db.vectors("lesson", FILTERS)
        self.words = db.words("lessons_text", self.vectors)

    async def put(self, tx: Connection, lesson: Lesson, near: str = "", far: str = "") -> None:
        """Index a lesson by its words; its vector follows."""
        if lesson.status not in USABLE:
            return
        when = f"{lesson.fix.tool} {lesson.trigger}" if lesson.fix else lesson.trigger
        text = IndexedText(*(searchable(part) for part in (when, lesson.content, near, far)))
        key = await self.vectors.add(tx, _filters(lesson), round(text.length))
        await self.words.add(tx, key, text)
        await tx.send("UPDATE lessons SET key = ? WHERE id = ?", (key, lesson.id))

    async def take_out(self, tx: Connection, name: str) -> None:
        """Remove a lesson from both indexes; its key is never used again."""
        # Locked, not only read: another process may be about to give it another key.
        row = await tx.fetch_one(
            "UPDATE lessons SET updated_at = updated_at WHERE id = ? RETURNING key", (name,)
        )
        if row is None or row[0] < 0:
            return
        await self.drop(tx, row[0])
        await tx.send("UPDATE lessons SET key = ? WHERE id = ?", (-number(name), name))

    async def drop(self, tx: Connection, key: int) -> None:
        """Remove a key from both indexes, if it is in them."""
        if key >= 0:
            await self.vectors.remove(tx, key)
            await self.words.remove(tx, key)

    async def follow(self, tx: Connection, lesson: Lesson) -> None:
        """Update the indexes after a change of status."""
        row = await tx.fetch_one("SELECT key FROM lessons WHERE id = ?", (lesson.id,))
        if lesson.status not in USABLE:
            await self.take_out(tx, lesson.id)
        elif row is not None and row[0] >= 0:
            await self.vectors.regroup(tx, row[0], _filters(lesson))
        else:
            beside = await tx.fetch_one(
                "SELECT near, far FROM lesson_passages WHERE lesson_id = ?", (lesson.id,)
            )
            await self.put(tx, lesson, *(beside or ("", "")))


def _filters(lesson: Lesson) -> tuple[str, ...]:
    return (*lesson.scope.fields(), lesson.kind, lesson.status, lesson.source)


def searchable(text: str) -> str:
    """Reduce a text to the stems that queries are reduced to as well.

    >>> searchable("Viele Grüße!"), searchable("東京へ"), searchable("Retried twice")
    ('viel grüsse', '東京 京へ', 'retri twice')
    """
    return " ".join(stems(text))
