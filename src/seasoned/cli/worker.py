"""`seasoned worker`: schedules, jobs, workflows, reminders and learners, without HTTP."""

import logging
import sys
from typing import TYPE_CHECKING

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import note
from seasoned.cli.vault_access import unlock

if TYPE_CHECKING:
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

    from seasoned.api.job_worker import JobWorker
    from seasoned.cli.listening import stop_on_signals

    stop = asyncio.Event()
    stop_on_signals(stop)
    async with seasoned:
        seasoned.app.startup.report("jobs", "present")
        seasoned.app.startup.begin()
        note(f"worker on {seasoned.app.db.where}")
        await JobWorker(seasoned).run(stop)
