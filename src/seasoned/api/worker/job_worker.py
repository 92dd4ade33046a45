"""The worker of one Seasoned: its engine with everything that jobs can do, and its reminders."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from seasoned.api.worker.job_handlers import AgentWork
from seasoned.api.worker.system_jobs import system_handlers, system_plan
from seasoned.core.errors import SeasonedError
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.jobs.engine import EngineConfig, JobEngine
from seasoned.jobs.job import Job, Work
from seasoned.jobs.workflow_run import WorkflowRunner

if TYPE_CHECKING:
    from seasoned.agent.agent import Agent
    from seasoned.api.async_seasoned import AsyncSeasoned
    from seasoned.core.scope import Scope
    from seasoned.db.unit import Change

log = logging.getLogger("seasoned.jobs")

NOW = "This was scheduled for now: "
REMINDER_SECONDS = 1.0
REMINDERS_AT_ONCE = 10
LONGEST_NAME = 40
RETRIES = 8  # of a reminder, over twenty minutes: a model may be away for a while


async def deliver_results(seasoned: AsyncSeasoned, stop: asyncio.Event) -> None:
    """Run nothing, but hand over what other workers leave to the channels of this process."""
    await JobEngine(seasoned.app.unit, {}, seasoned.app.deliverers).run(stop)


class JobWorker:
    """Runs schedules, jobs, workflows and reminders until told to stop."""

    def __init__(self, seasoned: AsyncSeasoned, *, agent: Agent | None = None) -> None:
        app, settings = seasoned.app, seasoned.app.config.settings
        self.app = app
        self.work = AgentWork(seasoned, agent)
        self.has_model = agent is not None or bool(settings.agent.model or settings.llm.model)
        config = EngineConfig(settings.jobs.at_once, settings.jobs.background_at_once)
        self.engine = engine = JobEngine(app.unit, {}, app.deliverers, config)
        runner = WorkflowRunner(engine, self.work.step, settings.jobs.steps_at_once)
        engine.handlers.update({"agent": self.work.ask, "workflow": runner})
        engine.handlers.update({"reminder": self._reminder, **system_handlers(app)})

    async def run(self, stop: asyncio.Event) -> None:
        try:
            await self._plan()
        except SeasonedError as error:  # those planned before still run
            log.warning("the system jobs could not be planned: %s", error)
        await asyncio.gather(self.engine.run(stop), self._remind(stop))

    async def _plan(self) -> None:
        planned, now = system_plan(self.app), self.app.clock.now()
        await self.engine.write(
            lambda change: self.engine.schedules.settle_system(change, planned, now)
        )

    async def _remind(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            try:
                await self.remind()
            except SeasonedError as error:
                log.warning("reminders wait: %s", error)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), REMINDER_SECONDS)

    async def remind(self) -> int:
        """Turn what is due of the agent's plans into jobs, except in sessions that are open.

        One transaction takes the plan's turn and adds the job: neither is there without the other.
        """
        from seasoned.tools.builtin.schedule_store import ScheduleStore

        store = ScheduleStore()

        async def move(change: Change) -> int:
            due = await store.due(change, change.at, REMINDERS_AT_ONCE, unattended=True)
            for one in due:
                name, deliver = one_line(one.prompt, LONGEST_NAME), self._home_of(one.scope)
                limit = self.app.jobs.defaults.limit_seconds
                content = {"prompt": one.prompt}
                work = Work(name, "reminder", content, one.scope, deliver, RETRIES, limit)
                await self.engine.jobs.add(change, "background", work, change.at)
                await store.done(change, one, change.at)
            return len(due)

        async def is_due() -> bool:
            async with self.app.db.read() as tx:
                return await store.is_due(tx, self.app.clock.now())

        return await self.engine.write(move) if await self.app.unit.run(is_due()) else 0

    def _home_of(self, scope: Scope) -> str:
        """Return where a reminder goes: to its channel, else where the settings say.

        Its session has it already: the turn takes place there.
        """
        home = self.app.deliverers.home_of(scope)
        return self.app.jobs.defaults.deliver if home.startswith("session:") else home

    async def _reminder(self, job: Job) -> str:
        """Do what was planned, in the session that planned it; without a model, only say it."""
        prompt = str(job.work.input.get("prompt", ""))
        if not self.has_model:
            return prompt
        return await self.work.reply(f"{NOW}{prompt}", job.work.scope)
