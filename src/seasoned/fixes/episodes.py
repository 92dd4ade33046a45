"""Store episodes: a failure, the steps taken after it, and how it ended."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from seasoned.changes.contrast import Trial
from seasoned.changes.relatedness import Step
from seasoned.changes.repair import Repair
from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.db.scope_filter import contained

Outcome = Literal["open", "resolved", "abandoned"]

MOST_OPEN = 8  # open failures per session
MOST_STEPS = 10
PATIENCE = 25  # calls after which a failure is given up
MOST_TRIALS = 60  # repaired failures of one error that a change is compared with
AFTERTHOUGHT = 8  # calls after a repair in which the failed call may still work unchanged

COLUMNS = (
    "id, session, tool, error_id, message, params, steps, calls_since, hint, "
    "tried, opened_at, outcome, lesson_id, closed_at, user_id, worked"
)


@dataclass(frozen=True, slots=True)
class Episode:
    id: int
    session: str
    tool: str
    error_id: str
    message: str
    params: Mapping[str, Any]
    steps: Sequence[Step]
    calls_since: int
    hint: str | None
    tried: tuple[str, ...]
    opened_at: int
    outcome: Outcome
    lesson_id: str | None
    closed_at: int | None
    user: str = ""
    worked: Mapping[str, Any] | None = None  # the call that worked, once there is one

    @property
    def repaired(self) -> bool:
        """Tell whether a changed call worked; the failed one may still work unchanged."""
        return self.worked is not None

    @property
    def failed_hints(self) -> tuple[str, ...]:
        """Return all hints given so far; the same failure proves them wrong."""
        return (*self.tried, self.hint) if self.hint else self.tried


def episode_from(row: Row) -> Episode:
    return Episode(
        id=row[0],
        session=row[1],
        tool=row[2],
        error_id=row[3],
        message=row[4],
        params=json.loads(row[5]),
        steps=[Step(tool, params) for tool, params in json.loads(row[6])],
        calls_since=row[7],
        hint=row[8],
        tried=tuple(row[9].split()),
        opened_at=row[10],
        outcome=row[11],
        lesson_id=row[12],
        closed_at=row[13],
        user=row[14],
        worked=None if row[15] is None else json.loads(row[15]),
    )


class EpisodeStore:
    """Owns `episodes`."""

    async def list_open(self, tx: Connection, scope: Scope, session: str) -> list[Episode]:
        """Return the open failures of this session, the latest first."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM episodes WHERE session = ? AND tenant = ? AND project = ? "
            "AND user_id = ? AND outcome = 'open'",
            (session, scope.tenant, scope.project, scope.user),
        )
        # Sorted here: on this hot path SQLite's sorter costs more than the rest of the query.
        return sorted((episode_from(row) for row in rows), key=lambda e: (-e.opened_at, -e.id))

    async def add(
        self,
        tx: Connection,
        scope: Scope,
        session: str,
        tool: str,
        error_id: str,
        message: str,
        params: str,
        hint: str | None,
        at: int,
    ) -> None:
        await tx.execute(
            "INSERT INTO episodes (tenant, project, user_id, session, tool, error_id, message, "
            "params, hint, opened_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(scope.tenant, scope.project, scope.user, session, tool, error_id, message),
                *(params, hint, at),
            ),
        )

    async def try_again(
        self,
        tx: Connection,
        episode: Episode,
        message: str,
        params: str,
        hint: str | None,
    ) -> None:
        """Note the same failure again; the repair will be compared with the latest attempt."""
        await tx.execute(
            "UPDATE episodes SET message = ?, params = ?, hint = ?, tried = ? WHERE id = ?",
            (message, params, hint, " ".join(episode.failed_hints), episode.id),
        )

    async def step(self, tx: Connection, episode: Episode, step: Step, at: int) -> None:
        """Note another success, which may be what the repair needed."""
        if episode.calls_since + 1 >= PATIENCE:
            await self.give_up(tx, episode, at)
            return
        await tx.execute(
            "UPDATE episodes SET steps = ?, calls_since = calls_since + 1 WHERE id = ?",
            (_steps(episode, step), episode.id),
        )

    async def settle(
        self, tx: Connection, episode: Episode, step: Step, lesson_id: str | None
    ) -> None:
        """Note the fix that a changed call showed; it stands unless the failed call works soon."""
        await tx.execute(
            "UPDATE episodes SET steps = ?, lesson_id = ?, calls_since = ? WHERE id = ?",
            (_steps(episode, step), lesson_id, PATIENCE - AFTERTHOUGHT, episode.id),
        )

    async def resolve(
        self, tx: Connection, episode: Episode, lesson_id: str | None, at: int
    ) -> None:
        await self._close(tx, episode, "resolved", lesson_id, at)

    async def keep_changes(
        self,
        tx: Connection,
        episode: Episode,
        changes: Sequence[Repair],
        worked: Mapping[str, Any],
    ) -> None:
        """Store the call that worked, and the single changes with which it did, if any."""
        single = canonical([change.to_json() for change in changes])
        await tx.execute(
            "UPDATE episodes SET changes = ?, worked = ? WHERE id = ?",
            (single, canonical(worked), episode.id),
        )

    async def trials(self, tx: Connection, error_id: str, but: Episode) -> list[Trial]:
        """Return the latest repaired failures with this error, except one episode."""
        rows = await tx.fetch(
            "SELECT session, params, message, changes, user_id, worked FROM episodes "
            "WHERE error_id = ? AND changes IS NOT NULL AND id <> ? "
            "ORDER BY opened_at DESC LIMIT ?",
            (error_id, but.id, MOST_TRIALS),
        )
        return [
            Trial(
                session=row[0],
                params=json.loads(row[1]),
                error=row[2],
                changes=tuple(map(Repair.from_json, json.loads(row[3]))),
                user=row[4],
                worked=json.loads(row[5]),
            )
            for row in rows
        ]

    async def repaired(self, tx: Connection, error_id: str) -> list[tuple[Episode, Trial]]:
        """Return the latest repaired failures with this error, and what each of them shows."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS}, changes FROM episodes "
            "WHERE error_id = ? AND changes IS NOT NULL ORDER BY opened_at DESC LIMIT ?",
            (error_id, MOST_TRIALS),
        )
        found: list[tuple[Episode, Trial]] = []
        for row in rows:
            one = episode_from(row)
            changes = tuple(map(Repair.from_json, json.loads(row[-1])))
            called = (one.session, one.params, one.message, changes, one.user, one.worked)
            found.append((one, Trial(*called)))
        return found

    async def give_up(self, tx: Connection, episode: Episode, at: int) -> None:
        """Close an episode as it stands: settled, or without a fix."""
        outcome: Outcome = "resolved" if episode.repaired else "abandoned"
        await self._close(tx, episode, outcome, episode.lesson_id, at)

    async def _close(
        self, tx: Connection, episode: Episode, outcome: Outcome, lesson_id: str | None, at: int
    ) -> None:
        await tx.execute(
            "UPDATE episodes SET outcome = ?, closed_at = ?, lesson_id = ? WHERE id = ?",
            (outcome, at, lesson_id, episode.id),
        )

    async def about(
        self, tx: Connection, lesson_id: str, realm: Scope, limit: int = 10
    ) -> list[Episode]:
        """Return the episodes inside a realm that a fix resolved; calls hold people's values."""
        inside, values = contained(realm)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM episodes WHERE lesson_id = ? AND {inside} "
            "ORDER BY opened_at DESC LIMIT ?",
            (lesson_id, *values, limit),
        )
        return [episode_from(row) for row in rows]

    async def clear(self, tx: Connection, tenant: str) -> None:
        """Delete all episodes of a tenant."""
        await tx.execute("DELETE FROM episodes WHERE tenant = ?", (tenant,))

    async def count(self, tx: Connection, scope: Scope) -> dict[str, int]:
        rows = await tx.fetch(
            "SELECT CASE WHEN lesson_id IS NULL THEN outcome ELSE 'resolved' END AS came_to, "
            "count(*) FROM episodes WHERE tenant = ? AND project = ? GROUP BY came_to",
            (scope.tenant, scope.project),
        )
        return {str(outcome): int(many) for outcome, many in rows}


def _steps(episode: Episode, step: Step) -> str:
    return canonical([[s.tool, s.params] for s in [*episode.steps, step][-MOST_STEPS:]])
