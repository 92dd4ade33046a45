"""Store lessons, audit every change to them and publish it.

One table holds everything that was learned.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from seasoned.changes.repair import Repair
from seasoned.core.errors import BadInput, Changed, DatabaseConflict
from seasoned.core.events import LessonChanged, LessonLearned
from seasoned.core.ids import digest, new_id, number
from seasoned.core.scope import Scope
from seasoned.core.text import without_hidden
from seasoned.db.database import Connection, Database
from seasoned.db.unit import Change
from seasoned.graph.graph_store import GraphStore
from seasoned.graph.triple import fix_node
from seasoned.lessons.erasure import erase_words
from seasoned.lessons.index import LessonIndex
from seasoned.lessons.lesson import (
    TRANSITIONS,
    TRUST,
    Belief,
    Draft,
    Evidence,
    Lesson,
    RuleDetail,
    Status,
)
from seasoned.lessons.reader import SELECT, LessonReader, RuleReader, lesson_from
from seasoned.lessons.uses import UseStore


def fingerprint_of(draft: Draft) -> str:
    return digest(draft.kind, *draft.scope.fields(), draft.trigger, draft.identity or draft.content)


class LessonStore(LessonReader):
    """Owns `lessons`, `lesson_fixes`, `lesson_rules`, `lesson_examples` and `evidence`.

    Methods that change a lesson also audit and publish the change. A reason of None means that the
    caller records it as part of a larger change.
    """

    def __init__(self, db: Database) -> None:
        self.db = db
        self.graph = GraphStore(db)
        self.rules = RuleReader()
        self.uses = UseStore()
        self.index = LessonIndex(db)
        self.vectors = self.index.vectors
        self.words = self.index.words

    async def add(self, change: Change, draft: Draft) -> tuple[Lesson, bool]:
        """Store a lesson unless it exists; return it, and whether it is new."""
        trigger, content = map(without_hidden, (draft.trigger, draft.content))
        draft = replace(draft, trigger=trigger, content=content)
        name, fingerprint, now = draft.id or new_id(), fingerprint_of(draft), change.at
        added = await change.execute(
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
            row = await change.fetch_one(f"{SELECT} WHERE l.fingerprint = ?", (fingerprint,))
            assert row is not None, "the insert conflicted with it"
            return lesson_from(row), False
        if draft.fix is not None:
            await change.send(
                "INSERT INTO lesson_fixes (lesson_id, tool, error_id, change, waits) "
                "VALUES (?, ?, ?, ?, ?)",
                (
                    *(name, draft.fix.tool, draft.fix.error_id, draft.fix.change),
                    draft.fix.waits,
                ),
            )
        await self._detail(change, name, draft)
        for evidence in draft.evidence:
            await self.witness(change, name, evidence)
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
        await self.index.put(change, lesson, draft.near, draft.far)
        await self._keep(change, lesson)
        record_learned(change, lesson)
        return lesson, True

    async def _detail(self, tx: Connection, name: str, draft: Draft) -> None:
        if draft.rule is not None:
            await self.put_rule(tx, name, draft.rule)
        if draft.example is not None:
            shown = draft.example
            await tx.send(
                "INSERT INTO lesson_examples (lesson_id, polarity, request, reply, note, rule_id) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (name, shown.polarity, shown.request, shown.reply, shown.note, shown.rule),
            )

    async def put_rule(self, tx: Connection, lesson_id: str, rule: RuleDetail) -> None:
        """Store or replace the details of a rule."""
        guard = (rule.guard.kind, rule.guard.value) if rule.guard else (None, None)
        await tx.execute(
            "INSERT INTO lesson_rules (lesson_id, rule_type, poison, fewshot_user, "
            "fewshot_assistant, guard_kind, guard, provisional_of, source_exchange) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (lesson_id) DO UPDATE SET "
            "rule_type = excluded.rule_type, poison = excluded.poison, "
            "fewshot_user = excluded.fewshot_user, "
            "fewshot_assistant = excluded.fewshot_assistant, "
            "guard_kind = excluded.guard_kind, guard = excluded.guard, "
            "source_exchange = excluded.source_exchange",
            (
                *(lesson_id, rule.type, rule.poison, rule.fewshot_user, rule.fewshot_assistant),
                *(*guard, rule.provisional_of, rule.source_exchange),
            ),
        )

    async def hold(self, change: Change, lesson: Lesson) -> Lesson:
        """Lock a lesson until the transaction ends; return it with its counts as they are."""
        row = await change.fetch_one(
            "UPDATE lessons SET updated_at = updated_at WHERE id = ? RETURNING worked, failed",
            (lesson.id,),
        )
        if row is None:
            raise DatabaseConflict(f"lesson {lesson.id} was removed meanwhile; try again")
        return replace(lesson, belief=Belief(row[0], row[1]))

    async def expect(self, change: Change, lesson: Lesson, version: str | None) -> None:
        """Raise `Changed` unless a lesson is still as somebody saw it; None expects nothing."""
        if version is None:
            return
        await self.hold(change, lesson)  # nobody changes it between the look and the change
        fresh = await self.find(change, lesson.id)
        if fresh is None or fresh.version != version:
            raise Changed(f"{lesson.kind} {lesson.id} was changed meanwhile; read it again")

    async def believe(
        self, change: Change, lesson: Lesson, evidence: Evidence, status: Status
    ) -> Lesson:
        """Add evidence for or against a lesson, and set the status that follows."""
        changed = await self.weigh(change, lesson, evidence, status)
        await self.witness(change, lesson.id, evidence)
        return changed

    async def weigh(
        self, change: Change, lesson: Lesson, evidence: Evidence, status: Status
    ) -> Lesson:
        """Add to the counts alone; the caller stores the evidence."""
        # Add to the counts instead of setting them, because another process may have added too;
        # and leave a status that an operator has changed meanwhile.
        row = await change.fetch_one(
            "UPDATE lessons SET worked = worked + ?, failed = failed + ?, updated_at = ?, "
            "graphed = 0, status = CASE WHEN status = ? THEN ? ELSE status END "
            "WHERE id = ? RETURNING worked, failed, status",
            (evidence.worked, evidence.failed, change.at, lesson.status, status, lesson.id),
        )
        if row is None:
            raise DatabaseConflict(f"lesson {lesson.id} was removed meanwhile; try again")
        belief = Belief(row[0], row[1])
        changed = replace(lesson, belief=belief, status=row[2], updated_at=change.at)
        if changed.status != lesson.status:
            await self.index.follow(change, changed)
        record_changed(change, lesson, changed, evidence.reason)
        return changed

    async def reword(
        self,
        change: Change,
        lesson: Lesson,
        trigger: str,
        content: str,
        repair: str | None,
        reason: str | None,
    ) -> Lesson:
        """Change the words of a lesson, for example when a fix is generalised."""
        fix = replace(lesson.fix, change=repair) if lesson.fix else None
        now = change.at
        await change.send(
            "UPDATE lessons SET trigger = ?, content = ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (trigger, content, now, lesson.id),
        )
        if fix is not None:
            # Another repair is another thing to word: a model reads it again.
            await change.send(
                "UPDATE lesson_fixes SET distilled = CASE WHEN change = ? THEN distilled ELSE '' "
                "END, change = ? WHERE lesson_id = ?",
                (repair, repair, lesson.id),
            )
        changed = replace(lesson, trigger=trigger, content=content, fix=fix, updated_at=now)
        await self.reindex(change, changed)
        if reason is not None:
            record_changed(change, lesson, changed, reason)
        return changed

    async def reindex(self, change: Change, lesson: Lesson) -> None:
        """Index a lesson anew and keep its words, after a change made elsewhere."""
        await self.index.take_out(change, lesson.id)
        await self.index.put(change, lesson)
        await self._keep(change, lesson)

    async def resettle(self, change: Change, lesson: Lesson, draft: Draft) -> Lesson:
        """Move a passage under another heading or beside other passages."""
        now = change.at
        await change.send(
            "UPDATE lessons SET trigger = ?, fingerprint = ?, updated_at = ? WHERE id = ?",
            (draft.trigger, fingerprint_of(draft), now, lesson.id),
        )
        moved = replace(lesson, trigger=draft.trigger, updated_at=now)
        await self.index.take_out(change, lesson.id)
        await self.index.put(change, moved, draft.near, draft.far)
        await self._keep(change, moved)
        confidence = lesson.confidence
        change.tell(
            LessonChanged(now, lesson.id, confidence, confidence, "it moved in its document")
        )
        return moved

    async def absorb(self, change: Change, lesson: Lesson, twin: Lesson, prior: Evidence) -> Lesson:
        """Merge a twin into a fix: its evidence moves over, except for the prior."""
        await change.send(
            "DELETE FROM evidence WHERE lesson_id = ? AND reason = ?", (twin.id, prior.reason)
        )
        await change.send(
            "UPDATE evidence SET lesson_id = ? WHERE lesson_id = ?", (lesson.id, twin.id)
        )
        worked, failed = twin.belief.worked - prior.worked, twin.belief.failed - prior.failed
        await change.send(
            "UPDATE lessons SET worked = worked + ?, failed = failed + ?, "
            "times_given = times_given + ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (worked, failed, twin.times_given, change.at, lesson.id),
        )
        for column in ("lesson_id", "hint"):
            await change.send(
                f"UPDATE episodes SET {column} = ? WHERE {column} = ?", (lesson.id, twin.id)
            )
        await self._delete(change, twin)
        await self.graph.merge(change, lesson.scope, fix_node(twin.id), fix_node(lesson.id))
        joined = await self.find(change, lesson.id)
        assert joined is not None, "its row was updated in this transaction"
        record_changed(change, lesson, joined, f"became one with {twin.id}")
        record_forgotten(change, twin, f"became one with {lesson.id}")
        return joined

    async def move(
        self, change: Change, lesson: Lesson, status: Status, reason: str | None
    ) -> Lesson:
        """Change the status of a lesson, if the transition is allowed."""
        if status == lesson.status:
            return lesson
        if status not in TRANSITIONS[lesson.status]:
            raise BadInput(f"lesson {lesson.id} is {lesson.status} and cannot become {status}")
        await change.send(
            "UPDATE lessons SET status = ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (status, change.at, lesson.id),
        )
        moved = replace(lesson, status=status, updated_at=change.at)
        await self.index.follow(change, moved)
        if reason is not None:
            record_changed(change, lesson, moved, reason)
        return moved

    async def supersede(
        self, change: Change, lesson: Lesson, by: str | None, reason: str | None
    ) -> Lesson:
        """Replace a lesson by a later one and link them; with `by` None, reinstate it.

        The examples of a rule follow it.
        """
        status: Status = "superseded" if by else "active"
        changed = await self.move(change, lesson, status, None)
        await self.move_examples(change, lesson.id, status)
        await change.send(
            "UPDATE lessons SET superseded_by = ?, graphed = 0 WHERE id = ?", (by, lesson.id)
        )
        changed = replace(changed, superseded_by=by)
        if reason is not None:
            record_changed(change, lesson, changed, reason)
        return changed

    async def move_examples(self, change: Change, rule_id: str, status: Status) -> None:
        """Let the examples of a rule share its status."""
        for example in await self.rules.examples(change, rule_id):
            if status in TRANSITIONS[example.status]:
                await self.move(change, example, status, None)

    async def remove_examples(self, change: Change, rule_id: str) -> None:
        """Delete the examples of a rule that is deleted."""
        for example in await self.rules.examples(change, rule_id):
            await self.remove(change, example, None)

    async def give(self, tx: Connection, times: Mapping[tuple[str, Scope], int], now: int) -> None:
        """Count how often these lessons were given to an agent, and in which sessions."""
        for (name, _), often in times.items():
            await tx.send(
                "UPDATE lessons SET times_given = times_given + ?, last_given_at = ? WHERE id = ?",
                (often, now, name),
            )
        await self.uses.add(tx, times, now)

    async def remove(self, change: Change, lesson: Lesson, reason: str | None) -> None:
        """Delete a lesson with everything that belongs to it."""
        await self._delete(change, lesson)
        if lesson.fix is not None:
            await self.graph.drop(change, lesson.scope, fix_node(lesson.id))
        if reason is not None:
            record_forgotten(change, lesson, reason)

    async def clear(self, tx: Connection, tenant: str) -> None:
        """Delete all lessons of a tenant without a trace, for one that is nobody's."""
        rows = await tx.fetch(f"{SELECT} WHERE l.tenant = ?", (tenant,))
        for row in rows:
            await self._delete(tx, lesson_from(row))

    async def _delete(self, tx: Connection, lesson: Lesson) -> None:
        await self.index.take_out(tx, lesson.id)
        await tx.send("DELETE FROM lessons WHERE id = ?", (lesson.id,))

    async def erase(self, change: Change, lesson: Lesson, reason: str | None) -> None:
        """Delete every word of a lesson; only the fact that it was forgotten remains.

        A taught lesson may be taught again; an inferred one does not come back by itself.
        """
        await erase_words(change, lesson, self.index)
        if lesson.fix is not None:
            await self.graph.drop(change, lesson.scope, fix_node(lesson.id))
        else:
            await self.graph.remove(change, lesson.scope, source=drawn_from(lesson.id))
        if reason is not None:
            record_forgotten(change, lesson, reason)

    async def _keep(self, change: Change, lesson: Lesson) -> None:
        """Keep the present words, so that a change can be explained and undone."""
        await change.send(
            "INSERT INTO lesson_versions (lesson_id, words, trigger, content, change, at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (lesson_id, words) DO NOTHING",
            (
                *(lesson.id, lesson.words, lesson.trigger, lesson.content),
                *(lesson.fix.change if lesson.fix else None, change.at),
            ),
        )

    async def witness(self, tx: Connection, lesson_id: str, evidence: Evidence) -> None:
        """Store a piece of evidence; the caller has counted it."""
        await tx.send(
            "INSERT INTO evidence (lesson_id, at, reason, worked, failed, session, quote) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(lesson_id, evidence.at, evidence.reason, evidence.worked, evidence.failed),
                *(evidence.session, evidence.quote),
            ),
        )

    async def index_missing(self, tx: Connection, most: int) -> int:
        """Index the lessons that are in no index yet, as after an upgrade; return how many."""
        missing = "key < 0 AND status IN ('candidate', 'active')"
        # Locked, not only read: several processes may open the same old database at once.
        rows = await tx.fetch(
            f"UPDATE lessons SET updated_at = updated_at WHERE {missing} AND id IN "
            f"(SELECT id FROM lessons WHERE {missing} LIMIT ?) RETURNING id",
            (most,),
        )
        for (name,) in rows:
            lesson = await self.find(tx, name)
            assert lesson is not None, "the row is locked"
            await self.index.follow(tx, lesson)
        return len(rows)


