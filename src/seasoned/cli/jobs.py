"""`seasoned jobs …`: background tasks and the runs of schedules."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.show.render import emit, note, say, table
from seasoned.core.clock import iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seasoned.jobs.job import Job

app = typer.Typer(no_args_is_help=True, help="Background tasks and runs of schedules.")

Id = Annotated[str, typer.Argument(help="Id of the job, or its beginning.", metavar="JOB")]


@command(app, "start")
def start(
    options: Options,
    prompt: Annotated[str, typer.Argument(help="What the agent is asked.", metavar="PROMPT")],
    deliver: Annotated[
        str,
        typer.Option(help="log, none, webhook:URL, telegram:CHAT…; see jobs.md.", metavar="WHERE"),
    ] = "",
) -> None:
    """Ask the agent in the background; `serve` or `worker` does it."""
    with options.open(create=True) as s:
        tell_started(options, s.jobs.start(prompt, deliver=deliver), "jobs")


@command(app, "list")
def list_jobs(
    options: Options,
    system: Annotated[
        bool, typer.Option("--system", help="Those that look after the installation.")
    ] = False,
    limit: Limit = 50,
) -> None:
    """List jobs of all kinds, newest first."""
    with options.open() as s:
        found = s.jobs.list(system=system, limit=limit)
    otherwise = "`seasoned jobs start PROMPT` starts one"
    if system:
        otherwise = "no system job has run yet; `serve` and `worker` run them"
    show_jobs(options, found, otherwise if system else f"no jobs; {otherwise}")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show a job with its result."""
    with options.open() as s:
        shape = job_shape(s.jobs.get(name))
    if options.json:
        emit(shape)
    else:
        say("\n".join(f"{key}: {value}" for key, value in shape.items() if value is not None))


@command(app, "cancel")
def cancel(options: Options, name: Id) -> None:
    """Cancel a job; one that runs stops within seconds."""
    with options.open() as s:
        found = s.jobs.cancel(name)
    if options.json:
        emit(job_shape(found))
    else:
        stops = found.status == "running"
        say(f"job {found.id} stops soon" if stops else f"job {found.id} is {found.status}")


def tell_started(options: Options, job: "Job", group: str) -> None:
    if options.json:
        emit({"job": job.id})
    else:
        say(f"job {job.id} waits for a worker; `seasoned {group} show {job.id}` shows how it goes")


def show_jobs(options: Options, found: "Sequence[Job]", otherwise: str) -> None:
    if options.json:
        emit([job_shape(one) for one in found])
    elif found:
        say(table(["job", "name", "status", "started", "result"], [_row(one) for one in found]))
    else:
        note(otherwise)


def job_shape(one: "Job") -> dict[str, Any]:
    scope = dict(zip(("tenant", "project", "user"), one.work.scope.fields(), strict=False))
    return {
        "id": one.id,
        "name": one.work.name,
        "queue": one.queue,
        **{name: value or None for name, value in scope.items()},
        "status": one.status,
        "due_at": iso(one.due_at),
        "started_at": iso(one.started_at) if one.started_at else None,
        "ended_at": iso(one.ended_at) if one.ended_at else None,
        "tries": one.tries,
        "result": one.result or None,
        "error": one.error or None,
        "deliver": one.work.deliver,
        "delivered_at": iso(one.delivered_at) if one.delivered_at else None,
        "delivery_error": one.delivery_error or None,
    }


def _row(one: "Job") -> list[Any]:
    lost = f"not delivered: {one.delivery_error}" if one.delivery_error else ""
    return [
        *(one.id, one.work.name, one.status, when(one.started_at, "not yet")),
        one_line(lost or one.result or one.error, 60),
    ]


def when(at: int, otherwise: str = "never") -> str:
    return iso(at) if at else otherwise
