"""Stores each analysed correction with its outcome, so that none counts twice."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import visible
from seasoned.rules.case import Case

COLUMNS = (
    "id, tenant, project, user_id, session, at, kind, message, outcome, lesson_id, analysed_by, "
    "reason, analysed_at, body"
)


@dataclass(frozen=True, slots=True)
class AnalysedCase:
    """A correction and the outcome of its analysis."""

    id: str
    scope: Scope
    at: int
    kind: str
    message: str
    outcome: str
    lesson: str | None
    by: str
    reason: str
    analysed_at: int
    case: Case | None  # None if its words were erased

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in a list, newest first: `after` of the next page."""
        return (self.at, self.id)


NEWEST = "at DESC, id"
# Messages that a model found ordinary are only remembered as judged, without their words.
ORDINARY = "remark"
SAID = "kind <> 'remark'"
BLAMES = "kind NOT IN ('remark', 'wish', 'refuted')"  # says that the reply was not right


class CaseStore:
    """Owns `corrections`."""

    async def is_known(self, tx: Connection, case_id: str) -> bool:
        row = await tx.fetch_one("SELECT 1 FROM corrections WHERE id = ?", (case_id,))
        return row is not None

    async def take(self, tx: Connection, case: Case, by: str, now: int) -> bool:
        """Claim a correction for learning; False if it was analysed before."""
        added = await tx.execute(
            "INSERT INTO corrections (id, tenant, project, user_id, session, at, kind, message, "
            "body, outcome, analysed_by, analysed_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'no rule', ?, ?) ON CONFLICT (id) DO NOTHING",
            (
                *(case.id, *case.scope.fields(), case.at, case.kind),
                *(("", "") if case.kind == ORDINARY else (case.message, case.to_json())),
                *(by, now),
            ),
        )
        return added > 0

    async def settle(
        self,
        tx: Connection,
        case_id: str,
        outcome: str,
        lesson_id: str | None,
        reason: str,
        *,
        holds: bool,
    ) -> None:
        """Store the outcome; with `holds`, the rule is given in every turn of the session."""
        await tx.execute(
            "UPDATE corrections SET outcome = ?, lesson_id = ?, reason = ?, holds = ? WHERE id = ?",
            (outcome, lesson_id, reason, int(holds), case_id),
        )

    async def let_go(self, tx: Connection, before: int) -> None:
        """Give the rules of old corrections only where they fit, in their sessions too."""
        await tx.execute("UPDATE corrections SET holds = 0 WHERE holds = 1 AND at < ?", (before,))

    async def find(self, tx: Connection, name: str, caller: Caller) -> AnalysedCase | None:
        """Find a correction by its id, or by a unique prefix of it."""
        seen, values = visible(caller)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM corrections WHERE id >= ? AND id < ? AND {seen} "
            "ORDER BY id LIMIT 2",
            (name, name + "~", *values),
        )
        if len(rows) > 1 and rows[0][0] != name:
            raise BadInput(f"several corrections have an id that starts with {name!r}; give more")
        return _case_from(rows[0]) if rows and name else None

    async def list(
        self, tx: Connection, scope: Scope, limit: int = 50, after: Place | None = None
    ) -> Sequence[AnalysedCase]:
        """List the newest first."""
        later, place = following(NEWEST, after)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM corrections WHERE {SAID} AND tenant IN ('', ?) "
            f"AND project IN ('', ?) AND user_id IN ('', ?) AND {later} "
            f"ORDER BY {NEWEST} LIMIT ?",
            (scope.tenant, scope.project, scope.user, *place, limit),
        )
        return [_case_from(row) for row in rows]

    async def after(
        self, tx: Connection, scope: Scope, place: tuple[int, str], limit: int
    ) -> Sequence[AnalysedCase]:
        """List the next that blame a reply, of exactly this tenant and project, oldest first."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM corrections WHERE {BLAMES} AND tenant = ? AND project = ? "
            "AND (? = '' OR user_id = ?) AND at >= ? AND (at > ? OR id > ?) "
            "ORDER BY at, id LIMIT ?",
            (
                *(scope.tenant, scope.project, scope.user, scope.user),
                *(place[0], place[0], place[1], limit),
            ),
        )
        return [_case_from(row) for row in rows]

    async def of_lesson(self, tx: Connection, lesson_id: str) -> Sequence[AnalysedCase]:
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM corrections WHERE lesson_id = ? ORDER BY at DESC LIMIT 20",
            (lesson_id,),
        )
        return [_case_from(row) for row in rows]

    async def count(self, tx: Connection) -> dict[str, int]:
        rows = await tx.fetch(
            f"SELECT outcome, count(*) FROM corrections WHERE {SAID} GROUP BY outcome"
        )
        return dict(rows)


def _case_from(row: Row) -> AnalysedCase:
    body: str = row[13]
    case = Case.from_json(body) if body else None
    return AnalysedCase(
        id=row[0],
        scope=Scope(*row[1:5]),
        at=row[5],
        kind=row[6],
        message=row[7],
        outcome=row[8],
        lesson=row[9],
        by=row[10],
        reason=row[11],
        analysed_at=row[12],
        case=case,
    )
