"""Keeps the lessons: the one table that everything learned stands in."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from seasoned.core.errors import BadInput, DatabaseConflict, NotFound
from seasoned.core.ids import digest, new_id, number
from seasoned.core.scope import Scope
from seasoned.core.similarity import words
from seasoned.db.database import Connection, Database, Row
from seasoned.learning.change import Change
from seasoned.learning.confidence import Belief
from seasoned.learning.lesson import (
    TRANSITIONS,
    TRUST,
    Draft,
    Evidence,
    FixDetail,
    Kind,
    Lesson,
    Source,
    Status,
    Trust,
)

COLUMNS = (
    "l.id, l.kind, l.status, l.tenant, l.project, l.user_id, l.session, l.trigger, l.content, "
    "l.worked, l.failed, l.source, l.trust, l.created_at, l.updated_at, l.times_given, "
    "l.last_given_at, l.superseded_by, f.tool, f.error_id, f.change"
)
SELECT = f"SELECT {COLUMNS} FROM lessons l LEFT JOIN lesson_fixes f ON f.lesson_id = l.id"
REACHES = (
    "l.tenant IN ('', ?) AND l.project IN ('', ?) AND l.user_id IN ('', ?) AND l.session IN ('', ?)"
)
ID_START = re.compile(r"[0-9a-z]{3,12}")


def lesson_from(row: Row) -> Lesson:
    fix = FixDetail(row[18], row[19], row[20]) if row[18] is not None else None
    return Lesson(
        id=row[0],
        kind=cast("Kind", row[1]),
        status=cast("Status", row[2]),
        scope=Scope(*row[3:7]),
        trigger=row[7],
        content=row[8],
        belief=Belief(row[9], row[10]),
        source=cast("Source", row[11]),
        trust=cast("Trust", row[12]),
        created_at=row[13],
        updated_at=row[14],
        times_given=row[15],
        last_given_at=row[16],
        superseded_by=row[17],
        fix=fix,
    )


def _priority(lesson: Lesson) -> tuple[bool, float, int]:
    return (not lesson.explicit, -lesson.confidence, -lesson.updated_at)


def fingerprint_of(draft: Draft) -> str:
    return digest(draft.kind, *draft.scope.fields(), draft.trigger, draft.identity or draft.content)


class LessonStore:
    """Owns `lessons`, `lesson_fixes`, `evidence` and the text index."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def add(self, tx: Connection, draft: Draft, now: int) -> tuple[Lesson, bool]:
        """Stores a lesson, unless it is there already; the lesson, and whether it is new."""
        name, fingerprint = new_id(), fingerprint_of(draft)
        added = await tx.execute(
            "INSERT INTO lessons (id, key, kind, status, tenant, project, user_id, session, "
            "trigger, content, worked, failed, source, trust, fingerprint, created_at, updated_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (fingerprint) DO NOTHING",
            (
                *(name, number(name), draft.kind, draft.status, *draft.scope.fields()),
                *(draft.trigger, draft.content, draft.belief.worked, draft.belief.failed),
                *(draft.source, TRUST[draft.source], fingerprint, now, now),
            ),
        )
        if not added:
            row = await tx.fetch_one(f"{SELECT} WHERE l.fingerprint = ?", (fingerprint,))
            assert row is not None, "a lesson that conflicts is there"
            return lesson_from(row), False
        if draft.fix is not None:
            await tx.execute(
                "INSERT INTO lesson_fixes (lesson_id, tool, error_id, change) VALUES (?, ?, ?, ?)",
                (name, draft.fix.tool, draft.fix.error_id, draft.fix.change),
            )
        await self._index(tx, name, draft.fix, draft.trigger, draft.content)
        for evidence in draft.evidence:
            await self._witness(tx, name, evidence)
        lesson = await self.get(tx, name, draft.scope)
        await self._keep(tx, lesson, now)
        return lesson, True

    async def get(self, tx: Connection, name: str, scope: Scope) -> Lesson:
        """The lesson with this id, or with the only id that starts so, if it is in scope."""
        if ID_START.fullmatch(name):
            rows = await tx.fetch(
                f"{SELECT} WHERE l.id >= ? AND l.id < ? AND l.tenant IN ('', ?) "
                "AND l.project IN ('', ?) AND l.user_id IN ('', ?) ORDER BY l.id LIMIT 2",
                (name, name + "~", scope.tenant, scope.project, scope.user),
            )
            if len(rows) == 1 or (rows and rows[0][0] == name):
                return lesson_from(rows[0])
            if rows:
                raise BadInput(f"several lessons have an id that starts with {name!r}; give more")
        raise NotFound(f"no lesson {name!r}; `seasoned learning history` shows those there are")

    async def find(self, tx: Connection, lesson_id: str) -> Lesson | None:
        """The lesson with exactly this id, if it is still there."""
        row = await tx.fetch_one(f"{SELECT} WHERE l.id = ?", (lesson_id,))
        return lesson_from(row) if row else None

    async def list(
        self,
        tx: Connection,
        scope: Scope,
        *,
        kind: str | None = None,
        status: str | None = None,
        tool: str | None = None,
        limit: int = 50,
    ) -> Sequence[Lesson]:
        """The newest lessons that reach this scope."""
        wanted = [REACHES]
        params: list[Any] = [*scope.fields()]
        for column, value in (("l.kind", kind), ("l.status", status), ("f.tool", tool)):
            if value is not None:
                wanted.append(f"{column} = ?")
                params.append(value)
        rows = await tx.fetch(
            f"{SELECT} WHERE {' AND '.join(wanted)} ORDER BY l.created_at DESC, l.id LIMIT ?",
            (*params, limit),
        )
        return [lesson_from(row) for row in rows]

    async def fixes_of(self, tx: Connection, error_ids: Sequence[str]) -> Sequence[Lesson]:
        """Every fix of these errors, whatever its status: those said outright, then the best."""
        marks = ", ".join("?" for _ in error_ids)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM lesson_fixes f JOIN lessons l ON l.id = f.lesson_id "
            f"WHERE f.error_id IN ({marks})",
            error_ids,
        )
        return sorted((lesson_from(row) for row in rows), key=_priority)

    async def fixes_of_similar(
        self, tx: Connection, error_id: str
    ) -> Sequence[tuple[Lesson, float]]:
        """The fixes of errors that say nearly the same, the likeliest first."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS}, s.similarity FROM similar_errors s "
            "JOIN lesson_fixes f ON f.error_id = s.other_id JOIN lessons l ON l.id = f.lesson_id "
            "WHERE s.error_id = ?",
            (error_id,),
        )
        found = [(lesson_from(row[:-1]), float(row[-1])) for row in rows]
        return sorted(found, key=lambda pair: (-pair[1], _priority(pair[0])))

    async def search(
        self,
        tx: Connection,
        query: Sequence[str],
        scope: Scope,
        *,
        limit: int = 20,
    ) -> Sequence[tuple[Lesson, float]]:
        """Usable lessons that share words with the query, with the text index's own score."""
        if not query:
            return []
        rows = await tx.fetch(
            f"SELECT {COLUMNS}, t.score FROM ({self.db.text_search('lessons_text')}) AS t "
            "JOIN lessons l ON l.key = t.rowid "
            "LEFT JOIN lesson_fixes f ON f.lesson_id = l.id "
            f"WHERE l.status IN ('candidate', 'active') AND {REACHES} "
            "ORDER BY t.score DESC LIMIT ?",
            (self.db.text_query(query), *scope.fields(), limit),
        )
        return [(lesson_from(row[:-1]), float(row[-1])) for row in rows]

    async def believe(
        self, tx: Connection, lesson: Lesson, evidence: Evidence, status: Status, now: int
    ) -> Lesson:
        """Adds evidence for or against; may move the lesson on in its life."""
        # Counts are added to, not set: another process may have added to them meanwhile.
        # Nor is a status set that an operator has taken away meanwhile.
        row = await tx.fetch_one(
            "UPDATE lessons SET worked = worked + ?, failed = failed + ?, updated_at = ?, "
            "status = CASE WHEN status = ? THEN ? ELSE status END "
            "WHERE id = ? RETURNING worked, failed, status",
            (evidence.worked, evidence.failed, now, lesson.status, status, lesson.id),
        )
        if row is None:
            raise DatabaseConflict(f"lesson {lesson.id} was removed meanwhile; try again")
        await self._witness(tx, lesson.id, evidence)
        return replace(lesson, belief=Belief(row[0], row[1]), status=row[2], updated_at=now)

    async def reword(
        self, tx: Connection, lesson: Lesson, trigger: str, content: str, change: str, now: int
    ) -> Lesson:
        """Gives a fix the more general form that its latest episode taught."""
        fix = replace(lesson.fix, change=change) if lesson.fix else None
        await tx.execute(
            "UPDATE lessons SET trigger = ?, content = ?, updated_at = ? WHERE id = ?",
            (trigger, content, now, lesson.id),
        )
        await tx.execute(
            "UPDATE lesson_fixes SET change = ? WHERE lesson_id = ?", (change, lesson.id)
        )
        await self._unindex(tx, lesson.id)
        await self._index(tx, lesson.id, fix, trigger, content)
        changed = replace(lesson, trigger=trigger, content=content, fix=fix, updated_at=now)
        await self._keep(tx, changed, now)
        return changed

    async def absorb(
        self, tx: Connection, lesson: Lesson, twin: Lesson, prior: Evidence, now: int
    ) -> Lesson:
        """Two fixes turned out to be one: the twin's evidence, but for its prior, moves over."""
        await tx.execute(
            "DELETE FROM evidence WHERE lesson_id = ? AND reason = ?", (twin.id, prior.reason)
        )
        await tx.execute(
            "UPDATE evidence SET lesson_id = ? WHERE lesson_id = ?", (lesson.id, twin.id)
        )
        worked, failed = twin.belief.worked - prior.worked, twin.belief.failed - prior.failed
        await tx.execute(
            "UPDATE lessons SET worked = worked + ?, failed = failed + ?, "
            "times_given = times_given + ?, updated_at = ? WHERE id = ?",
            (worked, failed, twin.times_given, now, lesson.id),
        )
        for column in ("lesson_id", "hint"):
            await tx.execute(
                f"UPDATE episodes SET {column} = ? WHERE {column} = ?", (lesson.id, twin.id)
            )
        await self.remove(tx, twin)
        return await self.get(tx, lesson.id, lesson.scope)

    async def move(self, tx: Connection, lesson: Lesson, status: Status, now: int) -> Lesson:
        """Takes a lesson to another status, if that is a step it may take."""
        if status == lesson.status:
            return lesson
        if status not in TRANSITIONS[lesson.status]:
            raise BadInput(f"lesson {lesson.id} is {lesson.status} and cannot become {status}")
        await tx.execute(
            "UPDATE lessons SET status = ?, updated_at = ? WHERE id = ?", (status, now, lesson.id)
        )
        return replace(lesson, status=status, updated_at=now)

    async def supersede(self, tx: Connection, lesson: Lesson, by: str | None, now: int) -> Lesson:
        """A later statement took its place; it stays, with a link to what replaced it.

        With `by` None it has been said again, and takes its place back.
        """
        changed = await self.move(tx, lesson, "superseded" if by else "active", now)
        await tx.execute("UPDATE lessons SET superseded_by = ? WHERE id = ?", (by, lesson.id))
        return replace(changed, superseded_by=by)

    async def give(self, tx: Connection, lesson_ids: Sequence[str], now: int) -> None:
        """Counts that these lessons were handed to an agent."""
        for name in lesson_ids:
            await tx.execute(
                "UPDATE lessons SET times_given = times_given + 1, last_given_at = ? WHERE id = ?",
                (now, name),
            )

    async def remove(self, tx: Connection, lesson: Lesson) -> None:
        """Deletes a lesson altogether, with all that hangs on it."""
        await self._unindex(tx, lesson.id)
        await tx.execute("DELETE FROM lessons WHERE id = ?", (lesson.id,))

    async def erase(self, tx: Connection, lesson: Lesson, now: int) -> None:
        """Takes every word of it away; what stays is that it was forgotten.

        What was told may be told anew; what was inferred does not come back by itself.
        """
        await self._unindex(tx, lesson.id)
        await tx.execute("DELETE FROM lesson_versions WHERE lesson_id = ?", (lesson.id,))
        if lesson.explicit:
            await tx.execute(
                "UPDATE lessons SET fingerprint = ? WHERE id = ?", (new_id(), lesson.id)
            )
        await tx.execute("DELETE FROM evidence WHERE lesson_id = ?", (lesson.id,))
        await tx.execute("UPDATE lesson_fixes SET change = NULL WHERE lesson_id = ?", (lesson.id,))
        await tx.execute(
            "UPDATE lessons SET trigger = '', content = '', status = 'retired', updated_at = ? "
            "WHERE id = ?",
            (now, lesson.id),
        )

    async def evidence(self, tx: Connection, lesson_id: str) -> Sequence[Evidence]:
        rows = await tx.fetch(
            "SELECT at, reason, worked, failed, session, quote FROM evidence "
            "WHERE lesson_id = ? ORDER BY at LIMIT 200",
            (lesson_id,),
        )
        return [Evidence(*row) for row in rows]

    async def count(self, tx: Connection, scope: Scope) -> dict[str, dict[str, int]]:
        """How many reach this scope, by kind and status."""
        rows = await tx.fetch(
            f"SELECT kind, status, count(*) FROM lessons l WHERE {REACHES} GROUP BY kind, status",
            scope.fields(),
        )
        counts: dict[str, dict[str, int]] = {}
        for kind, status, many in rows:
            counts.setdefault(kind, {})[status] = many
        return counts

    async def _keep(self, tx: Connection, lesson: Lesson, now: int) -> None:
        """Keeps what the lesson says now, so that a change can be explained and taken back."""
        await tx.execute(
            "INSERT INTO lesson_versions (lesson_id, words, trigger, content, change, at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (lesson_id, words) DO NOTHING",
            (
                *(lesson.id, lesson.words, lesson.trigger, lesson.content),
                *(lesson.fix.change if lesson.fix else None, now),
            ),
        )

    async def _witness(self, tx: Connection, lesson_id: str, evidence: Evidence) -> None:
        await tx.execute(
            "INSERT INTO evidence (lesson_id, at, reason, worked, failed, session, quote) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(lesson_id, evidence.at, evidence.reason, evidence.worked, evidence.failed),
                *(evidence.session, evidence.quote),
            ),
        )

    async def _index(
        self, tx: Connection, name: str, fix: FixDetail | None, trigger: str, content: str
    ) -> None:
        when = f"{fix.tool} {trigger}" if fix else trigger
        await tx.execute(
            "INSERT INTO lessons_text (rowid, trigger, content) VALUES (?, ?, ?)",
            (number(name), searchable(when), searchable(content)),
        )

    async def _unindex(self, tx: Connection, name: str) -> None:
        await tx.execute("DELETE FROM lessons_text WHERE rowid = ?", (number(name),))


def change_of(lesson: Lesson) -> Change | None:
    """What was different when it worked; None for a lesson that was told in words."""
    if lesson.fix is None or lesson.fix.change is None:
        return None
    return Change.from_json(json.loads(lesson.fix.change))


def searchable(text: str) -> str:
    """A text as the index should see it: the words that a query will be folded into too.

    >>> searchable("Viele Grüße!"), searchable("東京へ")
    ('viele grüsse', '東京 京へ')
    """
    return " ".join(words(text))
