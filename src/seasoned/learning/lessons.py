"""Keeps the lessons: the one table that everything learned stands in."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from seasoned.core.bm25 import Indexed
from seasoned.core.errors import BadInput, DatabaseConflict, NotFound
from seasoned.core.ids import digest, new_id, number
from seasoned.core.scope import Scope
from seasoned.core.stems import stems
from seasoned.db.database import Connection, Database
from seasoned.db.words import AT_ONCE
from seasoned.graph.nodes import fix_node
from seasoned.graph.store import GraphStore
from seasoned.learning.change import Change
from seasoned.learning.confidence import Belief
from seasoned.learning.lesson import (
    TRANSITIONS,
    TRUST,
    USABLE,
    Draft,
    Evidence,
    Lesson,
    Status,
)
from seasoned.learning.lesson_rows import COLUMNS, DETAILED, DETAILS, REACHES, SELECT, lesson_from
from seasoned.learning.rule_store import RuleStore

# What recall filters by, inside its search.
FILTERS = ("tenant", "project", "user_id", "session", "kind", "status", "source")
ID_START = re.compile(r"[0-9a-z]{3,12}")


def _priority(lesson: Lesson) -> tuple[bool, float, int]:
    return (not lesson.explicit, -lesson.confidence, -lesson.updated_at)


def fingerprint_of(draft: Draft) -> str:
    return digest(draft.kind, *draft.scope.fields(), draft.trigger, draft.identity or draft.content)


class LessonStore:
    """Owns `lessons`, `lesson_fixes`, `lesson_examples`, `evidence`, and rows of the indexes."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.graph = GraphStore(db)
        self.rules = RuleStore()
        self.vectors = db.vectors("lesson", FILTERS)
        self.words = db.words("lessons_text", self.vectors)

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
            await tx.execute(
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
        await self._index(tx, lesson, draft.near, draft.far)
        await self._keep(tx, lesson, now)
        return lesson, True

    async def _detail(self, tx: Connection, name: str, draft: Draft) -> None:
        if draft.rule is not None:
            await self.rules.put(tx, name, draft.rule)
        if draft.example is not None:
            shown = draft.example
            await tx.execute(
                "INSERT INTO lesson_examples (lesson_id, polarity, request, reply, note, rule_id) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (name, shown.polarity, shown.request, shown.reply, shown.note, shown.rule),
            )

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
        polarity: str | None = None,
        limit: int = 50,
    ) -> Sequence[Lesson]:
        """The newest lessons that reach this scope; passages were read, not learned."""
        wanted = [REACHES, "l.source <> 'document'"]
        params: list[Any] = [*scope.fields()]
        filters = {
            "l.kind": kind,
            "l.status": status,
            "f.tool": tool,
            "x.polarity": polarity,
        }
        for column, value in filters.items():
            if value is not None:
                wanted.append(f"{column} = ?")
                params.append(value)
        rows = await tx.fetch(
            f"{SELECT} WHERE {' AND '.join(wanted)} ORDER BY l.created_at DESC, l.id LIMIT ?",
            (*params, limit),
        )
        return [lesson_from(row) for row in rows]

    async def examples_after(
        self, tx: Connection, scope: Scope, after: str, limit: int
    ) -> Sequence[Lesson]:
        """The next examples of this very tenant and project that stand for themselves, by id."""
        rows = await tx.fetch(
            f"{SELECT} WHERE x.lesson_id > ? AND x.rule_id IS NULL AND l.status = 'active' "
            "AND l.tenant = ? AND l.project = ? AND (? = '' OR l.user_id = ?) "
            "ORDER BY l.id LIMIT ?",
            (after, scope.tenant, scope.project, scope.user, scope.user, limit),
        )
        return [lesson_from(row) for row in rows]

    async def standing(
        self, tx: Connection, scope: Scope, least: float, most: int
    ) -> Sequence[Lesson]:
        """Rules and preferences tied to no situation, in an order that does not change.

        Of more than there is room for, the latest: a later statement wins.
        """
        # Each kind is asked for by itself, in the order of its index: nothing else is read.
        newest = " UNION ALL ".join(
            "SELECT id FROM (SELECT l.id FROM lessons l "
            f"WHERE l.trigger = '' AND l.kind = '{kind}' AND l.status = 'active' "
            f"AND l.verdict <> 'harms' AND {REACHES} AND l.worked >= ? * (l.worked + l.failed) "
            f"ORDER BY l.created_at DESC, l.id DESC LIMIT ?) newest_{kind}"
            for kind in ("rule", "preference")
        )
        rows = await tx.fetch(
            f"{SELECT} WHERE l.id IN ({newest}) ORDER BY l.created_at DESC, l.id DESC LIMIT ?",
            (*(*scope.fields(), least, most) * 2, most),
        )
        return [lesson_from(row) for row in reversed(rows)]

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

    async def by_keys(self, tx: Connection, keys: Sequence[int], scope: Scope) -> dict[int, Lesson]:
        """The lessons that stand under these keys of the index, if they reach this scope."""
        found: dict[int, Lesson] = {}
        for some in (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE)):
            marks = ", ".join("?" for _ in some)
            rows = await tx.fetch(
                f"SELECT {COLUMNS}, {DETAILS}, l.key FROM {DETAILED} "
                f"WHERE l.key IN ({marks}) AND {REACHES}",
                (*some, *scope.fields()),
            )
            found.update({row[-1]: lesson_from(row[:-1]) for row in rows})
        return found

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
            await self._reindex(tx, changed)
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
        await tx.execute(
            "UPDATE lessons SET trigger = ?, content = ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (trigger, content, now, lesson.id),
        )
        if fix is not None:
            await tx.execute(
                "UPDATE lesson_fixes SET change = ? WHERE lesson_id = ?", (change, lesson.id)
            )
        changed = replace(lesson, trigger=trigger, content=content, fix=fix, updated_at=now)
        await self._unindex(tx, lesson.id)
        await self._index(tx, changed)
        await self._keep(tx, changed, now)
        return changed

    async def resettle(self, tx: Connection, lesson: Lesson, draft: Draft, now: int) -> Lesson:
        """Its words stand elsewhere now: under another heading, or beside other words."""
        await tx.execute(
            "UPDATE lessons SET trigger = ?, fingerprint = ?, updated_at = ? WHERE id = ?",
            (draft.trigger, fingerprint_of(draft), now, lesson.id),
        )
        moved = replace(lesson, trigger=draft.trigger, updated_at=now)
        await self._unindex(tx, lesson.id)
        await self._index(tx, moved, draft.near, draft.far)
        await self._keep(tx, moved, now)
        return moved

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
            "times_given = times_given + ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (worked, failed, twin.times_given, now, lesson.id),
        )
        for column in ("lesson_id", "hint"):
            await tx.execute(
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
        await tx.execute(
            "UPDATE lessons SET status = ?, updated_at = ?, graphed = 0 WHERE id = ?",
            (status, now, lesson.id),
        )
        moved = replace(lesson, status=status, updated_at=now)
        await self._reindex(tx, moved)
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
        await tx.execute(
            "UPDATE lessons SET superseded_by = ?, graphed = 0 WHERE id = ?", (by, lesson.id)
        )
        return replace(changed, superseded_by=by)

    async def give(self, tx: Connection, times: Mapping[str, int], now: int) -> None:
        """Counts how often these lessons were handed to an agent."""
        for name, often in times.items():
            await tx.execute(
                "UPDATE lessons SET times_given = times_given + ?, last_given_at = ? WHERE id = ?",
                (often, now, name),
            )

    async def remove(self, tx: Connection, lesson: Lesson) -> None:
        """Deletes a lesson altogether, with all that hangs on it."""
        await self._delete(tx, lesson)
        if lesson.fix is not None:
            await self.graph.drop(tx, lesson.scope, fix_node(lesson.id))

    async def _delete(self, tx: Connection, lesson: Lesson) -> None:
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
            "UPDATE lesson_rules SET poison = NULL, fewshot_user = NULL, fewshot_assistant = NULL, "
            "guard = NULL, guard_kind = NULL WHERE lesson_id = ?",
            (lesson.id,),
        )
        await tx.execute(
            "UPDATE lesson_examples SET request = '', reply = '', note = '' WHERE lesson_id = ?",
            (lesson.id,),
        )
        await tx.execute(
            "UPDATE corrections SET message = '', body = '' WHERE lesson_id = ?", (lesson.id,)
        )
        await self._erase_beside(tx, lesson.id)
        await tx.execute(
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
            await tx.execute(
                "UPDATE lesson_passages SET near = '', far = '' WHERE lesson_id = ?", (name,)
            )
            neighbour = await self.find(tx, name)
            if neighbour is not None and name != lesson_id:
                await self._unindex(tx, name)
                await self._index(tx, neighbour)

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

    async def is_missing_some(self, tx: Connection) -> bool:
        """Whether a lesson that may be recalled is in no index."""
        row = await tx.fetch_one(
            "SELECT 1 FROM lessons WHERE key < 0 AND status IN ('candidate', 'active') LIMIT 1"
        )
        return row is not None

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
            await self._reindex(tx, lesson)
        return len(rows)

    async def _index(self, tx: Connection, lesson: Lesson, near: str = "", far: str = "") -> None:
        """Makes it findable: from now on by its words, a little later by its meaning."""
        if lesson.status not in USABLE:
            return
        when = f"{lesson.fix.tool} {lesson.trigger}" if lesson.fix else lesson.trigger
        text = Indexed(*(searchable(part) for part in (when, lesson.content, near, far)))
        key = await self.vectors.add(tx, _filters(lesson), round(text.length))
        await self.words.add(tx, key, text)
        await tx.execute("UPDATE lessons SET key = ? WHERE id = ?", (key, lesson.id))

    async def _unindex(self, tx: Connection, name: str) -> None:
        """Takes it out of every index; its key is never used again."""
        # Held, not only read: another process may be about to give it another key.
        row = await tx.fetch_one(
            "UPDATE lessons SET updated_at = updated_at WHERE id = ? RETURNING key", (name,)
        )
        if row is None or row[0] < 0:
            return
        await self.vectors.remove(tx, row[0])
        await self.words.remove(tx, row[0])
        await tx.execute("UPDATE lessons SET key = ? WHERE id = ?", (-number(name), name))

    async def _reindex(self, tx: Connection, lesson: Lesson) -> None:
        """Its status has changed: it is found under the new one, or not any more."""
        row = await tx.fetch_one("SELECT key FROM lessons WHERE id = ?", (lesson.id,))
        if lesson.status not in USABLE:
            await self._unindex(tx, lesson.id)
        elif row is not None and row[0] >= 0:
            await self.vectors.regroup(tx, row[0], _filters(lesson))
        else:
            beside = await tx.fetch_one(
                "SELECT near, far FROM lesson_passages WHERE lesson_id = ?", (lesson.id,)
            )
            await self._index(tx, lesson, *(beside or ("", "")))


def _filters(lesson: Lesson) -> tuple[str, ...]:
    return (*lesson.scope.fields(), lesson.kind, lesson.status, lesson.source)


def drawn_from(lesson_id: str) -> str:
    """What the graph names as the source of a relation that a lesson speaks of."""
    return f"lesson:{lesson_id}"


def change_of(lesson: Lesson) -> Change | None:
    """What was different when it worked; None for a lesson that was told in words."""
    if lesson.fix is None or lesson.fix.change is None:
        return None
    return Change.from_json(json.loads(lesson.fix.change))


def searchable(text: str) -> str:
    """A text as the index sees it: the stems that a query will be folded into too.

    >>> searchable("Viele Grüße!"), searchable("東京へ"), searchable("Retried twice")
    ('viel grüsse', '東京 京へ', 'retri twice')
    """
    return " ".join(stems(text))
