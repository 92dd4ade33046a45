"""`s.jobs`: what the agent does by itself; at set times, in the background, in workflows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.api.face import AsyncFace, SyncFace, sync

if TYPE_CHECKING:
    from seasoned.db.keyset import Place
    from seasoned.jobs.job import Job, Schedule


class AsyncJobsFace(AsyncFace):
    """Jobs of one scope; `seasoned serve` and `seasoned worker` run them, in that scope."""

    async def schedule(
        self,
        name: str,
        prompt: str,
        *,
        cron: str = "",
        every: str = "",
        at: str = "",
        timezone: str = "",
        catch_up: str = "once",
        deliver: str = "",
        retries: int | None = None,
    ) -> "Schedule":
        """Plan what the agent is asked: by one of `cron`, `every` ("15m") and `at` (a time)."""
        jobs = self._app.jobs
        work = jobs.work(name, prompt, self._scope.within(""), deliver, retries)
        rule = jobs.rule(cron=cron, every=every, at=at, timezone=timezone)
        return await self._run(jobs.schedule(work, rule, catch_up, caller=self._caller))

    async def schedules(
        self, *, by_name: bool = False, limit: int = 50, after: "Place | None" = None
    ) -> "Sequence[Schedule]":
        """List schedules, the next first, system jobs last; or pages of them `by_name`."""
        jobs = self._app.jobs
        if by_name:
            return await self._run(jobs.list_by_name(self._caller, limit, after))
        return await self._run(jobs.list_schedules(self._caller))

    async def get_schedule(self, name: str) -> "Schedule":
        """Return a schedule by its name, its id or a prefix of the id."""
        return await self._run(self._app.jobs.get_schedule(name, self._caller))

    async def pause(self, name: str) -> "Schedule":
        """Pause a schedule; what is due meanwhile is left out."""
        return await self._run(self._app.jobs.pause(name, self._caller, paused=True))

    async def resume(self, name: str) -> "Schedule":
        """Resume a paused schedule."""
        return await self._run(self._app.jobs.pause(name, self._caller, paused=False))

    async def run_now(self, name: str) -> "Job":
        """Let a schedule run now, beside its plan."""
        return await self._run(self._app.jobs.run_now(name, self._caller))

    async def unschedule(self, name: str) -> "Schedule":
        """Remove a schedule; its history stays."""
        return await self._run(self._app.jobs.unschedule(name, self._caller))

    async def history(self, name: str = "", *, limit: int = 20) -> "Sequence[Job]":
        """List the runs of a schedule, or of all schedules, latest first."""
        schedule = (await self.get_schedule(name)).id if name else ""
        return await self._run(
            self._app.jobs.list(self._caller, queue="cron", schedule=schedule, most=limit)
        )

    async def start(self, prompt: str, *, deliver: str = "") -> "Job":
        """Ask the agent in the background."""
        return await self._run(self._app.jobs.start(prompt, self._caller, deliver))

    async def start_workflow(
        self, text: str, values: Mapping[str, Any] | None = None, *, where: str = "workflow"
    ) -> "Job":
        """Start a workflow, given as YAML; `where` names it in errors."""
        started = self._app.jobs.start_workflow(text, where, values or {}, self._caller)
        return await self._run(started)

    async def list(
        self,
        *,
        queue: str = "",
        status: str = "",
        schedule: str = "",
        system: bool | None = False,
        limit: int = 50,
        after: "Place | None" = None,
    ) -> "Sequence[Job]":
        """List jobs, newest first; `system` means those that look after the installation."""
        found = self._app.jobs.list(
            self._caller,
            queue=queue,
            status=status,
            schedule=schedule,
            is_system=system,
            most=limit,
            after=after,
        )
        return await self._run(found)

    async def get(self, name: str) -> "Job":
        """Return a job by its id or a prefix of it."""
        return await self._run(self._app.jobs.get(name, self._caller))

    async def steps(self, name: str) -> Mapping[str, str]:
        """Return the results of the finished steps of a workflow's run."""
        return await self._run(self._app.jobs.steps(name, self._caller))

    async def cancel(self, name: str) -> "Job":
        """Cancel a job; one that runs stops within seconds."""
        return await self._run(self._app.jobs.cancel(name, self._caller))

    async def restart(self, name: str) -> "Job":
        """Let a failed or cancelled job run again; finished steps stay finished."""
        return await self._run(self._app.jobs.restart(name, self._caller))


class JobsFace(SyncFace[AsyncJobsFace]):
    """The synchronous twin."""

    schedule = sync(AsyncJobsFace.schedule)
    schedules = sync(AsyncJobsFace.schedules)
    get_schedule = sync(AsyncJobsFace.get_schedule)
    pause = sync(AsyncJobsFace.pause)
    resume = sync(AsyncJobsFace.resume)
    run_now = sync(AsyncJobsFace.run_now)
    unschedule = sync(AsyncJobsFace.unschedule)
    history = sync(AsyncJobsFace.history)
    start = sync(AsyncJobsFace.start)
    start_workflow = sync(AsyncJobsFace.start_workflow)
    list = sync(AsyncJobsFace.list)
    get = sync(AsyncJobsFace.get)
    steps = sync(AsyncJobsFace.steps)
    cancel = sync(AsyncJobsFace.cancel)
    restart = sync(AsyncJobsFace.restart)
