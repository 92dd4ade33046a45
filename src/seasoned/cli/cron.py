"""`seasoned cron …`: what runs at which times."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.jobs import local, show_jobs, tell_started
from seasoned.cli.show.render import emit, indented, note, pairs, say, table, words
from seasoned.core.authority import owner
from seasoned.core.clock import iso
from seasoned.core.scope import Scope
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.jobs.job import Schedule

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
        str,
        typer.Option(help="log, none, webhook:URL, telegram:CHAT…; see jobs.md.", metavar="WHERE"),
    ] = "",
    retries: Annotated[int, typer.Option(help="Tries after a failure.", min=0, max=20)] = 2,
) -> None:
    """Plan what the agent is asked, by --cron, --every or --at."""
    with options.open(create=True) as s:
        made = s.jobs.schedule(
            *(name, prompt),
            cron=cron,
            every=every,
            at=at,
            timezone=timezone,
            catch_up=catch_up,
            deliver=deliver,
            retries=retries,
        )
    _tell(options, made, f"planned {name}; next run {_next(made)}")


@command(app, "list")
def list_schedules(options: Options) -> None:
    """List schedules with their next run, system jobs last."""
    with options.open() as s:
        found = s.jobs.schedules()
    if options.json:
        emit([schedule_shape(one) for one in found])
    elif found:
        rows = [
            [
                one.work.name,
                _rule(one),
                "paused" if one.paused else local(one.next_at, one.rule.timezone) or "never",
                one.rule.timezone,
                "system" if one.work.is_system else _short(one.work.deliver),
            ]
            for one in found
        ]
        say(table(["name", "rule", "next run", "in zone", "delivers to"], rows))
    else:
        note("no schedules; `seasoned cron add NAME PROMPT --cron RULE` makes one")


@command(app, "show")
def show(options: Options, name: Name) -> None:
    """Show a schedule."""
    with options.open() as s:
        found = s.jobs.get_schedule(name)
    if options.json:
        emit(schedule_shape(found))
    else:
        work = found.work
        rows = [
            ("rule", _rule(found)),
            ("next run", _next(found)),
            ("missed runs", "" if work.is_system else found.catch_up),
            ("for", owner(work.scope) if work.scope.within("") != Scope() else ""),
            ("delivers to", "" if work.is_system else work.deliver),
            ("tries", f"{work.retries + 1} at most"),
            ("does", work.handler if work.is_system else "asks the agent"),
        ]
        say(words(f"{work.name} ({found.id})", "bold"), pairs([row for row in rows if row[1]]))
        if prompt := str(work.input.get("prompt", "")):
            say("", words("prompt", "bold"), indented(prompt))


@command(app, "pause")
def pause(options: Options, name: Name) -> None:
    """Pause a schedule; what is due meanwhile is left out."""
    with options.open() as s:
        found = s.jobs.pause(name)
    _tell(options, found, f"paused {found.work.name}")


@command(app, "resume")
def resume(options: Options, name: Name) -> None:
    """Resume a paused schedule."""
    with options.open() as s:
        found = s.jobs.resume(name)
    _tell(options, found, f"resumed {found.work.name}; next run {_next(found)}")


@command(app, "run")
def run(options: Options, name: Name) -> None:
    """Let a schedule run now, beside its plan, in `serve` or `worker`."""
    with options.open() as s:
        tell_started(options, s.jobs.run_now(name), "jobs")


@command(app, "remove")
def remove(options: Options, name: Name) -> None:
    """Remove a schedule; its history stays."""
    with options.open() as s:
        found = s.jobs.unschedule(name)
    _tell(options, found, f"removed {found.work.name}")


@command(app, "history")
def history(
    options: Options,
    name: Annotated[
        str, typer.Argument(help="Name or id of the schedule; all without it.", metavar="[NAME]")
    ] = "",
    limit: Limit = 20,
) -> None:
    """List the runs of a schedule, or of all, latest first."""
    with options.open() as s:
        found = s.jobs.history(name, limit=limit)
        coming = s.jobs.get_schedule(name) if name and not found else None
    otherwise = "no schedule has run yet; `seasoned cron list` shows what is planned"
    if coming is not None:
        otherwise = f"{coming.work.name} has not run yet; next run {_next(coming)}"
    show_jobs(options, found, otherwise)


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
        "system": one.work.is_system,
        "paused": one.paused,
        "next_at": iso(one.next_at) if one.next_at else None,
    }


def _next(one: "Schedule") -> str:
    if one.paused:
        return "paused"
    at = local(one.next_at, one.rule.timezone)
    return f"{at} {one.rule.timezone}" if at else "never"


def _rule(one: "Schedule") -> str:
    return one.rule.text if one.rule.kind == "cron" else f"{one.rule.kind} {one.rule.text}"


def _short(target: str) -> str:
    """Shorten a target for a table; of a webhook the host tells enough.

    >>> _short("webhook:https://hooks.example.com/x/y"), _short("telegram:42")
    ('hooks.example.com', 'telegram:42')
    """
    kind, _, address = target.partition(":")
    host = address.partition("//")[2].partition("/")[0]
    return one_line(host or target if kind == "webhook" else target, 24)


def _tell(options: Options, found: "Schedule", said: str) -> None:
    if options.json:
        emit(schedule_shape(found))
    else:
        say(said)
