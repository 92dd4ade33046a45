"""Keeps what a rule adds to a lesson, and finds rules by it."""

from collections.abc import Sequence
from typing import Any

from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.learning.lesson import Lesson, RuleDetail
from seasoned.learning.lesson_rows import REACHES, SELECT, lesson_from


class RuleStore:
    """Owns `lesson_rules`."""

    async def list(
        self,
        tx: Connection,
        scope: Scope,
        *,
        rule_type: str | None = None,
        status: str | None = None,
        provisional: bool = False,
        limit: int = 50,
    ) -> Sequence[Lesson]:
        """Rules and preferences that reach this scope, the newest first."""
        wanted = [
            "l.kind IN ('rule', 'preference') AND l.tenant IN ('', ?) AND l.project IN ('', ?) "
            "AND l.user_id IN ('', ?) AND l.source <> 'document' AND l.content <> ''"
        ]
        params: list[Any] = [scope.tenant, scope.project, scope.user]
        if rule_type is not None:
            wanted.append("coalesce(r.rule_type, 'preference') = ?")
            params.append(rule_type)
        if status is not None:
            wanted.append("l.status = ?")
            params.append(status)
        if not provisional:
            wanted.append("r.provisional_of IS NULL")
        rows = await tx.fetch(
            f"{SELECT} WHERE {' AND '.join(wanted)} ORDER BY l.created_at DESC, l.id LIMIT ?",
            (*params, limit),
        )
        return [lesson_from(row) for row in rows]

    async def guarded(self, tx: Connection, scope: Scope) -> Sequence[Lesson]:
        """The rules in force that a reply is checked by."""
        rows = await tx.fetch(
            f"{SELECT} WHERE r.guard_kind IS NOT NULL AND l.status = 'active' AND {REACHES} "
            "ORDER BY l.created_at, l.id",
            scope.fields(),
        )
        return [lesson_from(row) for row in rows]

    async def put(self, tx: Connection, name: str, rule: RuleDetail) -> None:
        """Says anew what a rule adds to a lesson."""
        guard = (rule.guard.kind, rule.guard.value) if rule.guard else (None, None)
        await tx.execute(
            "INSERT INTO lesson_rules (lesson_id, rule_type, poison, fewshot_user, "
            "fewshot_assistant, guard_kind, guard, provisional_of) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (lesson_id) DO UPDATE SET "
            "rule_type = excluded.rule_type, poison = excluded.poison, "
            "fewshot_user = excluded.fewshot_user, "
            "fewshot_assistant = excluded.fewshot_assistant, "
            "guard_kind = excluded.guard_kind, guard = excluded.guard",
            (
                *(name, rule.type, rule.poison, rule.fewshot_user, rule.fewshot_assistant),
                *(*guard, rule.provisional_of),
            ),
        )

    async def outlived(self, tx: Connection, before: int) -> Sequence[Lesson]:
        """Provisional rules of old sessions whose corrections were analysed long since."""
        rows = await tx.fetch(
            f"{SELECT} WHERE r.provisional_of IN (SELECT id FROM corrections) "
            "AND l.created_at < ? LIMIT 500",
            (before,),
        )
        return [lesson_from(row) for row in rows]

    async def examples(self, tx: Connection, rule_id: str) -> Sequence[Lesson]:
        """What is shown because a rule says so."""
        rows = await tx.fetch(f"{SELECT} WHERE x.rule_id = ?", (rule_id,))
        return [lesson_from(row) for row in rows]

    async def provisional(self, tx: Connection, correction: str) -> Sequence[Lesson]:
        """The rules that stand for a correction until it is analysed."""
        rows = await tx.fetch(f"{SELECT} WHERE r.provisional_of = ?", (correction,))
        return [lesson_from(row) for row in rows]
