"""Keeps how each skill and tool performs: one row for all time, and one a day."""

import json
from collections.abc import Mapping, Sequence

from seasoned.bandit.quantiles import Quantiles
from seasoned.bandit.tally import Tally
from seasoned.core.scope import Scope
from seasoned.db.database import Connection

ALWAYS = -1  # the "day" of all time
KEPT_DAYS = 400

Key = tuple[str, str, str, str]  # tenant, project, kind, name
Row = tuple[Key, int]  # and the day since 1970

SUMS = "calls, succeeded, failed, timed, duration_ms, scored, score, last_called_at"
ADDED = ", ".join(
    f"{name} = performance.{name} + excluded.{name}" for name in SUMS.split(", ")[:-1]
)


class PerformanceStore:
    """Owns `performance`."""

    async def add(self, tx: Connection, tallies: Mapping[Row, Tally]) -> None:
        """Adds to the rows; in one order, so that two writers cannot hold each other up."""
        for (key, day), tally in sorted(tallies.items(), key=lambda pair: pair[0]):
            row = await tx.fetch_one(
                f"INSERT INTO performance (tenant, project, kind, name, day, {SUMS}, durations) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '') "
                f"ON CONFLICT (tenant, project, kind, name, day) DO UPDATE SET {ADDED}, "
                "last_called_at = CASE WHEN performance.last_called_at < excluded.last_called_at "
                "THEN excluded.last_called_at ELSE performance.last_called_at END "
                "RETURNING durations, calls, scored",
                (
                    *(*key, day, tally.calls, tally.succeeded, tally.failed, tally.timed),
                    *(tally.duration_ms, tally.scored, tally.score, tally.last_called_at),
                ),
            )
            if tally.durations.count:
                kept = sketch_from(row[0] if row else "")
                kept.merge(tally.durations)
                told = json.dumps(kept.state(), separators=(",", ":"))
                await tx.execute(
                    "UPDATE performance SET durations = ? WHERE tenant = ? AND project = ? "
                    "AND kind = ? AND name = ? AND day = ?",
                    (told, *key, day),
                )
            if row and row[1:] == (tally.calls, tally.scored) and day != ALWAYS:
                # A new day begins: an old one may go.
                await tx.execute(
                    "DELETE FROM performance WHERE tenant = ? AND project = ? AND kind = ? "
                    "AND name = ? AND day >= 0 AND day < ?",
                    (*key, day - KEPT_DAYS),
                )

    async def find(
        self,
        tx: Connection,
        scope: Scope,
        kind: str | None,
        name: str | None,
        since_day: int = ALWAYS,
    ) -> Sequence[tuple[str, str, Tally]]:
        """(kind, name, tally) of all time, or of the days from this one on; a row each."""
        wanted = {"kind = ?": kind, "name = ?": name}
        chosen = {sql: value for sql, value in wanted.items() if value is not None}
        days = "day = ?" if since_day == ALWAYS else "day >= ?"
        rows = await tx.fetch(
            f"SELECT kind, name, {SUMS}, durations FROM performance "
            f"WHERE {' AND '.join(('tenant = ?', 'project = ?', days, *chosen))}",
            (scope.tenant, scope.project, since_day, *chosen.values()),
        )
        return [
            (kind, name, Tally(*sums, durations=sketch_from(sketch)))
            for kind, name, *sums, sketch in rows
        ]


def sketch_from(text: str) -> Quantiles:
    return Quantiles.from_state(json.loads(text)) if text else Quantiles()
