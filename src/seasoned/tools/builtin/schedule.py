"""Tools for planning: do something once at a given time, or repeatedly."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic_ai import RunContext

from seasoned.core.clock import SECOND, Clock, iso
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.text import one_line
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact
from seasoned.tools.builtin.planned_jobs import PlannedJobs
from seasoned.tools.builtin.planned_times import parse_seconds, parse_time
from seasoned.tools.builtin.schedule_store import Schedule, ScheduleStore
from seasoned.tools.run import ToolRun
from seasoned.tools.tool import tool

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ScheduleConfig:
    most: int = 100  # waiting tasks of one user
    least_seconds: int = 60  # between two runs of a repeating task
    longest: int = 4000  # characters of a task


def schedule_tools(
    db: Database,
    clock: Clock,
    config: ScheduleConfig | None = None,
    jobs: PlannedJobs | None = None,
) -> Sequence[Callable[..., Any]]:
    """Return the tools; with `jobs`, also `schedule`, which plans by the calendar."""
    tools = ScheduleTools(db, ScheduleStore(), clock, config or ScheduleConfig(), jobs)
    more = (jobs.schedule,) if jobs is not None else ()
    return (tools.remind, tools.repeat, *more, tools.schedule_list, tools.schedule_cancel)


class ScheduleTools:
    def __init__(
        self,
        db: Database,
        store: ScheduleStore,
        clock: Clock,
        config: ScheduleConfig,
        jobs: PlannedJobs | None = None,
    ) -> None:
        self.db = db
        self.store = store
        self.clock = clock
        self.config = config
        self.jobs = jobs

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
    async def schedule_list(self, ctx: RunContext[ToolRun]) -> str:
        """Lists what is planned, the next first."""

        async def read(tx: Connection) -> Sequence[Schedule]:
            return await self.store.list(tx, ctx.deps.scope)

        planned = [*map(_line, await self._run(transact(self.db, read)))]
        if self.jobs is not None:
            planned += await self.jobs.lines(ctx.deps.scope)
        lines = [f"It is {iso(self.clock.now())} now.", *planned]
        return "\n".join(lines) if planned else "nothing is planned"

    @tool
    async def schedule_cancel(self, ctx: RunContext[ToolRun], name: str) -> str:
        """Cancels something that was planned; `schedule_list` shows the ids.

        Args:
            name: Its id.
        """

        async def cancel(tx: Connection) -> Schedule:
            return await self.store.cancel(tx, ctx.deps.scope, name.strip())

        try:
            return f"cancelled: {_line(await self._run(transact(self.db, cancel)))}"
        except NotFound:
            if self.jobs is None or (line := await self.jobs.cancel(ctx.deps.scope, name)) is None:
                raise
            return f"cancelled: {line}"

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


def _line(one: Schedule) -> str:
    again = f", every {one.every_seconds} s" if one.every_seconds else ""
    return f"[{one.id}] {iso(one.due_at)}{again}: {one_line(one.prompt)}"
