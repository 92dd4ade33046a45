"""`seasoned worker`: schedules, jobs, workflows, reminders and learners; also beside `serve`."""

import logging
import sys
from typing import TYPE_CHECKING

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import note
from seasoned.cli.vault_access import unlock

if TYPE_CHECKING:
    import asyncio

    from seasoned.api import AsyncSeasoned

app = typer.Typer()


@command(app, "worker")
def worker(options: Options) -> None:
    """Run schedules, jobs, workflows, reminders and the learners; several at once on Postgres.

    Stops on SIGTERM and Ctrl-C: what runs gets 20 seconds to end, the rest waits for another
    worker.
    """
    import asyncio

    from seasoned.api import AsyncSeasoned
    from seasoned.cli.place import place_of
    from seasoned.core.scope import Scope

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    logging.getLogger("seasoned.jobs").setLevel(logging.INFO)  # where `deliver: log` writes
    unlock()
    tenant = options.tenant or ""
    seasoned = AsyncSeasoned(
        place_of(options.database, create=True).url,
        acts_in=Scope(tenant),
        tenant=tenant,
        project=options.project or "",
        user=options.user or "",
    )
    asyncio.run(_work(seasoned))


async def _work(seasoned: "AsyncSeasoned") -> None:
    import asyncio

    from seasoned.api.worker.job_worker import JobWorker
    from seasoned.cli.listening import stop_on_signals

    stop = asyncio.Event()
    stop_on_signals(stop)
    async with seasoned:
        seasoned.app.startup.report("jobs", "present")
        seasoned.app.startup.begin()
        note(f"worker on {seasoned.app.db.where}")
        await JobWorker(seasoned).run(stop)


def start_jobs(seasoned: "AsyncSeasoned", stop: "asyncio.Event") -> "asyncio.Task[None]":
    """Run jobs beside the gateway, if they are on; the gateway does without them if they fail.

    If they are off, it still delivers the results of other workers to the channels it runs.
    """
    import asyncio

    from seasoned.core.errors import SeasonedError
    from seasoned.core.extras import installed

    is_on = seasoned.app.config.settings.jobs.enabled and installed("jobs")
    startup = seasoned.app.startup

    async def work() -> None:
        try:
            from seasoned.api.worker.job_worker import JobWorker, deliver_results

            if not is_on:
                await deliver_results(seasoned, stop)
                return
            startup.report("jobs", "present")
            await JobWorker(seasoned).run(stop)
        except SeasonedError as error:
            startup.report("jobs", "failed", str(error), "correct jobs.* and start again")

    running = asyncio.create_task(work())
    running.add_done_callback(_tell_jobs_ended)
    return running


def _tell_jobs_ended(running: "asyncio.Task[None]") -> None:
    """Say at once what ended the jobs: the gateway goes on without them."""
    if not running.cancelled() and (error := running.exception()) is not None:
        note(f"jobs do not run any more: {type(error).__name__}: {error}")