def drawn_from(lesson_id: str) -> str:
    """Return the source under which the graph stores relations from a lesson."""
    return f"lesson:{lesson_id}"


def repair_of(lesson: Lesson) -> Repair | None:
    """Return the repair of a fix; None if it was taught in words."""
    if lesson.fix is None or lesson.fix.change is None:
        return None
    return Repair.from_json(json.loads(lesson.fix.change))


def record_learned(change: Change, lesson: Lesson) -> None:
    """Record a new lesson; the passages of a document are audited with their document."""
    if lesson.source != "document":
        change.record("lesson.learned", lesson.id, _state(lesson) | {"kind": lesson.kind})
    change.tell(LessonLearned(change.at, lesson.id, lesson.kind, lesson.scope))


def record_changed(change: Change, before: Lesson, after: Lesson, reason: str) -> None:
    detail = {"reason": reason, "before": _state(before), "after": _state(after)}
    change.record("lesson.changed", after.id, detail)
    change.tell(LessonChanged(change.at, after.id, before.confidence, after.confidence, reason))


def record_forgotten(change: Change, lesson: Lesson, reason: str) -> None:
    change.record("lesson.forgotten", lesson.id, {"reason": reason, "before": _state(lesson)})
    confidence = lesson.confidence
    change.tell(LessonChanged(change.at, lesson.id, confidence, confidence, reason))


def _state(lesson: Lesson) -> dict[str, Any]:
    """Return enough to explain a change and undo it.

    The words are only a digest, because an audit entry can never be erased and a lesson can;
    `lesson_versions` holds the words themselves.
    """
    return {
        "words": lesson.words,
        "status": lesson.status,
        "worked": lesson.belief.worked,
        "failed": lesson.belief.failed,
        "source": lesson.source,
        "scope": lesson.scope.fields(),
        "tool": lesson.fix.tool if lesson.fix else "",
        "error": lesson.fix.error_id if lesson.fix else "",
    }
