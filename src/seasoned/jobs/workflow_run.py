"""Run a workflow's steps as soon as what they need is there; finished steps are never run again."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from seasoned.core.errors import DatabaseBusy, DatabaseUnavailable, SeasonedError
from seasoned.core.scope import Scope
from seasoned.jobs.engine import JobEngine, LostClaim
from seasoned.jobs.job import Job
from seasoned.jobs.job_store import kept_result
from seasoned.jobs.workflow import Step, Workflow, filled, parse_workflow

# Runs a step whose placeholders are filled: its kind's text and arguments, and its session.
RunStep = Callable[[Step, str, Mapping[str, Any], Scope], Awaitable[str]]
log = logging.getLogger("seasoned.jobs")

LONGEST_STEP = 200_000  # characters of a result
RETRY_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0


class StepFailed(SeasonedError):
    """A step failed for good."""


class WorkflowRunner:
    """The handler of workflow jobs; `input` holds the text of the workflow and its values."""

    def __init__(self, engine: JobEngine, run_step: RunStep, at_once: int = 4) -> None:
        self.engine = engine
        self.run_step = run_step
        self.at_once = at_once

    async def __call__(self, job: Job) -> str:
        given: Mapping[str, Any] = job.work.input.get("values") or {}
        flow = parse_workflow(str(job.work.input.get("text", "")), job.work.name)
        engine = self.engine
        results = dict(await engine.write(lambda tx: engine.jobs.steps(tx, job.id)))
        await self._steps(job, flow, results, given)
        needed = {need for step in flow.steps.values() for need in step.needs}
        last = [name for name in flow.steps if name not in needed]
        if len(last) == 1:
            return results[last[0]]
        return json.dumps({name: results[name] for name in last}, ensure_ascii=False)

    async def _steps(
        self, job: Job, flow: Workflow, results: dict[str, str], given: Mapping[str, Any]
    ) -> None:
        running: dict[asyncio.Task[str], Step] = {}
        try:
            while len(results) < len(flow.steps):
                busy = {step.name for step in running.values()}
                for step in flow.steps.values():
                    ready = step.name not in results and step.needs <= set(results)
                    if ready and step.name not in busy and len(running) < self.at_once:
                        running[asyncio.create_task(self._step(job, step, results, given))] = step
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    step = running.pop(task)
                    results[step.name] = task.result()
        finally:
            for task in running:
                task.cancel()
            if running:
                await asyncio.gather(*running, return_exceptions=True)

    async def _step(
        self, job: Job, step: Step, results: Mapping[str, str], given: Mapping[str, Any]
    ) -> str:
        text, arguments = step.text, filled(dict(step.arguments), results, given)
        if step.kind == "agent":
            text = filled(text, results, given)
        result = kept_result(await self._tried(job, step, text, arguments))
        if len(result) > LONGEST_STEP:
            raise StepFailed(
                f"{job.work.name}: step {step.name!r} failed: its result has {len(result)} "
                f"characters, and at most {LONGEST_STEP} are handed on; let it write a file"
            )
        await self._store(job, step, result)
        return result

    async def _store(self, job: Job, step: Step, result: str) -> None:
        """Store what a step has done; wait for a database that is away as long as a claim lasts."""
        engine, left = self.engine, self.engine.config.lease_seconds
        while True:
            now, until = engine.clock.now(), engine.until()
            try:
                held = await engine.write(
                    lambda tx, now=now, until=until: engine.jobs.finish_step(
                        tx, job, step.name, result, now, until
                    )
                )
            except (DatabaseBusy, DatabaseUnavailable) as error:
                if left <= 0:
                    raise
                log.warning("step %s of job %s waits to be stored: %s", step.name, job.id, error)
                left -= RETRY_SECONDS
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if not held:
                raise LostClaim(f"job {job.id} was claimed by another worker")
            return

    async def _tried(self, job: Job, step: Step, text: str, arguments: Mapping[str, Any]) -> str:
        scope = job.work.scope.within(f"job-{job.id}-{step.name}")  # no two runs share a history
        for tried in range(step.retries + 1):
            try:
                async with asyncio.timeout(step.timeout_seconds):
                    return await self.run_step(step, text, arguments, scope)
            except TimeoutError as late:
                error, cause = f"took longer than {step.timeout_seconds:g} s", late
            except Exception as failed:  # noqa: BLE001 - whatever a step raises is its outcome
                known = isinstance(failed, SeasonedError)
                error = str(failed) if known else f"{type(failed).__name__}: {failed}"
                cause = failed
            if tried == step.retries:
                raise StepFailed(
                    f"{job.work.name}: step {step.name!r} failed: {error}; "
                    f"`seasoned workflow resume {job.id}` goes on from there"
                ) from cause
            await asyncio.sleep(min(RETRY_SECONDS * 2**tried, LONGEST_PAUSE_SECONDS))
        raise AssertionError("the last try returns or raises")
