"""A tool for planning by the calendar: a job that runs in a conversation of its own."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic_ai import RunContext

from seasoned.core.authority import Caller
from seasoned.core.clock import iso
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.tools.builtin.planned_times import parse_seconds, parse_time
from seasoned.tools.run import ToolRun
from seasoned.tools.tool import tool

if TYPE_CHECKING:
    from seasoned.jobs.job import Schedule
    from seasoned.jobs.jobs import Jobs
    from seasoned.jobs.times import Rule

LONGEST = 4000  # characters of a task
LONGEST_NAME = 40
LEAST_SECONDS = 60  # between two runs
MOST = 100  # plans of one user


class PlannedJobs:
    """Jobs that an agent plans for the user it works for; those of others it does not find."""

    def __init__(self, jobs: "Jobs") -> None:
        self.jobs = jobs

    @tool(
        dangerous=True,
        examples=[
            {"what": "Summarise the new tickets", "cron": "30 7 * * 1-5", "zone": "Europe/Berlin"}
        ],
    )
    async def schedule(
        self,
        ctx: RunContext[ToolRun],
        what: str,
        cron: str = "",
        every: str = "",
        at: str = "",
        zone: str = "",
    ) -> str:
        """Plans work for later that is done without this conversation; the result is told here.

        Give one of cron, every and at. Nobody is there then to approve tools.

        Args:
            what: What to do, so that it can be understood without this conversation.
            cron: Five fields: minute, hour, day, month, weekday; 30 7 * * 1-5 is workdays at 7:30.
            every: How long from one time to the next: 30m, 2h, 1d.
            at: Once: a time (2030-01-31T09:00), or how long from now (90m, 3d).
            zone: The time zone that cron and at are meant in, such as Europe/Berlin.
        """
        prompt, scope = what.strip(), ctx.deps.scope
        if len(prompt) > LONGEST:
            raise BadInput(f"say what to do in at most {LONGEST} characters")
        owner = scope.within("")
        deliver = self.jobs.deliverers.home_of(scope) if scope.session else ""
        work = self.jobs.work(await self._name(prompt, owner), prompt, owner, deliver)
        rule = self._rule(cron.strip(), every.strip(), at.strip(), zone.strip())
        made = await self.jobs.unit.run(
            self.jobs.schedule(work, rule, caller=Caller(owner), most=MOST)
        )
        return f"planned: {_line(made)}"

    async def _name(self, prompt: str, owner: Scope) -> str:
        """Return a name that no other plan of the user has; many tasks begin alike."""
        found = await self.jobs.unit.run(self.jobs.list_schedules(Caller(owner)))
        taken = {one.work.name for one in found if one.work.scope == owner}
        name, number = one_line(prompt, LONGEST_NAME), 1
        while (numbered := name if number == 1 else f"{name} ({number})") in taken:
            number += 1
        return numbered

    def _rule(self, cron: str, every: str, at: str, zone: str) -> "Rule":
        if every:
            seconds = parse_seconds(every)
            if seconds < LEAST_SECONDS:
                raise BadInput(f"{every} is too often; at most every {LEAST_SECONDS} s")
            every = f"{seconds}s"
        if at and not _is_time(at):
            at = iso(parse_time(at, self.jobs.unit.now()))
        return self.jobs.rule(cron=cron, every=every, at=at, timezone=zone)

    async def lines(self, scope: Scope) -> Sequence[str]:
        """Return what is planned for a user, a line each, the next first."""
        owner = scope.within("")
        found = await self.jobs.unit.run(self.jobs.list_schedules(Caller(owner)))
        return [_line(one) for one in found if _is_of(one, owner) and one.next_at]

    async def cancel(self, scope: Scope, name: str) -> str | None:
        """Remove a plan of a user; None if there is none by that name."""
        owner, jobs = scope.within(""), self.jobs
        try:
            found = await jobs.unit.run(jobs.get_schedule(name.strip(), Caller(owner)))
        except NotFound:
            return None
        if not _is_of(found, owner):
            return None
        return _line(await jobs.unit.run(jobs.unschedule(found.id, Caller(owner))))


def _is_of(one: "Schedule", owner: Scope) -> bool:
    return one.work.scope == owner and not one.work.is_system


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _line(one: "Schedule") -> str:
    rule = f"{one.rule.kind} {one.rule.text}"
    paused = ", paused" if one.paused else ""
    prompt = str(one.work.input.get("prompt", ""))
    return f"[{one.id}] {iso(one.next_at)}, {rule} {one.rule.timezone}{paused}: {one_line(prompt)}"
