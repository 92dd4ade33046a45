"""The jobs of one Seasoned: its engine with everything that jobs can do, and its reminders."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from seasoned.api.job_handlers import AgentWork, maintenance
from seasoned.core.errors import BadInput, SeasonedError
from seasoned.db.connection import Connection
from seasoned.jobs.delivery import Delivery
from seasoned.jobs.engine import EngineConfig, JobEngine
from seasoned.jobs.job import Work
from seasoned.jobs.times import Rule
from seasoned.jobs.workflow_run import WorkflowRunner

if TYPE_CHECKING:
    from seasoned.agent.agent import Agent
    from seasoned.api.async_seasoned import AsyncSeasoned
    from seasoned.app import App

log = logging.getLogger("seasoned.jobs")

NOW = "This was scheduled for now: "
REMINDER_SECONDS = 1.0
SYSTEM_JOBS = (("system-canary", "canary", "17 * * * *"), ("system-tidy", "tidy", "41 3 * * *"))


def job_engine(app: App, delivery: Delivery | None = None) -> JobEngine:
    """Build an engine that knows no handlers yet: it adds, lists and cancels."""
    jobs = app.config.settings.jobs
    config = EngineConfig(jobs.at_once, jobs.background_at_once)
    return JobEngine(app.db, app.clock, {}, delivery or job_delivery(app), config)


def job_delivery(app: App) -> Delivery:
    return Delivery(webhook=app.config.settings.notify.url)


class JobWorker:
    """Runs schedules, jobs, workflows and reminders until told to stop."""

    def __init__(
        self,
        seasoned: AsyncSeasoned,
        *,
        agent: Agent | None = None,
        delivery: Delivery | None = None,
    ) -> None:
        app = seasoned.app
        self.app = app
        self.work = AgentWork(seasoned, agent)
        self.has_model = agent is not None or bool(
            app.config.settings.agent.model or app.config.settings.llm.model
        )
        self.engine = engine = job_engine(app, delivery)
        runner = WorkflowRunner(engine, self.work.step, app.config.settings.jobs.steps_at_once)
        engine.handlers.update({"agent": self.work.ask, "workflow": runner, **maintenance(app)})

    async def run(self, stop: asyncio.Event) -> None:
        await self._plan_system_jobs()
        await asyncio.gather(self.engine.run(stop), self._remind(stop))

    async def _plan_system_jobs(self) -> None:
        engine, now = self.engine, self.app.clock.now()
        for name, handler, cron in SYSTEM_JOBS:
            work = Work(name, handler, deliver="none")
            with suppress(BadInput):  # it is planned already

                async def add(tx: Connection, work: Work = work, cron: str = cron) -> object:
                    rule = Rule("cron", cron, made_at=now)
                    return await engine.schedules.add(tx, work, rule, now, "skip", is_system=True)

                await engine.write(add)

    async def _remind(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            try:
                await self.remind()
            except SeasonedError as error:
                log.warning("reminders wait: %s", error)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), REMINDER_SECONDS)

    async def remind(self) -> int:
        """Do what is due of the agent's plans, except in sessions that a person has open."""
        from seasoned.tools.builtin.schedule_store import ScheduleStore

        store, write, clock = ScheduleStore(), self.engine.write, self.app.clock
        due = await write(lambda tx: store.due(tx, clock.now(), 1, unattended=True))
        for one in due:
            try:
                text = one.prompt
                if self.has_model:
                    text = await self.work.reply(f"{NOW}{one.prompt}", one.scope)
                await self.engine.deliver(self.app.config.settings.jobs.deliver, text)
            except SeasonedError as error:
                said = str(error)
                await write(lambda tx, one=one, said=said: store.failed(tx, one, said, clock.now()))
            else:
                await write(lambda tx, one=one: store.done(tx, one, clock.now()))
        return len(due)
