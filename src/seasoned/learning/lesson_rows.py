"""Reads lessons as they stand in the database: the columns, and a lesson from a row of them."""

from typing import cast

from seasoned.core.scope import Scope
from seasoned.db.database import Row
from seasoned.learning.confidence import Belief
from seasoned.learning.lesson import (
    ExampleDetail,
    FixDetail,
    Guard,
    Kind,
    Lesson,
    RuleDetail,
    Source,
    Status,
    Trust,
    Verdict,
)

COLUMNS = (
    "l.id, l.kind, l.status, l.tenant, l.project, l.user_id, l.session, l.trigger, l.content, "
    "l.worked, l.failed, l.source, l.trust, l.created_at, l.updated_at, l.times_given, "
    "l.last_given_at, l.superseded_by, f.tool, f.error_id, f.change, l.verdict"
)
# What a rule or an example adds: read where lessons of any kind are, not where fixes alone are.
DETAILS = (
    "r.rule_type, r.poison, r.fewshot_user, r.fewshot_assistant, r.guard_kind, r.guard, "
    "r.provisional_of, x.polarity, x.request, x.reply, x.note, x.rule_id"
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
        verdict=cast("Verdict", row[21]),
        rule=_rule_from(row[22:29]),
        example=ExampleDetail(*row[29:34]) if len(row) > 29 and row[29] is not None else None,
    )


def _rule_from(row: Row) -> RuleDetail | None:
    if not row or row[0] is None:
        return None
    kind, poison, user, assistant, guard_kind, guard, provisional_of = row
    guarded = Guard(guard_kind, guard) if guard_kind else None
    return RuleDetail(kind, poison, user, assistant, guarded, provisional_of)
