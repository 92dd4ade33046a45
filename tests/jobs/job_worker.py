"""A worker in a process of its own, for tests that kill it: `job_worker.py URL LOG SLOW SECONDS`.

Each step appends its name to LOG; the step named SLOW never ends, nor do deliveries to `test:` if
SLOW is "delivery". `three:2` lets the step three take two seconds.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import Any

from seasoned.core.clock import SystemClock
from seasoned.core.events import Bus
from seasoned.core.scope import Scope
from seasoned.db.opening import open_database
from seasoned.db.unit import Unit
from seasoned.jobs.delivery import Deliverers
from seasoned.jobs.engine import EngineConfig, JobEngine
from seasoned.jobs.job import Job
from seasoned.jobs.workflow import Step
from seasoned.jobs.workflow_run import WorkflowRunner
from seasoned.security.audit import AuditStore


async def main(url: str, log: str, slow: str, seconds: float) -> None:
    slow, _, pause = slow.partition(":")

    def note(name: str) -> None:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{name} {os.getpid()}\n")

    async def step(one: Step, text: str, given: Mapping[str, Any], scope: Scope) -> str:
        note(one.name)
        await asyncio.sleep(float(pause or 600) if one.name == slow else 0)
        return f"{one.name}({given.get('of', '')})"

    async def count(job: Job) -> str:
        note(job.work.name)
        await asyncio.sleep(0.001)
        return "counted"

    async def deliver(address: str, text: str) -> None:
        note("delivering")
        await asyncio.sleep(600 if slow == "delivery" else 0)
        note(f"arrived:{address}:{text}")

    db = open_database(url)
    await db.run_async(db.open())
    config = EngineConfig(lease_seconds=1, poll_seconds=0.05, delivery_seconds=1.4)
    deliverers = Deliverers()
    deliverers.register("test", deliver)
    unit = Unit(db, AuditStore(db), Bus(), SystemClock())
    engine = JobEngine(unit, {"count": count}, deliverers, config)
    engine.handlers["workflow"] = WorkflowRunner(engine, step)
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, stop.set)
    await engine.run(stop)
    await db.run_async(db.close())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])))
