"""Store how each tool performs: calls, failures, durations."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.keyset import Place, following

BUSIEST = "calls DESC, name"
ENOUGH_CALLS, OFTEN = 5, 0.2  # calls and share of failures from which a prompt mentions a tool


@dataclass(frozen=True, slots=True)
class ToolRecord:
    name: str
    calls: int
    failures: int
    timed_calls: int
    duration_ms: float
    last_called_at: int

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in a list, busiest first: `after` of the next page."""
        return (self.calls, self.name)

    @property
    def average_ms(self) -> float | None:
        return self.duration_ms / self.timed_calls if self.timed_calls else None

    @property
    def failing(self) -> float:
        """Return the share of calls that failed."""
        return self.failures / self.calls if self.calls else 0.0

    @property
    def often_fails(self) -> bool:
        return self.calls >= ENOUGH_CALLS and self.failing >= OFTEN

    @property
    def line(self) -> str:
        """Describe the performance for a prompt.

        >>> ToolRecord("shell", 40, 10, 40, 5200.0, 0).line
        'shell: 10 of 40 calls failed, 130 ms on average'
        """
        took = "" if self.average_ms is None else f", {self.average_ms:.0f} ms on average"
        return f"{self.name}: {self.failures} of {self.calls} calls failed{took}"


class ToolRecordStore:
    """Owns `tools`."""

    async def add(
        self, tx: Connection, scope: Scope, name: str, failed: bool, ms: float | None, at: int
    ) -> None:
        await tx.execute(
            "INSERT INTO tools (tenant, project, name, calls, failures, timed_calls, duration_ms, "
            "last_called_at) VALUES (?, ?, ?, 1, ?, ?, ?, ?) "
            "ON CONFLICT (tenant, project, name) DO UPDATE SET calls = tools.calls + 1, "
            "failures = tools.failures + excluded.failures, "
            "timed_calls = tools.timed_calls + excluded.timed_calls, "
            "duration_ms = tools.duration_ms + excluded.duration_ms, "
            "last_called_at = excluded.last_called_at",
            (
                *(scope.tenant, scope.project, name, int(failed)),
                *(int(ms is not None), ms or 0.0, at),
            ),
        )

    async def projects(self, tx: Connection, tenant: str) -> Sequence[str]:
        """Return the projects of a tenant in which tools were called."""
        rows = await tx.fetch("SELECT DISTINCT project FROM tools WHERE tenant = ?", (tenant,))
        return [project for (project,) in rows]

    async def count(self, tx: Connection, scope: Scope) -> dict[str, int]:
        row = await tx.fetch_one(
            "SELECT count(*), coalesce(sum(calls), 0), coalesce(sum(failures), 0) FROM tools "
            "WHERE tenant = ? AND project = ?",
            (scope.tenant, scope.project),
        )
        return dict(zip(("tools", "calls", "failures"), map(int, row or (0, 0, 0)), strict=True))

    async def list(
        self, tx: Connection, scope: Scope, limit: int = 50, after: Place | None = None
    ) -> Sequence[ToolRecord]:
        later, place = following(BUSIEST, after)
        rows = await tx.fetch(
            "SELECT name, calls, failures, timed_calls, duration_ms, last_called_at FROM tools "
            f"WHERE tenant = ? AND project = ? AND {later} ORDER BY {BUSIEST} LIMIT ?",
            (scope.tenant, scope.project, *place, limit),
        )
        return [ToolRecord(*row) for row in rows]

    async def named(
        self, tx: Connection, scope: Scope, names: Sequence[str]
    ) -> Sequence[ToolRecord]:
        """Return the records of these tools; unknown ones are left out."""
        marks = ", ".join("?" for _ in names)
        rows = await tx.fetch(
            "SELECT name, calls, failures, timed_calls, duration_ms, last_called_at FROM tools "
            f"WHERE tenant = ? AND project = ? AND name IN ({marks}) ORDER BY name",
            (scope.tenant, scope.project, *names),
        )
        return [ToolRecord(*row) for row in rows]
