"""Schedules, background tasks and workflows of a caller: made, shown, changed, and audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.connection import Connection
from seasoned.db.keyset import Place
from seasoned.db.unit import Change, Unit
from seasoned.jobs.delivery import Deliverers
from seasoned.jobs.job import Job, Queue, Schedule, Work
from seasoned.jobs.job_store import JobStore
from seasoned.jobs.records import record_job, record_schedule
from seasoned.jobs.schedule_store import LONGEST_NAME, ScheduleStore
from seasoned.jobs.times import CatchUp, Rule
from seasoned.jobs.workflow import check_values, longest_seconds, parse_workflow

LONGEST_TITLE = 40
LONGEST_PROMPT = 100_000


@dataclass(frozen=True, slots=True)
class JobDefaults:
    """What a job gets that names nothing else."""

    deliver: str = "log"
    timezone: str = "UTC"
    limit_seconds: int = 1800
    retries: int = 2


class Jobs:
    """What a caller may do with jobs; those of others are not found."""

    def __init__(
        self, unit: Unit, deliverers: Deliverers, defaults: JobDefaults | None = None
    ) -> None:
        self.unit = unit
        self.deliverers = deliverers
        self.defaults = defaults or JobDefaults()
        self.store = JobStore()
        self.schedules = ScheduleStore(self.store)

    def work(
        self, name: str, prompt: str, scope: Scope, deliver: str = "", retries: int | None = None
    ) -> Work:
        """Return the work of asking the agent."""
        defaults = self.defaults
        target = self.deliverers.check(deliver or defaults.deliver)
        tries = defaults.retries if retries is None else retries
        if not prompt.strip():
            raise BadInput("the prompt is empty; say what the agent shall do")
        if len(prompt) > LONGEST_PROMPT:
            raise BadInput(
                f"the prompt has {len(prompt)} characters; it has at most {LONGEST_PROMPT}, "
                "so let the agent read a file"
            )
        return Work(name, "agent", {"prompt": prompt}, scope, target, tries, defaults.limit_seconds)

    def rule(self, *, cron: str = "", every: str = "", at: str = "", timezone: str = "") -> Rule:
        """Return the rule of which exactly one part is given."""
        zone, now = timezone or self.defaults.timezone, self.unit.now()
        given = [bool(cron), bool(every), bool(at)]
        if sum(given) != 1:
            raise BadInput("give one of cron, every and at")
        if cron:
            return Rule("cron", cron, zone, now)
        return Rule("every", every, zone, now) if every else Rule("at", at, zone, now)

    async def schedule(
        self, work: Work, rule: Rule, catch_up: str = "once", *, caller: Caller, most: int = 0
    ) -> Schedule:
        """Plan work; `most` limits how many plans the scope may have."""
        if catch_up not in ("skip", "once", "all"):
            raise BadInput(f"catch_up is {catch_up!r}; choose skip, once or all")
        policy: CatchUp = catch_up
        if not work.name.strip() or len(work.name) > LONGEST_NAME or not work.name.isprintable():
            raise BadInput(
                f"a schedule's name has 1 to {LONGEST_NAME} characters in one line; choose another"
            )
        caller.require("teach", work.scope, f"schedule {work.name!r}")

        async def add(change: Change) -> Schedule:
            if most and await self.schedules.count(change, caller) >= most:
                raise BadInput(f"{most} schedules are there already; remove some first")
            made = await self.schedules.add(change, work, rule, change.at, policy)
            record_schedule(change, "schedule.added", made)
            return made

        return await self.unit.change(add)

    async def list_schedules(self, caller: Caller) -> Sequence[Schedule]:
        async with self.unit.read() as tx:
            return await self.schedules.list(tx, caller)

    async def list_by_name(
        self, caller: Caller, most: int, after: Place | None = None
    ) -> Sequence[Schedule]:
        async with self.unit.read() as tx:
            return await self.schedules.list_by_name(tx, caller, most, after)

    async def get_schedule(self, name: str, caller: Caller) -> Schedule:
        async with self.unit.read() as tx:
            return await self.schedules.get(tx, name, caller)

    async def pause(self, name: str, caller: Caller, *, paused: bool) -> Schedule:
        async def change_it(change: Change) -> Schedule:
            found = await self.schedules.get(change, name, caller)
            if found.paused == paused:
                return found
            found = await self.schedules.pause(change, found, change.at, paused=paused)
            record_schedule(change, "schedule.paused" if paused else "schedule.resumed", found)
            return found

        return await self.unit.change(change_it)

    async def unschedule(self, name: str, caller: Caller) -> Schedule:
        """Remove a schedule; its history stays."""

        async def remove(change: Change) -> Schedule:
            found = await self.schedules.get(change, name, caller)
            if found.work.is_system:
                raise BadInput(f"{found.work.name} is a system job; pause it instead")
            await self.schedules.remove(change, found)
            record_schedule(change, "schedule.removed", found)
            return found

        return await self.unit.change(remove)

    async def run_now(self, name: str, caller: Caller) -> Job:
        """Add a run beside the plan."""

        async def add(change: Change) -> Job:
            found = await self.schedules.get(change, name, caller)
            return await self._add(change, "cron", found.work, found.id)

        return await self.unit.change(add)

    async def start(self, prompt: str, caller: Caller, deliver: str = "") -> Job:
        """Ask the agent in the background."""
        work = self.work(one_line(prompt, LONGEST_TITLE), prompt, caller.scope.within(""), deliver)
        return await self.unit.change(lambda change: self._add(change, "background", work))

    async def start_workflow(
        self, text: str, where: str, values: Mapping[str, Any], caller: Caller
    ) -> Job:
        """Run a workflow; `where` names its file in errors."""
        flow = parse_workflow(text, where)
        check_values(flow, values)
        target = self.deliverers.check(flow.deliver)
        content = {"text": text, "values": dict(values)}
        scope = caller.scope.within("")
        limit = max(longest_seconds(flow), self.defaults.limit_seconds)
        name = one_line(flow.name, LONGEST_NAME)
        work = Work(name, "workflow", content, scope, target, 0, limit)
        return await self.unit.change(lambda change: self._add(change, "workflow", work))

    async def _add(self, change: Change, queue: Queue, work: Work, schedule: str = "") -> Job:
        now = change.at
        name = await self.store.add(change, queue, work, now, schedule=schedule, due=now)
        job = await self.store.get(change, name)
        record_job(change, "job.added", job)
        return job

    async def list(
        self,
        caller: Caller,
        *,
        queue: str = "",
        status: str = "",
        schedule: str = "",
        is_system: bool | None = None,
        most: int = 50,
        after: Place | None = None,
    ) -> Sequence[Job]:
        async with self.unit.read() as tx:
            return await self.store.list(
                *(tx, caller),
                queue=queue,
                status=status,
                schedule=schedule,
                is_system=is_system,
                most=most,
                after=after,
            )

    async def get(self, name: str, caller: Caller) -> Job:
        async with self.unit.read() as tx:
            return await self.store.get(tx, name, caller)

    async def steps(self, name: str, caller: Caller) -> Mapping[str, str]:
        async def read(tx: Connection) -> Mapping[str, str]:
            return await self.store.steps(tx, (await self.store.get(tx, name, caller)).id)

        async with self.unit.read() as tx:
            return await read(tx)

    async def cancel(self, name: str, caller: Caller) -> Job:
        """Cancel a waiting job at once; a running one when its worker hears of it."""

        async def cancel(change: Change) -> Job:
            before = await self.store.get(change, name, caller)
            after = await self.store.cancel(change, before.id, change.at)
            if after.status != before.status:
                record_job(change, "job.cancelled", after)
            elif after.cancelling and not before.cancelling:
                record_job(change, "job.stopping", after)
            return after

        return await self.unit.change(cancel)

    async def restart(self, name: str, caller: Caller) -> Job:
        """Let a failed or cancelled job run once more; finished steps stay finished."""

        async def again(change: Change) -> Job:
            found = await self.store.get(change, name, caller)
            job = await self.store.again(change, found.id, change.at)
            record_job(change, "job.restarted", job)
            return job

        return await self.unit.change(again)
