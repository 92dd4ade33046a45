"""Run jobs durably: claim them, hold the claim while they run, store and deliver their results.

Everything is in the database, so any number of workers may run, and one that is killed loses
nothing: its claims end within half a minute, and another worker takes its jobs over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from seasoned.core.actor import acting_as
from seasoned.core.clock import SECOND
from seasoned.core.errors import SeasonedError
from seasoned.core.ids import new_id
from seasoned.db.unit import Change, Unit
from seasoned.jobs.delivery import Deliverers, name_of
from seasoned.jobs.job import QUEUES, Handler, Job, Queue, Status
from seasoned.jobs.job_store import MOST_DELIVERIES, JobStore
from seasoned.jobs.records import record_job
from seasoned.jobs.schedule_store import ScheduleStore

T = TypeVar("T")
log = logging.getLogger("seasoned.jobs")

MOST_AT_ONCE = 10  # deliveries that are tried again
MOST_DEATHS = 5


@dataclass(frozen=True, slots=True)
class EngineConfig:
    at_once: int = 5
    background_at_once: int = 3
    workflows_at_once: int = 3
    lease_seconds: float = 30
    poll_seconds: float = 1
    drain_seconds: float = 20
    delivery_seconds: float = 20  # for one try; the claim on a delivery is half as long again

    def most(self, queue: Queue) -> int:
        limits: dict[Queue, int] = {
            "cron": self.at_once,
            "background": self.background_at_once,
            "workflow": self.workflows_at_once,
        }
        return limits[queue]


class LostClaim(SeasonedError):
    """Another worker runs the job now."""


class JobEngine:
    """One worker: runs jobs whose handlers it has, until told to stop."""

    def __init__(
        self,
        unit: Unit,
        handlers: Mapping[str, Handler],
        deliver: Deliverers,
        config: EngineConfig | None = None,
    ) -> None:
        self.unit = unit
        self.clock = unit.clock
        self.handlers = dict(handlers)
        self.deliver = deliver
        self.config = config or EngineConfig()
        self.jobs = JobStore()
        self.schedules = ScheduleStore(self.jobs)
        self.worker = new_id()
        self._running: dict[asyncio.Task[None], Job] = {}
        self._delivering: set[asyncio.Task[None]] = set()
        self._broken: dict[str, str] = {}
        self._freed: asyncio.Event | None = None

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; then finish what runs, or give it back."""
        self._freed = freed = asyncio.Event()
        while not stop.is_set():
            freed.clear()
            try:
                await self.tick()
            except SeasonedError as error:  # the database is busy or gone; jobs wait in it
                log.warning("jobs wait: %s", error)
            except Exception:  # one that nobody thought of must not end all jobs
                log.exception("jobs wait")
            await _first_of(stop, freed, self.config.poll_seconds)
        await self._drain()

    async def tick(self) -> int:
        """Start what is due and fits; return how many jobs were started."""
        if not await self.unit.run(self._is_due()):
            return 0
        started = await self._start() if self.handlers else 0
        if len(self._delivering) < MOST_AT_ONCE:
            for job in await self._claim_undelivered():
                self._delivering.add(asyncio.create_task(self._deliver_again(job)))
        return started

    async def _start(self) -> int:
        broken = await self.write(lambda tx: self.schedules.start_due(tx, self.clock.now()))
        for name, why in broken.items():
            if self._broken.get(name) != why:  # said once, not every second
                log.error("schedule %s does not run: %s; remove it and add it anew", name, why)
        self._broken = {**broken}
        started = 0
        for queue in QUEUES:
            busy = sum(1 for job in self._running.values() if job.queue == queue)
            free = self.config.most(queue) - busy
            if free <= 0:
                continue
            for job in await self._claim(queue, free):
                self._running[asyncio.create_task(self._work(job))] = job
                started += 1
        return started

    async def _is_due(self) -> bool:
        """Look first: an idle worker must not take the database's lock each second."""
        now, handlers = self.clock.now(), tuple(self.handlers)
        async with self.unit.read() as tx:
            if await self.jobs.is_undelivered(tx, self.deliver.names, now):
                return True
            if not handlers:
                return False
            due = await self.jobs.is_due(tx, handlers, now)
            return due or await self.schedules.is_due(tx, now)

    async def idle(self) -> None:
        """Work until nothing is due and nothing runs."""
        while await self.tick() or self._tasks():
            if tasks := self._tasks():
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)

    def _tasks(self) -> list[asyncio.Task[None]]:
        return [*self._running, *self._delivering]

    async def write(self, work: Callable[[Change], Awaitable[T]]) -> T:
        return await self.unit.run(self.unit.change(work))

    def until(self) -> int:
        """Return when a claim ends that is renewed now."""
        return self.clock.now() + int(self.config.lease_seconds * SECOND)

    async def _claim(self, queue: Queue, most: int) -> list[Job]:
        names, running = tuple(self.handlers), [job.id for job in self._running.values()]
        now, until = self.clock.now(), self.until()
        return [
            *await self.write(
                lambda tx: self.jobs.claim(tx, queue, self.worker, names, now, until, most, running)
            )
        ]

    async def _claim_undelivered(self) -> list[Job]:
        now, until, names = self.clock.now(), self._delivered_until(), self.deliver.names
        return [*await self.write(lambda tx: self.jobs.undelivered(tx, names, now, until))]

    def _delivered_until(self) -> int:
        return self.clock.now() + int(1.5 * self.config.delivery_seconds * SECOND)

    async def _deliver_again(self, job: Job) -> None:
        this = asyncio.current_task()
        try:
            await self._deliver(job)
        finally:
            if this is not None:
                self._delivering.discard(this)

    async def _work(self, job: Job) -> None:
        """Run one job to its end, and store how it ended."""
        this = asyncio.current_task()
        try:
            await self._finish(job)
        except SeasonedError as error:  # the claim ends by itself, and the job is run again
            log.warning("how job %s ended could not be stored: %s", job.id, error)
        finally:
            if this is not None:
                self._running.pop(this, None)
            if self._freed is not None:
                self._freed.set()  # there is room for another

    async def _finish(self, job: Job) -> None:
        if job.cancelling:  # its worker died, or it was to be tried again
            await self._end(job, "cancelled", error="cancelled")
            return
        if job.deaths >= MOST_DEATHS:  # it may be what kills them
            error = f"the process that ran it died {job.deaths} times; see its log before a restart"
            await self._fail(job, error, again=False)
            return
        doing = asyncio.ensure_future(self._do(job))
        holding = asyncio.create_task(self._hold(job, doing))
        try:
            done, _ = await asyncio.wait([doing], timeout=job.work.limit_seconds)
            if not done:
                await _stopped(doing)
                error = f"took longer than its limit of {job.work.limit_seconds} s"
                await self._fail(job, error, again=False)
                return
            result = doing.result()
        except asyncio.CancelledError:
            await _stopped(doing)
            if _is_stopping():
                await self.write(lambda tx: self.jobs.release(tx, job))
                raise
            verdict = await holding if holding.done() else "unknown"
            if verdict == "cancelling":
                await self._end(job, "cancelled", error="cancelled")
            elif verdict == "unknown":  # released, it would begin again at once, for ever
                await self._fail(job, "it was cancelled by something that it called")
        except LostClaim:
            log.info("job %s is run by another worker now", job.id)
        except Exception as error:  # noqa: BLE001 - whatever a job raises is its outcome
            known = isinstance(error, SeasonedError)
            await self._fail(job, str(error) if known else f"{type(error).__name__}: {error}")
        else:
            await self._end(job, "done", result=result)
        finally:
            await _stopped(holding)

    async def _do(self, job: Job) -> str:
        with acting_as(f"job:{job.id}"):  # what it changes is audited as its deed
            return await self.handlers[job.work.handler](job)

    async def _hold(self, job: Job, doing: asyncio.Future[str]) -> str:
        """Renew the claim; stop the job when it is cancelled, or when the claim is lost."""
        pause = min(self.config.lease_seconds / 3, 2.0)
        while True:
            await asyncio.sleep(pause)
            try:
                state = await self.write(lambda tx: self.jobs.renew(tx, job, self.until()))
            except SeasonedError as error:
                log.warning("the claim on job %s could not be renewed: %s", job.id, error)
                continue
            if state != "held":
                doing.cancel()
                return state

    async def _fail(self, job: Job, error: str, *, again: bool = True) -> None:
        if again and job.tries < job.work.retries:
            await self.write(lambda tx: self.jobs.retry(tx, job, self.clock.now(), error))
            return
        await self._end(job, "failed", error=error)

    async def _end(self, job: Job, status: Status, *, result: str = "", error: str = "") -> None:
        delivers = status != "cancelled" and self.deliver.reach(job.work.deliver)
        now, until = self.clock.now(), self._delivered_until() if delivers else 0

        async def end(change: Change) -> Job | None:
            ended = await self.jobs.end(change, job, status, now, until, result=result, error=error)
            if ended and not (job.work.is_system and status == "done"):  # its history says so
                record_job(change, f"job.{status}", job, error)
            return ended

        ended = await self.write(end)
        if ended is not None and delivers:
            await self._deliver(ended)

    async def _deliver(self, job: Job) -> None:
        """Hand a stored result over, then note that: a crash between the two delivers it twice."""
        text = job.result if job.status == "done" else f"{job.work.name} failed: {job.error}"
        try:
            async with asyncio.timeout(self.config.delivery_seconds):
                await self.deliver(job.work.deliver, text, job.work.scope)
        except Exception as failed:  # noqa: BLE001 - whatever a channel raises, it did not arrive
            late = isinstance(failed, TimeoutError)
            why = f"it took longer than {self.config.delivery_seconds:g} s" if late else str(failed)
            await self._note_failure(job, job.deliveries, why or type(failed).__name__)
        else:
            await self._note(job, lambda tx: self.jobs.delivered(tx, job.id, self.clock.now()))

    async def _note_failure(self, job: Job, tried: int, why: str) -> None:
        now, last = self.clock.now(), tried >= MOST_DELIVERIES
        log.log(
            logging.ERROR if last else logging.WARNING,
            "the result of job %s did not reach %s: %s; %s",
            *(job.id, name_of(job.work.deliver), why),
            "it is not tried again; `seasoned jobs show` has it" if last else "it is tried again",
        )
        await self._note(job, lambda tx: self.jobs.not_delivered(tx, job.id, tried, why, now))

    async def _note(self, job: Job, work: Callable[[Change], Awaitable[None]]) -> None:
        try:
            await self.write(work)
        except SeasonedError as error:  # it is delivered again when the claim on it ends
            log.warning("the delivery of job %s could not be noted: %s", job.id, error)

    async def _drain(self) -> None:
        tasks = self._tasks()
        if not tasks:
            return
        seconds = self.config.drain_seconds
        log.info("stopping; jobs at work: %d, which get %g s to end", len(tasks), seconds)
        _, left = await asyncio.wait(tasks, timeout=self.config.drain_seconds)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)


def _is_stopping() -> bool:
    """Tell whether the worker itself was told to end this task."""
    this = asyncio.current_task()
    return this is not None and this.cancelling() > 0


async def _first_of(stop: asyncio.Event, freed: asyncio.Event, seconds: float) -> None:
    """Wait until one of two things happens, or the time is over."""
    waits = [asyncio.ensure_future(stop.wait()), asyncio.ensure_future(freed.wait())]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()


async def _stopped(task: asyncio.Future[str]) -> None:
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()  # asked for, so that nobody complains that nobody asked
