"""Records of how well each skill and tool performs, for all time and by day.

The tool calls of an agent are summed in memory and written a little later, so observing a call
costs no transaction. A process that is killed loses the last seconds of these figures, and nothing
that was learned.
"""

import json
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from seasoned.bandit.call import Call, Kind, Tally
from seasoned.bandit.quantiles import Quantiles
from seasoned.core.clock import DAY, Clock
from seasoned.core.errors import BadInput
from seasoned.core.events import ToolFinished
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact
from seasoned.security.stored import stored_name

__all__ = ["Call", "DailyRecord", "Performance", "PerformanceRecord"]

LONGEST_NAME = 500
ALL_TIME = -1  # stands in the column `day`
KEPT_DAYS = 400

Key = tuple[str, str, str, str]  # tenant, project, kind, name
Row = tuple[Key, int]  # and the day since 1970

SUMS = "calls, succeeded, failed, timed, duration_ms, scored, score, last_called_at"
ADDED = ", ".join(
    f"{name} = performance.{name} + excluded.{name}" for name in SUMS.split(", ")[:-1]
)


@dataclass(frozen=True, slots=True)
class PerformanceRecord:
    """Averages are None if there is nothing to average; `last_called` is in microseconds."""

    name: str
    kind: Kind
    calls_total: int
    calls_success: int
    calls_failed: int
    avg_duration_ms: float | None
    avg_score: float | None
    p95_duration_ms: float | None
    last_called: int | None
    scores: int = 0  # number of scores in the average

    @property
    def success_rate(self) -> float | None:
        known = self.calls_success + self.calls_failed
        return self.calls_success / known if known else None


@dataclass(frozen=True, slots=True)
class DailyRecord:
    """The calls of a skill or tool on each of several days, the oldest first."""

    name: str
    kind: Kind
    calls: Sequence[int]
    failed: Sequence[int]


