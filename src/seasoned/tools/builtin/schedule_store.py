"""Store what an agent plans to do later; a claim makes sure that only one process does it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from seasoned.core.clock import MINUTE, SECOND
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Row
from seasoned.security.redact import cut

Status = Literal["waiting", "done", "cancelled"]

COLUMNS = (
    "id, tenant, project, user_id, session, prompt, due_at, every_seconds, status, "
    "claimed_until, runs, tries, last_error, made_at"
)
CLAIM = 30 * MINUTE  # after that, the claiming process is presumed dead
OF_A_USER = " AND tenant = ? AND project = ? AND user_id = ?"
# A task belongs to the window of its session, as long as one is open.
FOR_THIS_WINDOW = (
    " AND (session IN ('', ?) OR NOT EXISTS (SELECT 1 FROM session_windows w "
    "WHERE w.session = schedules.session AND w.tenant = schedules.tenant "
    "AND w.project = schedules.project AND w.user_id = schedules.user_id AND w.open_until > ?))"
)
UNATTENDED = (
    " AND NOT EXISTS (SELECT 1 FROM session_windows w "
    "WHERE w.session = schedules.session AND w.tenant = schedules.tenant "
    "AND w.project = schedules.project AND w.user_id = schedules.user_id AND w.open_until > ?)"
)
LONGEST_ERROR = 1000
MOST_RETRIES = 5
FIRST_RETRY = MINUTE


@dataclass(frozen=True, slots=True)
class Schedule:
    """A task for a point in time; `every_seconds` is 0 if it runs once."""

    id: str
    scope: Scope
    prompt: str
    due_at: int
    every_seconds: int
    status: Status
    claimed_until: int
    runs: int
    tries: int  # failures since it last succeeded
    last_error: str
    made_at: int


class ScheduleStore:
    """Owns `schedules`."""

    async def add(
        self,
        tx: Connection,
        scope: Scope,
        prompt: str,
        due_at: int,
        now: int,
        *,
        every_seconds: int = 0,
    ) -> Schedule:
        row = await tx.fetch_one(
            f"INSERT INTO schedules ({COLUMNS}) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, 0, 0, '', ?) "
            f"RETURNING {COLUMNS}",
            (new_id(), *scope.fields(), storable(prompt), due_at, every_seconds, now),
        )
        assert row is not None, "a row that was just written is there"
        return _schedule(row)

    async def list(
        self, tx: Connection, scope: Scope, *, every: bool = False, most: int = 100
    ) -> Sequence[Schedule]:
        """List a user's waiting tasks, next first; with `every`, finished ones too."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM schedules WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND (? OR status = 'waiting') ORDER BY due_at, id LIMIT ?",
            (scope.tenant, scope.project, scope.user, every, most),
        )
        return [_schedule(row) for row in rows]

    async def count(self, tx: Connection, scope: Scope) -> int:
        """Count a user's waiting tasks."""
        row = await tx.fetch_one(
            "SELECT count(*) FROM schedules WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND status = 'waiting'",
            (scope.tenant, scope.project, scope.user),
        )
        return int(row[0]) if row else 0

    async def cancel(self, tx: Connection, scope: Scope, name: str) -> Schedule:
        """Cancel a task, by its id or the beginning of it."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM schedules WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND status = 'waiting' AND substr(id, 1, ?) = ? ORDER BY id LIMIT 2",
            (scope.tenant, scope.project, scope.user, len(name), name),
        )
        if not rows or not name:
            raise NotFound(f"nothing is scheduled as {name!r}; list the schedule to see what is")
        if len(rows) > 1:
            raise BadInput(f"several ids start with {name!r}; give more of the id")
        await tx.execute("UPDATE schedules SET status = 'cancelled' WHERE id = ?", (rows[0][0],))
        return _schedule(rows[0])

    async def remove_over(self, tx: Connection, before: int) -> int:
        """Delete tasks that were due before a time, and are done or cancelled."""
        return await tx.execute(
            "DELETE FROM schedules WHERE status <> 'waiting' AND due_at < ?", (before,)
        )

    async def is_due(self, tx: Connection, now: int, scope: Scope | None = None) -> bool:
        """Tell whether `due` would claim a task of this user, or of anybody."""
        whose, values = ("", ()) if scope is None else _takers(scope, now)
        row = await tx.fetch_one(
            "SELECT 1 FROM schedules WHERE status = 'waiting' AND due_at <= ? "
            f"AND claimed_until <= ?{whose} LIMIT 1",
            (now, now, *values),
        )
        return row is not None

    async def due(
        self,
        tx: Connection,
        now: int,
        most: int,
        *,
        claim: int = CLAIM,
        scope: Scope | None = None,
        unattended: bool = False,
    ) -> Sequence[Schedule]:
        """Claim due tasks; no other process gets them until `done`, `failed` or the claim's end.

        Without a scope, tasks of all users; with one, tasks of this user, except those of another
        session that is open in a window of its own; `unattended` leaves out all open sessions.
        The update repeats the condition, so that
        only one of two processes that read the same row wins.
        """
        whose, values = ("", ()) if scope is None else _takers(scope, now)
        if unattended:
            whose, values = whose + UNATTENDED, (*values, now)
        rows = await tx.fetch(
            "SELECT id FROM schedules WHERE status = 'waiting' AND due_at <= ? "
            f"AND claimed_until <= ?{whose} ORDER BY due_at, id LIMIT ?",
            (now, now, *values, most),
        )
        claimed: list[Schedule] = []
        for (name,) in rows:
            row = await tx.fetch_one(
                "UPDATE schedules SET claimed_until = ? WHERE id = ? AND status = 'waiting' "
                f"AND due_at <= ? AND claimed_until <= ? RETURNING {COLUMNS}",
                (now + claim, name, now, now),
            )
            if row is not None:
                claimed.append(_schedule(row))
        return claimed

    async def done(self, tx: Connection, claimed: Schedule, now: int) -> bool:
        """Mark a task as done, or reschedule a repeating one; False if the claim had expired."""
        return await self._close(tx, claimed, now, "")

    async def failed(self, tx: Connection, claimed: Schedule, error: str, now: int) -> bool:
        """Retry a failed task later, a limited number of times; False if the claim had expired."""
        text = cut(storable(error), LONGEST_ERROR)
        if claimed.tries >= MOST_RETRIES:
            return await self._close(tx, claimed, now, text)
        return bool(
            await tx.execute(
                "UPDATE schedules SET claimed_until = ?, tries = tries + 1, last_error = ? "
                "WHERE id = ? AND status = 'waiting' AND claimed_until = ?",
                (now + FIRST_RETRY * 2**claimed.tries, text, claimed.id, claimed.claimed_until),
            )
        )

    async def _close(self, tx: Connection, claimed: Schedule, now: int, error: str) -> bool:
        """End a claim that is still valid, unless the task was cancelled meanwhile."""
        again = next_due(claimed, now)
        status, due_at = ("done", claimed.due_at) if again is None else ("waiting", again)
        return bool(
            await tx.execute(
                "UPDATE schedules SET status = ?, due_at = ?, claimed_until = 0, tries = 0, "
                "runs = runs + 1, last_error = ? "
                "WHERE id = ? AND status = 'waiting' AND claimed_until = ?",
                (status, due_at, error, claimed.id, claimed.claimed_until),
            )
        )


def next_due(done: Schedule, now: int) -> int | None:
    """Return the next time in the task's rhythm, skipping those missed; None if it runs once."""
    if not done.every_seconds:
        return None
    step = done.every_seconds * SECOND
    return done.due_at + step * max(1, -(-(now + 1 - done.due_at) // step))


def _takers(scope: Scope, now: int) -> tuple[str, tuple[str | int, ...]]:
    """Return the condition for the tasks that a session may take, and its values."""
    tenant, project, user, session = scope.fields()
    return OF_A_USER + FOR_THIS_WINDOW, (tenant, project, user, session, now)


def _schedule(row: Row) -> Schedule:
    name, tenant, project, user, session, *rest = row
    return Schedule(name, Scope(tenant, project, user, session), *rest)
