"""An operator's decision on a lesson: adopt it as if it had been taught, or reject it for good."""

from collections.abc import Sequence
from dataclasses import replace

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.db.database import Connection
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import visible
from seasoned.db.unit import Change
from seasoned.lessons.lesson import PRIOR, PRIORS, TRUST, Evidence, Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.lessons.reader import SELECT, lesson_from
from seasoned.security.redact import redact

LONGEST_ADOPTED = 600  # characters of edited words
# Occasions that speak for a lesson, without its prior.
WITNESSES = (
    "(SELECT count(DISTINCT e.session) FROM evidence e "
    "WHERE e.lesson_id = l.id AND e.worked > 0 AND e.reason <> ?)"
)


MOST_WITNESSED = "witnesses DESC, worked DESC, id"


async def waiting_lessons(
    tx: Connection, scope: Scope, limit: int, after: Place | None = None
) -> Sequence[tuple[Lesson, int]]:
    """Return candidate rules and fixes with their number of witnesses, most witnessed first.

    They are those of a tenant that reach the scope or lie inside of it.
    """
    seen, values = visible(Caller(scope), "l.")
    later, place = following(MOST_WITNESSED, after)
    wanted = "l.status = 'candidate' AND l.kind IN ('rule', 'preference', 'fix')"
    wanted += " AND l.tenant = ? AND l.session = '' AND l.content <> '' AND l.source <> 'document'"
    wanted += f" AND {seen}"
    counted = SELECT.replace(" FROM ", f", {WITNESSES} AS witnesses FROM ", 1)
    rows = await tx.fetch(
        f"SELECT * FROM ({counted} WHERE {wanted}) found WHERE witnesses > 0 AND {later} "
        f"ORDER BY {MOST_WITNESSED} LIMIT ?",
        (PRIOR, scope.tenant, *values, *place, limit),
    )
    return [(lesson_from(row[:-1]), int(row[-1])) for row in rows]


async def adopt(
    store: LessonStore, change: Change, lesson: Lesson, content: str | None = None
) -> Lesson:
    """Activate a lesson on the operator's word, in other words if `content` is given.

    A fix in other words loses its recorded repair, which may no longer be what they say.
    """
    if not lesson.content:
        raise BadInput(f"lesson {lesson.id} was erased; it has no words left")
    reason = "accepted by the operator"
    if content is not None:
        lesson = await store.reword(change, lesson, lesson.trigger, _checked(content), None, None)
        reason = "edited and accepted by the operator"
    await change.send(
        "UPDATE lessons SET source = 'operator', trust = ?, superseded_by = NULL WHERE id = ?",
        (TRUST["operator"], lesson.id),
    )
    if lesson.fix is not None and lesson.fix.waits:
        await change.send("UPDATE lesson_fixes SET waits = '' WHERE lesson_id = ?", (lesson.id,))
        lesson = replace(lesson, fix=replace(lesson.fix, waits=""))
    before = replace(lesson, source="operator", trust=TRUST["operator"], superseded_by=None)
    taught = PRIORS["operator"]
    said = Evidence(
        change.at,
        reason,
        max(0.0, taught.worked - lesson.belief.worked),
        taught.failed - lesson.belief.failed,
    )
    adopted = await store.believe(change, before, said, "active")
    await store.index.follow(change, adopted)
    for example in await store.rules.examples(change, lesson.id):
        await store.move(change, example, "active", None)
    return adopted


async def reject(store: LessonStore, change: Change, lesson: Lesson) -> Lesson:
    """Retire a lesson on the operator's word; an inferred one does not come back by itself."""
    if lesson.status == "retired":
        return lesson
    for example in await store.rules.examples(change, lesson.id):
        await store.move(change, example, "retired", None)
    return await store.move(change, lesson, "retired", "rejected by the operator")


def _checked(content: str) -> str:
    words = one_line(redact(storable(content)), LONGEST_ADOPTED + 1)
    if not words:
        raise BadInput("the new words are empty; `seasoned review reject` refuses a lesson")
    if len(words) > LONGEST_ADOPTED:
        raise BadInput(
            f"the new words have more than {LONGEST_ADOPTED} characters; "
            "a lesson enters the prompt: say it shorter"
        )
    return words
