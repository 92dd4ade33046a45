"""`seasoned cron …`: what runs at which times."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.jobs import job_row, job_shape, when, write
from seasoned.cli.show.render import emit, note, say, table
from seasoned.core.clock import iso
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    from seasoned.jobs.job import Schedule
    from seasoned.jobs.times import CatchUp, Rule

app = typer.Typer(no_args_is_help=True, help="Schedules: what runs at which times.")

Name = Annotated[str, typer.Argument(help="Name or id of the schedule.", metavar="NAME")]


@command(app, "add")
def add(
    options: Options,
    name: Annotated[str, typer.Argument(help="A name for it.", metavar="NAME")],
    prompt: Annotated[str, typer.Argument(help="What the agent is asked.", metavar="PROMPT")],
    cron: Annotated[str, typer.Option(help="Five fields: '30 7 * * 1-5'.", metavar="RULE")] = "",
    every: Annotated[str, typer.Option(help="A rhythm: 15m, 2h, 1d.", metavar="TIME")] = "",
    at: Annotated[str, typer.Option(help="Once: 2030-01-31T09:00.", metavar="TIME")] = "",
    timezone: Annotated[str, typer.Option(help="Default: jobs.timezone.", metavar="ZONE")] = "",
    catch_up: Annotated[
        str, typer.Option(help="What to do about missed runs.", metavar="skip|once|all")
    ] = "once",
    deliver: Annotated[
        str, typer.Option(help="log, none or webhook:URL; default: jobs.deliver.", metavar="WHERE")
    ] = "",
    retries: Annotated[int, typer.Option(help="Tries after a failure.", min=0, max=20)] = 2,
) -> None:
    """Plan what the agent is asked, by --cron, --every or --at."""
    from seasoned.jobs.job import Work

    if catch_up not in ("skip", "once", "all"):
        raise BadInput(f"--catch-up is {catch_up!r}; choose skip, once or all")
    policy: CatchUp = catch_up
    with options.open(create=True) as s:
        from seasoned.api.jobs import job_delivery

        jobs, scope = s.inner.app.config.settings.jobs, s.inner.scope
        target = job_delivery(s.inner.app).check(deliver or jobs.deliver)
        limit = int(60 * jobs.limit_minutes)
        work = Work(name, "agent", {"prompt": prompt}, scope, target, retries, limit)
        now = s.inner.app.clock.now()
        rule = _rule(cron, every, at, timezone or jobs.timezone, now)
        made = write(s, lambda tx, e: e.schedules.add(tx, work, rule, now, policy))
    _tell(options, made, f"planned {name}; next run {when(made.next_at)}")


@command(app, "list")
def list_schedules(options: Options) -> None:
    """List schedules with their next run, system jobs last."""
    with options.open() as s:
        found = write(s, lambda tx, e: e.schedules.list(tx))
    if options.json:
        emit([schedule_shape(one) for one in found])
    elif found:
        rows = [
            [
                one.work.name,
                f"{one.rule.kind} {one.rule.text}",
                one.rule.timezone,
                _next(one),
                "system" if one.is_system else one.work.deliver,
            ]
            for one in found
        ]
        say(table(["name", "rule", "zone", "next run", "delivers to"], rows))
    else:
        note("no schedules; `seasoned cron add NAME PROMPT --cron RULE` makes one")


@command(app, "show")
def show(options: Options, name: Name) -> None:
    """Show a schedule."""
    with options.open() as s:
        found = write(s, lambda tx, e: e.schedules.get(tx, name))
    if options.json:
        emit(schedule_shape(found))
    else:
        say("\n".join(f"{key}: {value}" for key, value in schedule_shape(found).items()))


@command(app, "pause")
def pause(options: Options, name: Name) -> None:
    """Pause a schedule; what is due meanwhile is left out."""
    with options.open() as s:
        now = s.inner.app.clock.now()
        found = write(s, lambda tx, e: e.schedules.pause(tx, name, now, paused=True))
    _tell(options, found, f"paused {found.work.name}")


@command(app, "resume")
def resume(options: Options, name: Name) -> None:
    """Resume a paused schedule."""
    with options.open() as s:
        now = s.inner.app.clock.now()
        found = write(s, lambda tx, e: e.schedules.pause(tx, name, now, paused=False))
    _tell(options, found, f"resumed {found.work.name}; next run {when(found.next_at)}")


@command(app, "run")
def run(options: Options, name: Name) -> None:
    """Let a schedule run now, beside its plan, in `serve` or `worker`."""
    with options.open() as s:
        now = s.inner.app.clock.now()
        job = write(s, lambda tx, e: e.schedules.run_now(tx, name, now))
    if options.json:
        emit({"job": job})
    else:
        say(f"job {job} waits for a worker; `seasoned jobs show {job}` shows how it goes")


@command(app, "remove")
def remove(options: Options, name: Name) -> None:
    """Remove a schedule; its history stays."""
    with options.open() as s:
        found = write(s, lambda tx, e: e.schedules.remove(tx, name))
    _tell(options, found, f"removed {found.work.name}")


@command(app, "history")
def history(
    options: Options,
    name: Annotated[
        str, typer.Argument(help="Name or id of a schedule; default: all.", metavar="NAME")
    ] = "",
    limit: Limit = 20,
) -> None:
    """List the runs of a schedule, or of all, latest first."""
    with options.open() as s:
        schedule = write(s, lambda tx, e: e.schedules.get(tx, name)) if name else None
        found = write(
            s,
            lambda tx, e: e.jobs.list(
                tx,
                queue="" if schedule else "cron",
                schedule=schedule.id if schedule else "",
                most=limit,
            ),
        )
    if options.json:
        emit([job_shape(one) for one in found])
    elif found:
        say(table(["job", "name", "status", "started", "result"], [job_row(one) for one in found]))
    elif schedule:
        note(f"{schedule.work.name} has not run yet; next run {when(schedule.next_at)}")
    else:
        note("nothing has run yet; `seasoned cron list` shows what is planned")


def schedule_shape(one: "Schedule") -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.work.name,
        "kind": one.rule.kind,
        "rule": one.rule.text,
        "timezone": one.rule.timezone,
        "catch_up": one.catch_up,
        "does": one.work.handler,
        "input": dict(one.work.input),
        "deliver": one.work.deliver,
        "system": one.is_system,
        "paused": one.paused,
        "next_at": iso(one.next_at) if one.next_at else None,
    }


def _rule(cron: str, every: str, at: str, timezone: str, now: int) -> "Rule":
    from seasoned.jobs.times import Rule

    given = [one for one in (("cron", cron), ("every", every), ("at", at)) if one[1]]
    if len(given) != 1:
        raise BadInput("give one of --cron, --every and --at")
    kind, text = given[0]
    if kind == "cron":
        return Rule("cron", text, timezone, now)
    return Rule("every" if kind == "every" else "at", text, timezone, now)


def _next(one: "Schedule") -> str:
    return "paused" if one.paused else when(one.next_at)


def _tell(options: Options, found: "Schedule", said: str) -> None:
    if options.json:
        emit(schedule_shape(found))
    else:
        say(said)
