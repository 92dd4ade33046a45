"""Count by day what shows whether an agent gets better: mistakes made again, first calls that fail.

Counts are gathered in memory from events and written a little later, so they cost observing a call
nothing. A process that is killed loses the last seconds of them, and nothing that was learned.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from seasoned.core.authority import Caller
from seasoned.core.clock import DAY, Clock
from seasoned.core.errors import BadInput
from seasoned.core.events import Corrected, HintGiven, LessonLearned, ToolFinished, TurnEnded
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact

KEPT_DAYS = 400
MOST_DAYS = 366
MOST_SESSIONS = 1000  # whose first calls are remembered

Key = tuple[str, str, int, str]  # tenant, project, day since 1970, measure


@dataclass(frozen=True, slots=True)
class DayOfProgress:
    """The counts of one day, which begins at `at` (microseconds, UTC)."""

    at: int
    calls: int = 0
    failures: Mapping[str, int] = field(default_factory=dict[str, int])  # by nature
    repeated: int = 0  # misuse with an error that was known before
    first_calls: int = 0  # of a tool in a session
    first_failed: int = 0  # of these, by misuse
    hints: int = 0
    turns: int = 0
    corrections: int = 0
    learned: Mapping[str, int] = field(default_factory=dict[str, int])  # lessons, by kind


class Progress:
    def __init__(self, db: Database, clock: Clock) -> None:
        self.db = db
        self.clock = clock
        self.store = ProgressStore()
        self._lock = threading.Lock()
        self._gathered: Counter[Key] = Counter()
        self._called: OrderedDict[Scope, set[str]] = OrderedDict()  # tools, by session

    def on_tool(self, event: ToolFinished) -> bool:
        """Count a tool call; return whether it is the first count that waits to be written."""
        call = event.call
        names = ["calls"]
        misused = event.error is not None and event.nature == "misuse"
        if event.error is not None:
            names.append(f"failed.{event.nature or 'misuse'}")
            if misused and event.repeated:
                names.append("repeated")
        if event.nature not in ("refused", "cancelled") and self._is_first(
            event.scope.within(call.session), call.tool
        ):
            names += ["first_calls", "first_failed"] if misused else ["first_calls"]
        return self._gather(event.scope, call.at or event.at, *names)

    def on_hint(self, event: HintGiven) -> bool:
        return self._gather(event.scope, event.at, "hints")

    def on_turn(self, event: TurnEnded) -> bool:
        return self._gather(event.scope, event.at, "turns")

    def on_correction(self, event: Corrected) -> bool:
        return self._gather(event.scope, event.at, "corrections")

    def on_lesson(self, event: LessonLearned) -> bool:
        if event.scope.session:  # a provisional rule, which a learned one may replace
            return False
        return self._gather(event.scope, event.at, f"learned.{event.kind}")

    def _is_first(self, session: Scope, tool: str) -> bool:
        with self._lock:
            tools = self._called.get(session)
            if tools is None:
                tools = self._called[session] = set()
                if len(self._called) > MOST_SESSIONS:
                    self._called.popitem(last=False)
            if tool in tools:
                return False
            tools.add(tool)
            return True

    def _gather(self, scope: Scope, at: int, *measures: str) -> bool:
        day = max(0, at // DAY)
        with self._lock:
            first = not self._gathered
            for measure in measures:
                self._gathered[scope.tenant, scope.project, day, measure] += 1
        return first

    def work(self, most: int) -> int:
        """Write gathered counts and return how many; runs in the buffer's thread."""
        return self.db.run(self._write())

    async def _write(self) -> int:
        with self._lock:
            taken, self._gathered = self._gathered, Counter()
        if not taken:
            return 0
        oldest = self.clock.now() // DAY - KEPT_DAYS

        async def write(tx: Connection) -> None:
            await self.store.add(tx, taken)
            await self.store.drop(tx, oldest)

        try:
            await transact(self.db, write)
        except BaseException:
            with self._lock:
                self._gathered.update(taken)
            raise
        return len(taken)

    async def days(self, caller: Caller, days: int) -> Sequence[DayOfProgress]:
        """Return the last days in order, today last: of the caller's project, or of all."""
        if not 1 <= days <= MOST_DAYS:
            raise BadInput(f"days is {days}; give 1 to {MOST_DAYS}")
        await self._write()
        today = self.clock.now() // DAY
        async with self.db.read() as tx:
            found = await self.store.find(tx, caller, today - days + 1)
        return [_day(day, found.get(day, {})) for day in range(today - days + 1, today + 1)]


class ProgressStore:
    """Owns `progress`."""

    async def add(self, tx: Connection, counts: Mapping[Key, int]) -> None:
        """Add counts, in sorted order so that two writers cannot deadlock."""
        for key, amount in sorted(counts.items()):
            await tx.execute(
                "INSERT INTO progress (tenant, project, day, measure, amount) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant, project, day, measure) "
                "DO UPDATE SET amount = progress.amount + excluded.amount",
                (*key, amount),
            )

    async def drop(self, tx: Connection, before: int) -> None:
        await tx.execute("DELETE FROM progress WHERE day < ?", (before,))

    async def find(
        self, tx: Connection, caller: Caller, since: int
    ) -> Mapping[int, dict[str, int]]:
        """Return the amounts of each measure, by day."""
        where, values = _place(caller)
        rows = await tx.fetch(
            "SELECT day, measure, sum(amount) FROM progress "
            f"WHERE {where} AND day >= ? GROUP BY day, measure",
            (*values, since),
        )
        found: dict[int, dict[str, int]] = {}
        for day, measure, amount in rows:
            found.setdefault(int(day), {})[measure] = int(amount)
        return found


def _place(caller: Caller) -> tuple[str, tuple[str, ...]]:
    """Return the condition for a caller's project; for all projects if it names none."""
    scope, realm = caller.scope, caller.realm
    if scope.project or realm.user:
        return "tenant = ? AND project = ?", (scope.tenant, scope.project)
    if realm == Scope() and not scope.tenant:
        return "1 = 1", ()
    return "tenant = ?", (scope.tenant,)


def _day(day: int, amounts: Mapping[str, int]) -> DayOfProgress:
    return DayOfProgress(
        at=day * DAY,
        calls=amounts.get("calls", 0),
        failures=_part(amounts, "failed."),
        repeated=amounts.get("repeated", 0),
        first_calls=amounts.get("first_calls", 0),
        first_failed=amounts.get("first_failed", 0),
        hints=amounts.get("hints", 0),
        turns=amounts.get("turns", 0),
        corrections=amounts.get("corrections", 0),
        learned=_part(amounts, "learned."),
    )


def _part(amounts: Mapping[str, int], prefix: str) -> dict[str, int]:
    return {name[len(prefix) :]: n for name, n in amounts.items() if name.startswith(prefix)}