class Performance:
    def __init__(self, db: Database, clock: Clock, store: "PerformanceStore | None" = None) -> None:
        self.db = db
        self.clock = clock
        self.store = store or PerformanceStore()
        self._lock = threading.Lock()
        self._gathered: dict[tuple[Scope, str, int], Tally] = {}  # by scope, tool and day

    async def note(self, calls: Sequence[Call], scope: Scope) -> None:
        """Count calls in one transaction; they are durable when this returns."""
        tallies = self.tally(calls, scope)
        if tallies:
            await transact(self.db, lambda tx: self.store.add(tx, tallies))

    async def note_within(self, tx: Connection, calls: Sequence[Call], scope: Scope) -> None:
        """Count calls inside the caller's transaction."""
        await self.store.add(tx, self.tally(calls, scope))

    def tally(self, calls: Iterable[Call], scope: Scope) -> dict[Row, Tally]:
        """Add calls up by the table rows that they belong to."""
        tallies: defaultdict[Row, Tally] = defaultdict(Tally)
        for call in calls:
            at = call.at or self.clock.now()
            for row in _rows(scope, call.kind, call.name, at):
                tallies[row].add(call, at)
        return tallies

    def gather(self, event: ToolFinished) -> bool:
        """Remember an observed tool call; return whether it is the first one waiting."""
        call = event.call
        at = call.at or event.at
        key = (event.scope, call.tool, at // DAY)
        with self._lock:
            first = not self._gathered
            tally = self._gathered.get(key)
            if tally is None:
                tally = self._gathered[key] = Tally()
            tally.count(event.error is None, call.duration_ms, at)
        return first

    def work(self, most: int) -> int:
        """Write gathered sums and return how many; runs in the buffer's thread."""
        return self.db.run(self._write(most))

    async def _write(self, most: int) -> int:
        with self._lock:
            taken = {key: self._gathered.pop(key) for key in list(self._gathered)[:most]}
        if not taken:
            return 0
        rows: defaultdict[Row, Tally] = defaultdict(Tally)
        for (scope, tool, day), tally in taken.items():
            for row in _rows(scope, "tool", tool, day * DAY):
                rows[row].merge(tally)
        try:
            await transact(self.db, lambda tx: self.store.add(tx, rows))
        except BaseException:
            with self._lock:
                for key, tally in taken.items():
                    tally.merge(self._gathered.get(key) or Tally())
                    self._gathered[key] = tally
            raise
        return len(taken)

    async def records(
        self,
        scope: Scope,
        kind: Kind | None = None,
        name: str | None = None,
        window: int | None = None,
    ) -> Sequence[PerformanceRecord]:
        """List records, most calls first; `window` limits them to the last days, with today."""
        if window is not None and window < 1:
            raise BadInput(f"window is {window}; give a number of days, 1 or more")
        await self._write_all()
        since = ALL_TIME if window is None else self.clock.now() // DAY - window + 1
        async with self.db.read() as tx:
            found = await self.store.find(tx, scope, kind, name, max(since, ALL_TIME))
        whole: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
        for its_kind, its_name, tally in found:
            whole[its_kind, its_name].merge(tally)
        records = [_record(*key, tally) for key, tally in whole.items()]
        return sorted(records, key=lambda one: (-one.calls_total, one.kind, one.name))

    async def daily(self, scope: Scope, kind: Kind | None, window: int) -> Sequence[DailyRecord]:
        """List the calls of each of the last days, today being the last; most calls first."""
        if not 1 <= window <= KEPT_DAYS:
            raise BadInput(f"window is {window}; give a number of days, 1 to {KEPT_DAYS}")
        await self._write_all()
        first = self.clock.now() // DAY - window + 1
        async with self.db.read() as tx:
            rows = await self.store.by_day(tx, scope, kind, first, first + window - 1)
        days: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(
            lambda: [(0, 0)] * window
        )
        for its_kind, name, day, calls, failed in rows:
            days[its_kind, name][day - first] = (calls, failed)
        records = [
            DailyRecord(
                name, _kind(its_kind), [one for one, _ in pairs], [failed for _, failed in pairs]
            )
            for (its_kind, name), pairs in days.items()
        ]
        return sorted(records, key=lambda one: (-sum(one.calls), one.kind, one.name))

    async def _write_all(self) -> None:
        while self._gathered:
            await self._write(len(self._gathered))


class PerformanceStore:
    """Owns `performance`: one row for all time and one per day, for each skill and tool."""

    async def add(self, tx: Connection, tallies: Mapping[Row, Tally]) -> None:
        """Add sums to their rows, in sorted order so that two writers cannot deadlock."""
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
                sketch = _sketch_from(row[0] if row else "")
                sketch.merge(tally.durations)
                text = json.dumps(sketch.state(), separators=(",", ":"))
                await tx.execute(
                    "UPDATE performance SET durations = ? WHERE tenant = ? AND project = ? "
                    "AND kind = ? AND name = ? AND day = ?",
                    (text, *key, day),
                )
            if row and row[1:] == (tally.calls, tally.scored) and day != ALL_TIME:
                # The first row of a new day: drop days that are too old.
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
        since_day: int = ALL_TIME,
    ) -> Sequence[tuple[str, str, Tally]]:
        """Return (kind, name, tally) per row: of all time, or of each day from `since_day` on."""
        wanted = {"kind = ?": kind, "name = ?": name}
        chosen = {sql: value for sql, value in wanted.items() if value is not None}
        days = "day = ?" if since_day == ALL_TIME else "day >= ?"
        rows = await tx.fetch(
            f"SELECT kind, name, {SUMS}, durations FROM performance "
            f"WHERE {' AND '.join(('tenant = ?', 'project = ?', days, *chosen))}",
            (scope.tenant, scope.project, since_day, *chosen.values()),
        )
        return [
            (kind, name, Tally(*sums, durations=_sketch_from(sketch)))
            for kind, name, *sums, sketch in rows
        ]

    async def by_day(
        self, tx: Connection, scope: Scope, kind: str | None, first: int, last: int
    ) -> Sequence[tuple[str, str, int, int, int]]:
        """Return kind, name, day, calls and failures of each row of these days."""
        chosen = () if kind is None else (kind,)
        return await tx.fetch(
            "SELECT kind, name, day, calls, failed FROM performance WHERE tenant = ? "
            f"AND project = ? AND day BETWEEN ? AND ?{' AND kind = ?' if chosen else ''}",
            (scope.tenant, scope.project, max(0, first), last, *chosen),
        )


def _sketch_from(text: str) -> Quantiles:
    return Quantiles.from_state(json.loads(text)) if text else Quantiles()


def _rows(scope: Scope, kind: str, name: str, at: int) -> tuple[Row, Row]:
    key: Key = (scope.tenant, scope.project, kind, stored_name(name))
    return (key, ALL_TIME), (key, max(0, at // DAY))


def _kind(kind: str) -> Kind:
    return "skill" if kind == "skill" else "tool"


def _record(kind: str, name: str, tally: Tally) -> PerformanceRecord:
    return PerformanceRecord(
        name=name,
        kind=_kind(kind),
        calls_total=tally.calls,
        calls_success=tally.succeeded,
        calls_failed=tally.failed,
        avg_duration_ms=tally.duration_ms / tally.timed if tally.timed else None,
        avg_score=tally.score / tally.scored if tally.scored else None,
        p95_duration_ms=tally.durations.quantile(0.95),
        last_called=tally.last_called_at or None,
        scores=tally.scored,
    )
