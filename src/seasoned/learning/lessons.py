"""Keeps the lessons: the one table that everything learned stands in."""

import json
from collections.abc import Mapping
from dataclasses import replace

from seasoned.core.errors import BadInput, DatabaseConflict
from seasoned.core.ids import digest, new_id, number
from seasoned.db.database import Connection, Database
from seasoned.graph.nodes import fix_node
from seasoned.graph.store import GraphStore
from seasoned.learning.change import Change
from seasoned.learning.confidence import Belief
from seasoned.learning.lesson import (
    TRANSITIONS,
    TRUST,
    Draft,
    Evidence,
    Lesson,
    Status,
)
from seasoned.learning.lesson_index import LessonIndex
from seasoned.learning.lesson_reader import LessonReader
from seasoned.learning.lesson_rows import SELECT, lesson_from
from seasoned.learning.rule_store import RuleStore


def fingerprint_of(draft: Draft) -> str:
    return digest(draft.kind, *draft.scope.fields(), draft.trigger, draft.identity or draft.content)


class LessonStore(LessonReader):
    """Owns `lessons`, `lesson_fixes`, `lesson_examples`, `evidence`, and rows of the indexes."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.graph = GraphStore(db)
        self.rules = RuleStore()
        self.index = LessonIndex(db)
        self.vectors = self.index.vectors
        self.words = self.index.words

    async def add(self, tx: Connection, draft: Draft, now: int) -> tuple[Lesson, bool]:
        """Stores a lesson, unless it is there already; the lesson, and whether it is new."""
        name, fingerprint = new_id(), fingerprint_of(draft)
        added = await tx.execute(
            "INSERT INTO lessons (id, key, kind, status, tenant, project, user_id, session, "
            "trigger, content, worked, failed, source, trust, fingerprint, created_at, updated_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (fingerprint) DO NOTHING",
            (
                *(name, -number(name), draft.kind, draft.status, *draft.scope.fields()),
                *(draft.trigger, draft.content, draft.belief.worked, draft.belief.failed),
                *(draft.source, TRUST[draft.source], fingerprint, now, now),
            ),
        )
        if not added:
            row = await tx.fetch_one(f"{SELECT} WHERE l.fingerprint = ?", (fingerprint,))
            assert row is not None, "a lesson that conflicts is there"
            return lesson_from(row), False
        if draft.fix is not None:
            await tx.send(
                "INSERT INTO lesson_fixes (lesson_id, tool, error_id, change) VALUES (?, ?, ?, ?)",
                (name, draft.fix.tool, draft.fix.error_id, draft.fix.change),
            )
        await self._detail(tx, name, draft)
        for evidence in draft.evidence:
            await self._witness(tx, name, evidence)
        lesson = Lesson(
            id=name,
            kind=draft.kind,
            status=draft.status,
            scope=draft.scope,
            trigger=draft.trigger,
            content=draft.content,
            belief=draft.belief,
            source=draft.source,
            trust=TRUST[draft.source],
            created_at=now,
            updated_at=now,
            fix=draft.fix,
            rule=draft.rule,
            example=draft.example,
        )
        await self.index.put(tx, lesson, draft.near, draft.far)
        await self._keep(tx, lesson, now)
        return lesson, True

    async def _detail(self, tx: Connection, name: str, draft: Draft) -> None:
        if draft.rule is not None:
            await self.rules.put(tx, name, draft.rule)
        if draft.example is not None:
            shown = draft.example
            await tx.send(
                "INSERT INTO lesson_examples (lesson_id, polarity, request, reply, note, rule_id) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (name, shown.polarity, shown.request, shown.reply, shown.note, shown.rule),
            )

    async def believe(
        self, tx: Connection, lesson: Lesson, evidence: Evidence, status: Status, now: int
    ) -> Lesson:
        """Adds evidence for or against; may move the lesson on in its life."""
        changed = await self.weigh(tx, lesson, evidence, status, now)
        await self._witness(tx, lesson.id, evidence)
        return changed

    async def weigh(
        self, tx: Connection, lesson: Lesson, evidence: Evidence, status: Status, now: int
    ) -> Lesson:
        """Adds to the counts alone; the evidence itself is kept by the caller."""
        # Counts are added to, not set: another process may have added to them meanwhile.
        # Nor is a status set that an operator has taken away meanwhile.
        row = await tx.fetch_one(
            "UPDATE lessons SET worked = worked + ?, failed = failed + ?, updated_at = ?, "
            "graphed = 0, status = CASE WHEN status = ? THEN ? ELSE status END "
            "WHERE id = ? RETURNING worked, failed, status",
            (evidence.worked, evidence.failed, now, lesson.status, status, lesson.id),
        )
        if row is None:
            raise DatabaseConflict(f"lesson {lesson.id} was removed meanwhile; try again")
        changed = replace(lesson, belief=Belief(row[0], row[1]), status=row[2], updated_at=now)
        if changed.status != lesson.status:
            await self.index.follow(tx, changed)
        return changed

    async def reword(
        self,
        tx: Connection,
        lesson: Lesson,
        trigger: str,
        content: str,
        change: str | None,
        now: int,
    ) -> Lesson:
        """Says it anew: a fix in the more general form that its latest episode taught, say."""
        fix = replace(lesson.fix, change=change) if lesson.fix else None
        await tx.send(
            "UPDATE lessons SET trigger = ?, content = ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (trigger, content, now, lesson.id),
        )
        if fix is not None:
            await tx.send(
                "UPDATE lesson_fixes SET change = ? WHERE lesson_id = ?", (change, lesson.id)
            )
        changed = replace(lesson, trigger=trigger, content=content, fix=fix, updated_at=now)
        await self.index.take_out(tx, lesson.id)
        await self.index.put(tx, changed)
        await self._keep(tx, changed, now)
        return changed

    async def resettle(self, tx: Connection, lesson: Lesson, draft: Draft, now: int) -> Lesson:
        """Its words stand elsewhere now: under another heading, or beside other words."""
        await tx.send(
            "UPDATE lessons SET trigger = ?, fingerprint = ?, updated_at = ? WHERE id = ?",
            (draft.trigger, fingerprint_of(draft), now, lesson.id),
        )
        moved = replace(lesson, trigger=draft.trigger, updated_at=now)
        await self.index.take_out(tx, lesson.id)
        await self.index.put(tx, moved, draft.near, draft.far)
        await self._keep(tx, moved, now)
        return moved

    async def absorb(
        self, tx: Connection, lesson: Lesson, twin: Lesson, prior: Evidence, now: int
    ) -> Lesson:
        """Two fixes turned out to be one: the twin's evidence, but for its prior, moves over."""
        await tx.send(
            "DELETE FROM evidence WHERE lesson_id = ? AND reason = ?", (twin.id, prior.reason)
        )
        await tx.send("UPDATE evidence SET lesson_id = ? WHERE lesson_id = ?", (lesson.id, twin.id))
        worked, failed = twin.belief.worked - prior.worked, twin.belief.failed - prior.failed
        await tx.send(
            "UPDATE lessons SET worked = worked + ?, failed = failed + ?, "
            "times_given = times_given + ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (worked, failed, twin.times_given, now, lesson.id),
        )
        for column in ("lesson_id", "hint"):
            await tx.send(
                f"UPDATE episodes SET {column} = ? WHERE {column} = ?", (lesson.id, twin.id)
            )
        await self._delete(tx, twin)
        await self.graph.merge(tx, lesson.scope, fix_node(twin.id), fix_node(lesson.id))
        return await self.get(tx, lesson.id, lesson.scope)

    async def move(self, tx: Connection, lesson: Lesson, status: Status, now: int) -> Lesson:
        """Takes a lesson to another status, if that is a step it may take."""
        if status == lesson.status:
            return lesson
        if status not in TRANSITIONS[lesson.status]:
            raise BadInput(f"lesson {lesson.id} is {lesson.status} and cannot become {status}")
        await tx.send(
            "UPDATE lessons SET status = ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (status, now, lesson.id),
        )
        moved = replace(lesson, status=status, updated_at=now)
        await self.index.follow(tx, moved)
        return moved

    async def supersede(self, tx: Connection, lesson: Lesson, by: str | None, now: int) -> Lesson:
        """A later statement took its place; it stays, with a link to what replaced it.

        With `by` None it has been said again, and takes its place back.
        """
        status: Status = "superseded" if by else "active"
        changed = await self.move(tx, lesson, status, now)
        for example in await self.rules.examples(tx, lesson.id):
            if status in TRANSITIONS[example.status]:
                await self.move(tx, example, status, now)
        await tx.send(
            "UPDATE lessons SET superseded_by = ?, graphed = 0 WHERE id = ?", (by, lesson.id)
        )
        return replace(changed, superseded_by=by)

    async def give(self, tx: Connection, times: Mapping[str, int], now: int) -> None:
        """Counts how often these lessons were handed to an agent."""
        for name, often in times.items():
            await tx.send(
                "UPDATE lessons SET times_given = times_given + ?, last_given_at = ? WHERE id = ?",
                (often, now, name),
            )

    async def remove(self, tx: Connection, lesson: Lesson) -> None:
        """Deletes a lesson altogether, with all that hangs on it."""
        await self._delete(tx, lesson)
        if lesson.fix is not None:
            await self.graph.drop(tx, lesson.scope, fix_node(lesson.id))

    async def _delete(self, tx: Connection, lesson: Lesson) -> None:
        await self.index.take_out(tx, lesson.id)
        await tx.send("DELETE FROM lessons WHERE id = ?", (lesson.id,))

    async def erase(self, tx: Connection, lesson: Lesson, now: int) -> None:
        """Takes every word of it away; what stays is that it was forgotten.

        What was told may be told anew; what was inferred does not come back by itself.
        """
        await self.index.take_out(tx, lesson.id)
        await tx.send("DELETE FROM lesson_versions WHERE lesson_id = ?", (lesson.id,))
        if lesson.explicit:
            await tx.send("UPDATE lessons SET fingerprint = ? WHERE id = ?", (new_id(), lesson.id))
        await tx.send("DELETE FROM evidence WHERE lesson_id = ?", (lesson.id,))
        await tx.send("UPDATE lesson_fixes SET change = NULL WHERE lesson_id = ?", (lesson.id,))
        await tx.send(
            "UPDATE lesson_rules SET poison = NULL, fewshot_user = NULL, fewshot_assistant = NULL, "
            "guard = NULL, guard_kind = NULL WHERE lesson_id = ?",
            (lesson.id,),
        )
        await tx.send(
            "UPDATE lesson_examples SET request = '', reply = '', note = '' WHERE lesson_id = ?",
            (lesson.id,),
        )
        await tx.send(
            "UPDATE corrections SET message = '', body = '' WHERE lesson_id = ?", (lesson.id,)
        )
        await self._erase_beside(tx, lesson.id)
        await tx.send(
            "UPDATE lessons SET trigger = '', content = '', status = 'retired', updated_at = ? "
            "WHERE id = ?",
            (now, lesson.id),
        )
        if lesson.fix is not None:
            await self.graph.drop(tx, lesson.scope, fix_node(lesson.id))
        else:
            await self.graph.remove(tx, lesson.scope, source=drawn_from(lesson.id))

    async def _erase_beside(self, tx: Connection, lesson_id: str) -> None:
        """A passage's words help to find its neighbours: they are taken away there too."""
        rows = await tx.fetch(
            "SELECT o.lesson_id FROM lesson_passages p JOIN lesson_passages o "
            "ON o.document_id = p.document_id AND o.place BETWEEN p.place - 2 AND p.place + 2 "
            "WHERE p.lesson_id = ?",
            (lesson_id,),
        )
        for (name,) in rows:
            await tx.send(
                "UPDATE lesson_passages SET near = '', far = '' WHERE lesson_id = ?", (name,)
            )
            neighbour = await self.find(tx, name)
            if neighbour is not None and name != lesson_id:
                await self.index.take_out(tx, name)
                await self.index.put(tx, neighbour)

    async def _keep(self, tx: Connection, lesson: Lesson, now: int) -> None:
        """Keeps what the lesson says now, so that a change can be explained and taken back."""
        await tx.send(
            "INSERT INTO lesson_versions (lesson_id, words, trigger, content, change, at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (lesson_id, words) DO NOTHING",
            (
                *(lesson.id, lesson.words, lesson.trigger, lesson.content),
                *(lesson.fix.change if lesson.fix else None, now),
            ),
        )

    async def _witness(self, tx: Connection, lesson_id: str, evidence: Evidence) -> None:
        await tx.send(
            "INSERT INTO evidence (lesson_id, at, reason, worked, failed, session, quote) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(lesson_id, evidence.at, evidence.reason, evidence.worked, evidence.failed),
                *(evidence.session, evidence.quote),
            ),
        )

    async def index_missing(self, tx: Connection, most: int) -> int:
        """Indexes lessons that are in no index yet, as after an upgrade; how many there were."""
        missing = "key < 0 AND status IN ('candidate', 'active')"
        # Held, not only read: several processes may open the same old database at once.
        rows = await tx.fetch(
            f"UPDATE lessons SET updated_at = updated_at WHERE {missing} AND id IN "
            f"(SELECT id FROM lessons WHERE {missing} LIMIT ?) RETURNING id",
            (most,),
        )
        for (name,) in rows:
            lesson = await self.find(tx, name)
            assert lesson is not None, "a lesson that is held is there"
            await self.index.follow(tx, lesson)
        return len(rows)


def drawn_from(lesson_id: str) -> str:
    """What the graph names as the source of a relation that a lesson speaks of."""
    return f"lesson:{lesson_id}"


def change_of(lesson: Lesson) -> Change | None:
    """What was different when it worked; None for a lesson that was told in words."""
    if lesson.fix is None or lesson.fix.change is None:
        return None
    return Change.from_json(json.loads(lesson.fix.change))
