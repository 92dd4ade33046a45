"""Read lessons: by id, by subject, by the keys that an index found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from seasoned.core.authority import Caller, Trust, contains
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import visible
from seasoned.db.search.index import KEYS_AT_ONCE
from seasoned.lessons.lesson import (
    EXPLICIT,
    Belief,
    Evidence,
    ExampleDetail,
    FixDetail,
    Guard,
    Kind,
    Lesson,
    RuleDetail,
    Source,
    Status,
    Verdict,
)

COLUMNS = (
    "l.id, l.kind, l.status, l.tenant, l.project, l.user_id, l.session, l.trigger, l.content, "
    "l.worked, l.failed, l.source, l.trust, l.created_at, l.updated_at, l.times_given, "
    "l.last_given_at, l.superseded_by, f.tool, f.error_id, f.change, f.waits, "
    "l.verdict"
)
# Details of rules and examples, which queries for fixes alone leave out.
DETAILS = (
    "r.rule_type, r.poison, r.fewshot_user, r.fewshot_assistant, r.guard_kind, r.guard, "
    "r.provisional_of, r.source_exchange, x.polarity, x.request, x.reply, x.note, x.rule_id"
)
DETAILED = (
    "lessons l LEFT JOIN lesson_fixes f ON f.lesson_id = l.id "
    "LEFT JOIN lesson_rules r ON r.lesson_id = l.id "
    "LEFT JOIN lesson_examples x ON x.lesson_id = l.id"
)
SELECT = f"SELECT {COLUMNS}, {DETAILS} FROM {DETAILED}"
REACHES = (
    "l.tenant IN ('', ?) AND l.project IN ('', ?) AND l.user_id IN ('', ?) AND l.session IN ('', ?)"
)


# Fixes of named tools that are given to agents.
FIXES = "lessons l JOIN lesson_fixes f ON f.lesson_id = l.id"
HOLDS = (
    "l.kind = 'fix' AND l.status = 'active' AND f.tool <> '' AND l.verdict <> 'harms' "
    f"AND {REACHES} AND l.worked >= ? * (l.worked + l.failed)"
)
NEWEST = "l.created_at DESC, l.id"
SAYS = "(lower(l.content) LIKE ? ESCAPE '!' OR lower(l.trigger) LIKE ? ESCAPE '!')"
MOST_VERSIONS = 200


@dataclass(frozen=True, slots=True)
class LessonVersion:
    """The words of a lesson since some time; the audit names them by their digest, `words`."""

    at: int
    trigger: str
    content: str
    words: str


@dataclass(frozen=True, slots=True)
class NewLesson:
    """When a lesson was stored, and the trigger and tool of a taught fix."""

    at: int
    id: str
    trigger: str
    tool: str


def lesson_from(row: Row) -> Lesson:
    fix = FixDetail(*row[18:22]) if row[18] is not None else None
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
        verdict=cast("Verdict", row[22]),
        rule=_rule_from(row[23:31]),
        example=ExampleDetail(*row[31:36]) if len(row) > 31 and row[31] is not None else None,
    )


def _rule_from(row: Row) -> RuleDetail | None:
    if not row or row[0] is None:
        return None
    kind, poison, user, assistant, guard_kind, guard, provisional_of, exchange = row
    guarded = Guard(guard_kind, guard) if guard_kind else None
    return RuleDetail(kind, poison, user, assistant, guarded, provisional_of, exchange)


ID_START = re.compile(r"[0-9a-z]{3,12}")


class LessonReader:
    """Reads `lessons` with their details and evidence."""

    async def get(self, tx: Connection, name: str, caller: Caller) -> Lesson:
        """Return the lesson with this id, or this unique prefix of one, that the caller sees."""
        if ID_START.fullmatch(name):
            seen, values = visible(caller, "l.")
            rows = await tx.fetch(
                f"{SELECT} WHERE l.id >= ? AND l.id < ? AND {seen} ORDER BY l.id LIMIT 2",
                (name, name + "~", *values),
            )
            if len(rows) == 1 or (rows and rows[0][0] == name):
                return lesson_from(rows[0])
            if rows:
                raise BadInput(f"several lessons have an id that starts with {name!r}; give more")
        raise NotFound(f"no lesson {name!r}; `seasoned lessons list` shows those there are")

    async def to_change(self, tx: Connection, name: str, caller: Caller) -> Lesson:
        """Return a lesson for a change by hand; raise `NotAllowed` if it is not the caller's."""
        lesson = await self.get(tx, name, caller)
        caller.require("change", lesson.scope, f"{lesson.kind} {lesson.id}")
        return lesson

    async def id_of(self, tx: Connection, name: str, scope: Scope) -> str | None:
        """Return the id of the lesson that this names; None if it cannot be an id."""
        if not ID_START.fullmatch(name):
            return None
        return (await self.get(tx, name, Caller(scope))).id

    async def find(self, tx: Connection, lesson_id: str) -> Lesson | None:
        """Return the lesson with exactly this id, if it exists."""
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
        text: str | None = None,
        limit: int = 50,
        after: Place | None = None,
    ) -> Sequence[Lesson]:
        """List the newest lessons that reach this scope, without document passages.

        `text` must stand in the trigger or the content.
        """
        later, place = following(NEWEST, after)
        wanted = [REACHES, "l.source <> 'document'", later]
        params: list[Any] = [*scope.fields(), *place]
        if text:
            wanted.append(SAYS)
            params += [containing(text)] * 2
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
            f"{SELECT} WHERE {' AND '.join(wanted)} ORDER BY {NEWEST} LIMIT ?",
            (*params, limit),
        )
        return [lesson_from(row) for row in rows]

    async def examples_after(
        self, tx: Connection, scope: Scope, after: str, limit: int
    ) -> Sequence[Lesson]:
        """Return the next examples of exactly this tenant and project that belong to no rule."""
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
        """Return rules and preferences without a trigger, in a stable order.

        In a session they include the rules that its own corrections taught. If there are more than
        `most`, the latest win.
        """
        # One query per kind, in the order of its index, so that nothing else is read.
        newest = " UNION ALL ".join(
            "SELECT id FROM (SELECT l.id FROM lessons l "
            f"WHERE l.trigger = '' AND l.kind = '{kind}' AND l.status = 'active' "
            f"AND l.verdict <> 'harms' AND {REACHES} AND l.worked >= ? * (l.worked + l.failed) "
            f"ORDER BY -l.created_at, l.id DESC LIMIT ?) newest_{kind}"
            for kind in ("rule", "preference")
        )
        params = (*scope.fields(), least, most) * 2
        if scope.session:
            newest += (
                " UNION ALL SELECT l.id FROM corrections c JOIN lessons l ON l.id = c.lesson_id "
                "WHERE c.holds = 1 AND c.session = ? AND c.tenant = ? AND c.project = ? "
                "AND c.user_id = ? AND l.status = 'active' AND l.verdict <> 'harms' "
                f"AND {REACHES} AND l.worked >= ? * (l.worked + l.failed)"
            )
            own = (scope.session, scope.tenant, scope.project, scope.user)
            params = (*params, *own, *scope.fields(), least)
        rows = await tx.fetch(
            f"{SELECT} WHERE l.id IN ({newest}) ORDER BY -l.created_at, l.id DESC LIMIT ?",
            (*params, most),
        )
        return [lesson_from(row) for row in reversed(rows)]

    async def fixes_of(self, tx: Connection, error_ids: Sequence[str]) -> Sequence[Lesson]:
        """Return every fix of these errors, of any status: taught ones first, then the best."""
        marks = ", ".join("?" for _ in error_ids)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM lesson_fixes f JOIN lessons l ON l.id = f.lesson_id "
            f"WHERE f.error_id IN ({marks})",
            error_ids,
        )
        return sorted((lesson_from(row) for row in rows), key=_priority)

    async def taught_since(self, tx: Connection, since: int) -> Sequence[NewLesson]:
        """Return every lesson stored since, with its trigger if it is a fix that was taught."""
        rows = await tx.fetch(
            "SELECT l.created_at, l.id, CASE WHEN l.source IN ('operator', 'user') AND f.tool "
            "IS NOT NULL THEN l.trigger ELSE '' END, COALESCE(f.tool, '') FROM lessons l "
            "LEFT JOIN lesson_fixes f ON f.lesson_id = l.id WHERE l.created_at >= ?",
            (since,),
        )
        return [NewLesson(*row) for row in rows]

    async def fixes_of_similar(
        self, tx: Connection, error_id: str
    ) -> Sequence[tuple[Lesson, float]]:
        """Return the fixes of similar errors with their similarity, best first."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS}, s.similarity FROM similar_errors s "
            "JOIN lesson_fixes f ON f.error_id = s.other_id JOIN lessons l ON l.id = f.lesson_id "
            "WHERE s.error_id = ?",
            (error_id,),
        )
        found = [(lesson_from(row[:-1]), float(row[-1])) for row in rows]
        return sorted(found, key=lambda pair: (-pair[1], _priority(pair[0])))

    async def active_fixes(
        self, tx: Connection, scope: Scope, least: float, most: int
    ) -> Sequence[tuple[Lesson, int]]:
        """Return the active fixes of named tools, and how often each error occurred.

        Of each tool only the `most` important ones: what people taught, then what is believed and
        often needed.
        """
        taught = ", ".join(f"'{one}'" for one in sorted(EXPLICIT))
        ranked = (
            "SELECT l.id, e.seen, row_number() OVER (PARTITION BY f.tool ORDER BY "
            f"CASE WHEN l.source IN ({taught}) THEN 0 ELSE 1 END, "
            "CASE WHEN l.worked > 0 THEN l.worked * (1 + e.seen) / (l.worked + l.failed) "
            "ELSE 0 END DESC, l.updated_at DESC) AS place "
            f"FROM {FIXES} JOIN errors e ON e.id = f.error_id WHERE {HOLDS}"
        )
        rows = await tx.fetch(
            f"SELECT {COLUMNS}, ranked.seen FROM ({ranked}) AS ranked "
            "JOIN lessons l ON l.id = ranked.id JOIN lesson_fixes f ON f.lesson_id = l.id "
            "WHERE ranked.place <= ?",
            (*scope.fields(), least, most),
        )
        return [(lesson_from(row[:-1]), int(row[-1])) for row in rows]

    async def still_active(
        self, tx: Connection, scope: Scope, least: float, ids: Sequence[str]
    ) -> set[str]:
        """Return those of these fixes that are active, as `active_fixes` means it."""
        found: set[str] = set()
        for start in range(0, len(ids), KEYS_AT_ONCE):
            some = ids[start : start + KEYS_AT_ONCE]
            marks = ", ".join("?" for _ in some)
            rows = await tx.fetch(
                f"SELECT l.id FROM {FIXES} WHERE {HOLDS} AND l.id IN ({marks})",
                (*scope.fields(), least, *some),
            )
            found.update(row[0] for row in rows)
        return found

    async def by_keys(self, tx: Connection, keys: Sequence[int], scope: Scope) -> dict[int, Lesson]:
        """Return the lessons with these index keys that reach this scope."""
        found: dict[int, Lesson] = {}
        for some in (
            keys[start : start + KEYS_AT_ONCE] for start in range(0, len(keys), KEYS_AT_ONCE)
        ):
            marks = ", ".join("?" for _ in some)
            rows = await tx.fetch(
                f"SELECT {COLUMNS}, {DETAILS}, l.key FROM {DETAILED} "
                f"WHERE l.key IN ({marks}) AND {REACHES}",
                (*some, *scope.fields()),
            )
            found.update({row[-1]: lesson_from(row[:-1]) for row in rows})
        return found

    async def balance(self, tx: Connection, lesson_id: str, session: str) -> float:
        """Return what a session has said for a lesson, less what it has said against it."""
        row = await tx.fetch_one(
            "SELECT coalesce(sum(worked - failed), 0) FROM evidence "
            "WHERE lesson_id = ? AND session = ?",
            (lesson_id, session),
        )
        return float(row[0]) if row else 0.0

    async def with_keys(self, tx: Connection, keys: Sequence[int]) -> Sequence[Lesson]:
        """Return the lessons with these index keys, whomever they reach."""
        some = keys[:KEYS_AT_ONCE]
        if not some:
            return []
        marks = ", ".join("?" for _ in some)
        rows = await tx.fetch(f"{SELECT} WHERE l.key IN ({marks}) ORDER BY l.created_at", some)
        return [lesson_from(row) for row in rows]

    async def evidence(self, tx: Connection, lesson_id: str) -> Sequence[Evidence]:
        rows = await tx.fetch(
            "SELECT at, reason, worked, failed, session, quote FROM evidence "
            "WHERE lesson_id = ? ORDER BY at LIMIT 200",
            (lesson_id,),
        )
        return [Evidence(*row) for row in rows]

    async def evidence_for(
        self, tx: Connection, lesson: Lesson, caller: Caller
    ) -> Sequence[Evidence]:
        """Return the evidence; whose session and words it was only to who acts for all of them."""
        found = await self.evidence(tx, lesson.id)
        if contains(caller.realm, lesson.scope.within("")):
            return found
        return [replace(one, session="", quote="") for one in found]

    async def versions(self, tx: Connection, lesson_id: str) -> Sequence[LessonVersion]:
        """Return the words that a lesson had, the first ones first."""
        rows = await tx.fetch(
            "SELECT at, trigger, content, words FROM lesson_versions WHERE lesson_id = ? "
            "ORDER BY at, words LIMIT ?",
            (lesson_id, MOST_VERSIONS),
        )
        return [LessonVersion(*row) for row in rows]

    async def count(self, tx: Connection, scope: Scope) -> dict[str, dict[str, int]]:
        """Count the lessons that reach this scope by kind and status."""
        rows = await tx.fetch(
            f"SELECT kind, status, count(*) FROM lessons l WHERE {REACHES} GROUP BY kind, status",
            scope.fields(),
        )
        counts: dict[str, dict[str, int]] = {}
        for kind, status, many in rows:
            counts.setdefault(kind, {})[status] = many
        return counts

    async def scopes(self, tx: Connection, tenant: str) -> Sequence[Scope]:
        """Return the projects and users that this tenant has lessons for."""
        rows = await tx.fetch(
            "SELECT DISTINCT project, user_id FROM lesson_groups WHERE tenant = ?", (tenant,)
        )
        return [Scope(tenant, project, user) for project, user in rows]

    async def is_missing_some(self, tx: Connection) -> bool:
        """Tell whether a usable lesson is missing from the index."""
        row = await tx.fetch_one(
            "SELECT 1 FROM lessons WHERE key < 0 AND status IN ('candidate', 'active') LIMIT 1"
        )
        return row is not None


def containing(text: str) -> str:
    """Return the pattern of LIKE for texts that contain this one, in any case; `!` escapes.

    >>> containing("100%_OK")
    '%100!%!_ok%'
    """
    escaped = text.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"


def _priority(lesson: Lesson) -> tuple[bool, float, int]:
    return (not lesson.explicit, -lesson.confidence, -lesson.updated_at)


class RuleReader:
    """Reads rules and preferences by their details."""

    async def list(
        self,
        tx: Connection,
        scope: Scope,
        *,
        rule_type: str | None = None,
        status: str | None = None,
        provisional: bool = False,
        text: str | None = None,
        limit: int = 50,
        after: Place | None = None,
    ) -> Sequence[Lesson]:
        """List rules and preferences that reach this scope, the newest first."""
        later, place = following(NEWEST, after)
        wanted = [
            "l.kind IN ('rule', 'preference') AND l.tenant IN ('', ?) AND l.project IN ('', ?) "
            "AND l.user_id IN ('', ?) AND l.source <> 'document' AND l.content <> ''",
            later,
        ]
        params: list[Any] = [scope.tenant, scope.project, scope.user, *place]
        if rule_type is not None:
            wanted.append("coalesce(r.rule_type, 'preference') = ?")
            params.append(rule_type)
        if status is not None:
            wanted.append("l.status = ?")
            params.append(status)
        if not provisional:
            wanted.append("r.provisional_of IS NULL")
        if text:
            wanted.append(SAYS)
            params += [containing(text)] * 2
        rows = await tx.fetch(
            f"{SELECT} WHERE {' AND '.join(wanted)} ORDER BY {NEWEST} LIMIT ?",
            (*params, limit),
        )
        return [lesson_from(row) for row in rows]

    async def with_guard(self, tx: Connection, scope: Scope) -> Sequence[Lesson]:
        """Return the active rules with a guard, which replies are checked against."""
        rows = await tx.fetch(
            f"{SELECT} WHERE r.guard_kind IS NOT NULL AND l.status = 'active' AND {REACHES} "
            "ORDER BY l.created_at, l.id",
            scope.fields(),
        )
        return [lesson_from(row) for row in rows]

    async def expired_provisional(self, tx: Connection, before: int) -> Sequence[Lesson]:
        """Return old provisional rules whose corrections have been analysed."""
        rows = await tx.fetch(
            f"{SELECT} WHERE r.provisional_of IN (SELECT id FROM corrections) "
            "AND l.created_at < ? LIMIT 500",
            (before,),
        )
        return [lesson_from(row) for row in rows]

    async def examples(self, tx: Connection, rule_id: str) -> Sequence[Lesson]:
        """Return the examples that belong to a rule."""
        rows = await tx.fetch(f"{SELECT} WHERE x.rule_id = ?", (rule_id,))
        return [lesson_from(row) for row in rows]

    async def superseded_by(self, tx: Connection, lesson_id: str) -> Sequence[Lesson]:
        """Return the lessons that one superseded; examples follow their rule."""
        rows = await tx.fetch(
            f"{SELECT} WHERE l.superseded_by = ? AND l.status = 'superseded' AND l.kind <> "
            "'example' ORDER BY l.created_at, l.id",
            (lesson_id,),
        )
        return [lesson_from(row) for row in rows]

    async def provisional(self, tx: Connection, correction: str) -> Sequence[Lesson]:
        """Return the provisional rules of a correction."""
        rows = await tx.fetch(f"{SELECT} WHERE r.provisional_of = ?", (correction,))
        return [lesson_from(row) for row in rows]
