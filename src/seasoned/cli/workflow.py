"""`seasoned workflow …`: check and run workflows of agent and tool steps."""

from pathlib import Path
from typing import Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.jobs import Id, job_row, job_shape, write
from seasoned.cli.show.render import emit, note, say, table
from seasoned.core.errors import BadInput, NotFound

app = typer.Typer(no_args_is_help=True, help="Workflows: agent and tool steps in a YAML file.")

File = Annotated[Path, typer.Argument(help="The workflow.", metavar="FILE")]


@command(app, "check")
def check(options: Options, file: File) -> None:
    """Check a workflow; runs nothing."""
    from seasoned.jobs.workflow import parse_workflow

    flow = parse_workflow(_read(file), file.name)
    if options.json:
        emit({"name": flow.name, "inputs": list(flow.inputs), "steps": list(flow.steps)})
    else:
        say(f"{file.name}: {len(flow.steps)} steps, no errors")


@command(app, "run")
def run(
    options: Options,
    file: File,
    given: Annotated[
        list[str] | None, typer.Option("--input", help="A value.", metavar="NAME=VALUE")
    ] = None,
) -> None:
    """Start a workflow; `serve` or `worker` runs it."""
    from seasoned.jobs.job import Work
    from seasoned.jobs.workflow import parse_workflow
    from seasoned.jobs.workflow_run import check_values

    text = _read(file)
    flow = parse_workflow(text, file.name)
    values: dict[str, Any] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals:
            raise BadInput(f"--input is {one!r}; write NAME=VALUE")
        values[name] = value
    check_values(flow, values)
    with options.open(create=True) as s:
        from seasoned.api.jobs import job_delivery

        target = job_delivery(s.inner.app).check(flow.deliver)
        now, scope = s.inner.app.clock.now(), s.inner.scope
        limit = int(60 * s.inner.app.config.settings.jobs.limit_minutes)
        content = {"text": text, "values": values}
        work = Work(flow.name, "workflow", content, scope, target, 0, limit)
        job = write(s, lambda tx, e: e.jobs.add(tx, "workflow", work, now))
    if options.json:
        emit({"job": job})
    else:
        say(f"job {job} waits for a worker; `seasoned workflow show {job}` shows how it goes")


@command(app, "list")
def list_runs(options: Options, limit: Limit = 50) -> None:
    """List runs of workflows, newest first."""
    with options.open() as s:
        found = write(s, lambda tx, e: e.jobs.list(tx, queue="workflow", most=limit))
    if options.json:
        emit([job_shape(one) for one in found])
    elif found:
        say(table(["job", "name", "status", "started", "result"], [job_row(one) for one in found]))
    else:
        note("no runs; `seasoned workflow run FILE` starts one")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show a run and its finished steps."""
    with options.open() as s:
        found = write(s, lambda tx, e: e.jobs.get(tx, name))
        steps = write(s, lambda tx, e: e.jobs.steps(tx, found.id))
    shape = job_shape(found) | {"steps": dict(steps)}
    if options.json:
        emit(shape)
    else:
        say("\n".join(f"{key}: {value}" for key, value in shape.items() if value is not None))


@command(app, "resume")
def resume(options: Options, name: Id) -> None:
    """Let a failed or cancelled run go on where it stopped."""
    with options.open() as s:
        now = s.inner.app.clock.now()
        found = write(s, lambda tx, e: e.jobs.again(tx, name, now))
    if options.json:
        emit(job_shape(found))
    else:
        say(f"job {found.id} waits for a worker")


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotFound(f"{file} cannot be read: {error}; check the path") from error
