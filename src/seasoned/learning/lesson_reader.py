"""Reads the lessons: by id, by what they are about, by where the indexes found them."""

import re
from collections.abc import Sequence
from typing import Any

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.words import AT_ONCE
from seasoned.learning.lesson import (
    Evidence,
    Lesson,
)
from seasoned.learning.lesson_rows import COLUMNS, DETAILED, DETAILS, REACHES, SELECT, lesson_from

ID_START = re.compile(r"[0-9a-z]{3,12}")


class LessonReader:
    """Reads `lessons` and what hangs on them."""

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
            f"ORDER BY -l.created_at, l.id DESC LIMIT ?) newest_{kind}"
            for kind in ("rule", "preference")
        )
        rows = await tx.fetch(
            f"{SELECT} WHERE l.id IN ({newest}) ORDER BY -l.created_at, l.id DESC LIMIT ?",
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

    async def is_missing_some(self, tx: Connection) -> bool:
        """Whether a lesson that may be recalled is in no index."""
        row = await tx.fetch_one(
            "SELECT 1 FROM lessons WHERE key < 0 AND status IN ('candidate', 'active') LIMIT 1"
        )
        return row is not None


def _priority(lesson: Lesson) -> tuple[bool, float, int]:
    return (not lesson.explicit, -lesson.confidence, -lesson.updated_at)
