"""`seasoned jobs …`: background tasks and the runs of schedules."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.show.render import emit, note, say, table
from seasoned.core.clock import iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.api import Seasoned
    from seasoned.db.connection import Connection
    from seasoned.jobs.engine import JobEngine
    from seasoned.jobs.job import Job

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Background tasks and runs of schedules.")

Id = Annotated[str, typer.Argument(help="Id of the job, or its beginning.", metavar="JOB")]


def write(s: "Seasoned", work: "Callable[[Connection, JobEngine], Awaitable[T]]") -> T:
    """Do work on jobs in one transaction."""
    from seasoned.api.jobs import job_engine

    app = s.inner.app
    engine = job_engine(app)
    return app.db.run(engine.write(lambda tx: work(tx, engine)))


@command(app, "start")
def start(
    options: Options,
    prompt: Annotated[str, typer.Argument(help="What the agent is asked.", metavar="PROMPT")],
    deliver: Annotated[
        str, typer.Option(help="log, none or webhook:URL; default: jobs.deliver.", metavar="WHERE")
    ] = "",
) -> None:
    """Ask the agent in the background; `serve` or `worker` does it."""
    from seasoned.jobs.job import Work

    with options.open(create=True) as s:
        from seasoned.api.jobs import job_delivery

        settings, scope = s.inner.app.config.settings.jobs, s.inner.scope
        target = job_delivery(s.inner.app).check(deliver or settings.deliver)
        limit, now = int(60 * settings.limit_minutes), s.inner.app.clock.now()
        work = Work(one_line(prompt, 40), "agent", {"prompt": prompt}, scope, target, 2, limit)
        job = write(s, lambda tx, e: e.jobs.add(tx, "background", work, now))
    if options.json:
        emit({"job": job})
    else:
        say(f"job {job} waits for a worker; `seasoned jobs show {job}` shows how it goes")


@command(app, "list")
def list_jobs(options: Options, limit: Limit = 50) -> None:
    """List jobs of all kinds, newest first."""
    with options.open() as s:
        found = write(s, lambda tx, e: e.jobs.list(tx, most=limit))
    if options.json:
        emit([job_shape(one) for one in found])
    elif found:
        say(table(["job", "name", "status", "started", "result"], [job_row(one) for one in found]))
    else:
        note("no jobs; `seasoned jobs start PROMPT` starts one")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show a job with its result."""
    with options.open() as s:
        found = write(s, lambda tx, e: e.jobs.get(tx, name))
    shape = job_shape(found)
    if options.json:
        emit(shape)
    else:
        say("\n".join(f"{key}: {value}" for key, value in shape.items() if value is not None))


@command(app, "cancel")
def cancel(options: Options, name: Id) -> None:
    """Cancel a job; one that runs stops within seconds."""
    with options.open() as s:
        now = s.inner.app.clock.now()
        found = write(s, lambda tx, e: e.jobs.cancel(tx, name, now))
    if options.json:
        emit(job_shape(found))
    else:
        stops = found.status == "running"
        say(f"job {found.id} stops soon" if stops else f"job {found.id} is {found.status}")


def job_shape(one: "Job") -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.work.name,
        "queue": one.queue,
        "status": one.status,
        "due_at": iso(one.due_at),
        "started_at": iso(one.started_at) if one.started_at else None,
        "ended_at": iso(one.ended_at) if one.ended_at else None,
        "tries": one.tries,
        "result": one.result or None,
        "error": one.error or None,
        "deliver": one.work.deliver,
    }


def job_row(one: "Job") -> list[Any]:
    return [
        *(one.id, one.work.name, one.status, when(one.started_at, "not yet")),
        one_line(one.result or one.error, 60),
    ]


def when(at: int, otherwise: str = "never") -> str:
    return iso(at) if at else otherwise
