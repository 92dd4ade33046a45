"""How well each skill and tool performs, for all time and over the last days.

What an agent's tool calls come to is gathered in memory and written a little later, so that
observing one costs nothing more. What is lost when a process is killed is the last seconds of
these figures, and nothing that was learned.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seasoned.bandit.call import Call, Kind
from seasoned.bandit.performance_store import ALWAYS, Key, PerformanceStore, Row
from seasoned.bandit.tally import Tally
from seasoned.core.clock import DAY, Clock
from seasoned.core.errors import BadInput
from seasoned.core.events import ToolFinished
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact

__all__ = ["Call", "Performance", "PerformanceRecord"]

LONGEST_NAME = 500


@dataclass(frozen=True, slots=True)
class PerformanceRecord:
    """Averages are None when there is nothing to average; `last_called` is in microseconds."""

    name: str
    kind: Kind
    calls_total: int
    calls_success: int
    calls_failed: int
    avg_duration_ms: float | None
    avg_score: float | None
    p95_duration_ms: float | None
    last_called: int | None
    scores: int = 0  # how many the average is of

    @property
    def success_rate(self) -> float | None:
        known = self.calls_success + self.calls_failed
        return self.calls_success / known if known else None


class Performance:
    def __init__(self, db: Database, clock: Clock, store: PerformanceStore | None = None) -> None:
        self.db = db
        self.clock = clock
        self.store = store or PerformanceStore()
        self._turn = threading.Lock()
        self._gathered: dict[tuple[Scope, str, int], Tally] = {}  # of a tool on a day

    async def note(self, calls: Sequence[Call], scope: Scope) -> None:
        """Counts these calls, all in one transaction; durable when it returns."""
        tallies = self.tallied(calls, scope)
        if tallies:
            await transact(self.db, lambda tx: self.store.add(tx, tallies))

    async def note_within(self, tx: Connection, calls: Sequence[Call], scope: Scope) -> None:
        """The same inside the caller's transaction."""
        await self.store.add(tx, self.tallied(calls, scope))

    def tallied(self, calls: Iterable[Call], scope: Scope) -> dict[Row, Tally]:
        """What they come to, for each row that they belong in."""
        tallies: defaultdict[Row, Tally] = defaultdict(Tally)
        for call in calls:
            at = call.at or self.clock.now()
            for row in _rows(scope, call.kind, call.name, at):
                tallies[row].add(call, at)
        return tallies

    def gather(self, event: ToolFinished) -> bool:
        """Remembers an observed tool call; whether it is the first that waits to be written."""
        call = event.call
        at = call.at or event.at
        key = (event.scope, call.tool, at // DAY)
        with self._turn:
            first = not self._gathered
            tally = self._gathered.get(key)
            if tally is None:
                tally = self._gathered[key] = Tally()
            tally.count(event.error is None, call.duration_ms, at)
        return first

    def work(self, most: int) -> int:
        """Writes what was gathered; how many tools and days. Runs in the buffer's thread."""
        return self.db.run(self._write(most))

    async def _write(self, most: int) -> int:
        with self._turn:
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
            with self._turn:
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
        """The busiest first; with `window`, of so many days, today included."""
        if window is not None and window < 1:
            raise BadInput(f"window is {window}; give a number of days, 1 or more")
        while self._gathered:
            await self._write(len(self._gathered))
        since = ALWAYS if window is None else self.clock.now() // DAY - window + 1
        async with self.db.read() as tx:
            found = await self.store.find(tx, scope, kind, name, max(since, ALWAYS))
        whole: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
        for its_kind, its_name, tally in found:
            whole[its_kind, its_name].merge(tally)
        records = [_record(*key, tally) for key, tally in whole.items()]
        return sorted(records, key=lambda one: (-one.calls_total, one.kind, one.name))


def _rows(scope: Scope, kind: str, name: str, at: int) -> tuple[Row, Row]:
    key: Key = (scope.tenant, scope.project, kind, storable(name)[:LONGEST_NAME])
    return (key, ALWAYS), (key, max(0, at // DAY))


def _record(kind: str, name: str, tally: Tally) -> PerformanceRecord:
    return PerformanceRecord(
        name=name,
        kind="skill" if kind == "skill" else "tool",
        calls_total=tally.calls,
        calls_success=tally.succeeded,
        calls_failed=tally.failed,
        avg_duration_ms=tally.duration_ms / tally.timed if tally.timed else None,
        avg_score=tally.score / tally.scored if tally.scored else None,
        p95_duration_ms=tally.durations.quantile(0.95),
        last_called=tally.last_called_at or None,
        scores=tally.scored,
    )
