"""Tools for planning: do something once at a given time, or repeatedly."""

import re
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from pydantic_ai import RunContext

from seasoned.core.clock import SECOND, Clock, iso
from seasoned.core.errors import BadInput
from seasoned.core.text import one_line
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact
from seasoned.tools.builtin.schedule_store import Schedule, ScheduleStore
from seasoned.tools.run import ToolRun
from seasoned.tools.tool import tool

T = TypeVar("T")

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
DURATION_PART = re.compile(
    r"(?ix) (\d+(?:\.\d+)?) \s* (?:(s)(?:ec(?:ond)?s?)? | (m)(?:in(?:ute)?s?)? | (h)(?:(?:ou)?rs?)?"
    r"| (d)(?:ays?)? | (w)(?:eeks?)?) (?![a-z]) [\s,]* (?:and\s+)?"
)
ARTICLE = re.compile(r"(?i)\ban?\s+(?=(?:second|minute|hour|day|week)\b)")
FARTHEST_SECONDS = 10 * 365 * 86_400


@dataclass(frozen=True, slots=True)
class ScheduleConfig:
    most: int = 100  # waiting tasks of one user
    least_seconds: int = 60  # between two runs of a repeating task
    longest: int = 4000  # characters of a task


def schedule_tools(
    db: Database, clock: Clock, config: ScheduleConfig | None = None
) -> Sequence[Callable[..., Any]]:
    tools = ScheduleTools(db, ScheduleStore(), clock, config or ScheduleConfig())
    return (tools.remind, tools.repeat, tools.list_schedule, tools.cancel_scheduled)


class ScheduleTools:
    def __init__(
        self, db: Database, store: ScheduleStore, clock: Clock, config: ScheduleConfig
    ) -> None:
        self.db = db
        self.store = store
        self.clock = clock
        self.config = config

    @tool(examples=[{"what": "Ask whether the backup worked", "when": "2h"}])
    async def remind(self, ctx: RunContext[ToolRun], what: str, when: str) -> str:
        """Plans something for later, once; you will be asked to do it then.

        Args:
            what: What to do then, so that it can be understood without this conversation.
            when: A time with its zone (2030-01-31T09:00:00+01:00), or how long from now (90m, 3d).
        """
        now = self.clock.now()
        due_at = parse_time(when, now)
        if due_at <= now:
            raise BadInput(f"{when} is over: it is {iso(now)} now; name a time to come")
        return await self._plan(ctx, what, due_at, 0)

    @tool(
        dangerous=True,
        examples=[{"what": "Summarise the new mails", "every": "1d", "first": "12h"}],
    )
    async def repeat(self, ctx: RunContext[ToolRun], what: str, every: str, first: str = "") -> str:
        """Plans something that is done again and again, until it is cancelled.

        Args:
            what: What to do each time, so that it can be understood without this conversation.
            every: How long from one time to the next: 30m, 2h, 1d, 1w.
            first: When to do it first, as a time or how long from now; empty for after `every`.
        """
        seconds = parse_seconds(every)
        if seconds < self.config.least_seconds:
            raise BadInput(f"{every} is too often; at most every {self.config.least_seconds} s")
        now = self.clock.now()
        due_at = parse_time(first, now) if first.strip() else now + seconds * SECOND
        return await self._plan(ctx, what, max(due_at, now), seconds)

    @tool
    async def list_schedule(self, ctx: RunContext[ToolRun]) -> str:
        """Lists what is planned, the next first."""

        async def read(tx: Connection) -> Sequence[Schedule]:
            return await self.store.list(tx, ctx.deps.scope)

        planned = await self._run(transact(self.db, read))
        lines = [f"It is {iso(self.clock.now())} now.", *map(_line, planned)]
        return "\n".join(lines) if planned else "nothing is planned"

    @tool
    async def cancel_scheduled(self, ctx: RunContext[ToolRun], name: str) -> str:
        """Cancels something that was planned; `list_schedule` shows the ids.

        Args:
            name: Its id.
        """

        async def cancel(tx: Connection) -> Schedule:
            return await self.store.cancel(tx, ctx.deps.scope, name.strip())

        return f"cancelled: {_line(await self._run(transact(self.db, cancel)))}"

    async def _plan(self, ctx: RunContext[ToolRun], what: str, due_at: int, every: int) -> str:
        prompt, scope = what.strip(), ctx.deps.scope
        if not prompt or len(prompt) > self.config.longest:
            raise BadInput(f"say what to do, in at most {self.config.longest} characters")

        async def add(tx: Connection) -> Schedule:
            if await self.store.count(tx, scope) >= self.config.most:
                raise BadInput(f"{self.config.most} things are planned already; cancel some first")
            now = self.clock.now()
            return await self.store.add(tx, scope, prompt, due_at, now, every_seconds=every)

        return f"planned: {_line(await self._run(transact(self.db, add)))}"

    async def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return await self.db.run_async(work)


def parse_time(text: str, now: int) -> int:
    """Parse a time or a duration from now, into microseconds since 1970; no zone means UTC.

    >>> parse_time("1971-01-01T09:00:00+01:00", 0) == parse_time("1971-01-01 08:00", 0)
    True
    >>> parse_time("in 1 hour and 30 minutes", 0) // SECOND, parse_time("90s", 0) // SECOND
    (5400, 90)
    """
    stripped = text.strip()
    try:
        found = datetime.fromisoformat(stripped)
    except ValueError:
        return now + parse_seconds(stripped.removeprefix("in ")) * SECOND
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    try:
        at = (aware - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)
    except OverflowError as error:
        raise BadInput(f"{text!r} is too far away") from error
    if at > now + FARTHEST_SECONDS * SECOND:
        raise BadInput(f"{text!r} is too far away; the farthest is ten years from now")
    return at


def parse_seconds(text: str) -> int:
    """Parse a duration into seconds.

    >>> [parse_seconds(text) for text in ("1 day", "2h 15m", "an hour", "1.5 hours")]
    [86400, 8100, 3600, 5400]
    """
    stripped = ARTICLE.sub("1 ", text.strip())
    parts = [(number, "".join(unit)) for number, *unit in DURATION_PART.findall(stripped)]
    if not parts or DURATION_PART.sub("", stripped).strip():
        raise BadInput(
            f"{text!r} is not a time or duration; write 2030-01-31T09:00:00+01:00, "
            "or how long from now: 90s, 15m, 2h 30m, 3d"
        )
    seconds = int(sum(float(number) * UNITS[unit.lower()] for number, unit in parts))
    if not 0 < seconds <= FARTHEST_SECONDS:
        raise BadInput(f"{text!r} is not between a second and ten years")
    return seconds


def _line(one: Schedule) -> str:
    again = f", every {one.every_seconds} s" if one.every_seconds else ""
    return f"[{one.id}] {iso(one.due_at)}{again}: {one_line(one.prompt)}"
