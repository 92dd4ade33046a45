"""`seasoned jobs …`: background tasks and the runs of schedules."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.show.render import emit, indented, note, pairs, say, table, words
from seasoned.core.authority import owner
from seasoned.core.clock import SECOND, iso
from seasoned.core.scope import Scope
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
        found = s.jobs.get(name)
    if options.json:
        emit(job_shape(found))
    else:
        show_job(found)


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
        say(f"job {job.id} waits; `seasoned {group} show {job.id}` shows how it goes")
        note("`seasoned serve` or `seasoned worker` must run to do it")


def show_jobs(options: Options, found: "Sequence[Job]", otherwise: str) -> None:
    if options.json:
        emit([job_shape(one) for one in found])
    elif found:
        columns = ["job", "name", "status", "started (UTC)", "result"]
        say(table(columns, [_row(one) for one in found]))
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
        *(one.id, one.work.name, _status(one), local(one.started_at, "UTC") or "not yet"),
        one_line(lost or one.result or one.error, 60),
    ]


def show_job(one: "Job", steps: "Mapping[str, str] | None" = None) -> None:
    """Print a job for people: how it stands, then what was asked, and what came out."""
    work = one.work
    rows = [
        ("status", _status(one)),
        (
            "kind",
            {"cron": "scheduled", "background": "in the background"}.get(one.queue, one.queue),
        ),
        ("for", owner(work.scope) if work.scope.within("") != Scope() else ""),
        ("due", _utc(one.due_at)),
        ("started", _utc(one.started_at)),
        ("ended", _utc(one.ended_at)),
        ("failures", str(one.tries) if one.tries else ""),
        ("delivers to", work.deliver),
        ("delivered", _utc(one.delivered_at)),
        ("not delivered", one.delivery_error),
    ]
    say(words(f"{work.name} ({one.id})", "bold"), pairs([row for row in rows if row[1]]))
    texts = {"prompt": str(work.input.get("prompt", "")), "error": one.error, "result": one.result}
    texts |= {f"step {name}": result for name, result in (steps or {}).items()}
    for title, text in texts.items():
        if text:
            say("", words(title, "bold"), indented(text))


def _status(one: "Job") -> str:
    return "stopping" if one.cancelling and one.status == "running" else one.status


def _utc(at: int) -> str:
    return f"{local(at, 'UTC', seconds=True)} UTC" if at else ""


def local(at: int, timezone: str, *, seconds: bool = False) -> str:
    """Return a time as a clock shows it in a time zone; nothing if there is none.

    >>> local(1_700_000_000_000_000, "Europe/Berlin")
    '2023-11-14 23:13'
    """
    if not at:
        return ""
    try:
        shown = datetime.fromtimestamp(at // SECOND, UTC).astimezone(ZoneInfo(timezone))
    except (ZoneInfoNotFoundError, ValueError, OSError, OverflowError):  # it was known once
        return iso(at)
    return shown.strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")
