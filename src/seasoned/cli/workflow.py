"""`seasoned workflow …`: check and run workflows of agent and tool steps."""

from pathlib import Path
from typing import Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.jobs import Id, job_shape, show_job, show_jobs, tell_started
from seasoned.cli.show.render import emit, many, say
from seasoned.core.errors import BadInput, NotFound

app = typer.Typer(no_args_is_help=True, help="Workflows: agent and tool steps in a YAML file.")

File = Annotated[Path, typer.Argument(help="The workflow.", metavar="FILE")]


@command(app, "check")
def check(options: Options, file: File) -> None:
    """Check a workflow: steps, placeholders, cycles, tools; runs nothing."""
    from seasoned.core.extras import installed
    from seasoned.jobs.workflow import parse_workflow

    text = _read(file)
    tools = _tools(options) if installed("llm") else None
    flow = parse_workflow(text, file.name, tools)
    if options.json:
        emit({"name": flow.name, "inputs": list(flow.inputs), "steps": list(flow.steps)})
    else:
        said = "" if tools is not None else "; tools were not checked, which needs the extra llm"
        say(f"{file.name}: {many(len(flow.steps), 'step')}, no errors{said}")


@command(app, "run")
def run(
    options: Options,
    file: File,
    given: Annotated[
        list[str] | None, typer.Option("--input", help="A value.", metavar="NAME=VALUE")
    ] = None,
) -> None:
    """Start a workflow; `serve` or `worker` runs it."""
    text = _read(file)
    values: dict[str, Any] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals:
            raise BadInput(f"--input is {one!r}; write NAME=VALUE")
        values[name] = value
    with options.open(create=True) as s:
        tell_started(options, s.jobs.start_workflow(text, values, where=file.name), "workflow")


@command(app, "list")
def list_runs(options: Options, limit: Limit = 50) -> None:
    """List runs of workflows, newest first."""
    with options.open() as s:
        found = s.jobs.list(queue="workflow", limit=limit)
    show_jobs(options, found, "no runs; `seasoned workflow run FILE` starts one")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show a run and its finished steps."""
    with options.open() as s:
        found = s.jobs.get(name)
        steps = dict(s.jobs.steps(found.id))
    if options.json:
        emit(job_shape(found) | {"steps": steps})
    else:
        show_job(found, steps)


@command(app, "resume")
def resume(options: Options, name: Id) -> None:
    """Let a failed or cancelled run go on where it stopped."""
    with options.open() as s:
        found = s.jobs.restart(name)
    if options.json:
        emit(job_shape(found))
    else:
        tell_started(options, found, "workflow")


def _tools(options: Options) -> list[str]:
    from seasoned.api.worker.job_handlers import tool_names

    with options.open() as s:
        return tool_names(s.inner.app)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise NotFound(f"{file} cannot be read: {why}; check the path") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8 text; save it as UTF-8") from error
