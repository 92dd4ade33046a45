"""The command line: `seasoned COMMAND …`, one module per group of commands."""

import gc
import sys
import traceback
from io import TextIOWrapper
from typing import Annotated

import typer

from seasoned import __version__
from seasoned.cli import (
    adapt,
    backup,
    config,
    connect,
    corrections,
    cron,
    demo,
    doctor,
    examples,
    feedback,
    graph,
    jobs,
    keys,
    knowledge,
    learn,
    learn_host,
    lessons,
    mcp,
    memory,
    observe,
    payments,
    recall,
    review,
    rules,
    secrets,
    serve,
    sessions,
    skills,
    teach,
    worker,
    workflow,
)
from seasoned.cli.chat import command as chat
from seasoned.cli.command import BUG, EXIT_CODES, Options, command, with_options
from seasoned.cli.desk import command as desk
from seasoned.cli.tree import CommandGroup, CommandTree

EPILOG = "Exit codes: " + "; ".join(f"{code} {text}" for code, text in EXIT_CODES.items()) + "."

app = typer.Typer(
    name="seasoned",
    cls=CommandTree,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help takes half the time and reads well in a pipe
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    demo,
    learn,
    chat,
    desk,
    recall,
    observe,
    connect,
    serve,
    mcp,
    learn_host,
    doctor,
    backup,
    worker,
):
    app.add_typer(module.app)
app.add_typer(adapt.stats_app)
app.add_typer(feedback.export_app)
command(app, "teach")(teach.teach)
for name, group in (
    ("lessons", lessons.app),
    ("review", review.app),
    ("rules", rules.app),
    ("examples", examples.app),
    ("corrections", corrections.app),
    ("feedback", feedback.app),
    ("adapt", adapt.app),
    ("sessions", sessions.app),
    ("memory", memory.app),
    ("librarian", memory.librarian_app),
    ("knowledge", knowledge.app),
    ("skills", skills.app),
    ("graph", graph.app),
    ("cron", cron.app),
    ("jobs", jobs.app),
    ("workflow", workflow.app),
    ("payments", payments.app),
    ("config", config.app),
    ("secrets", secrets.app),
    ("keys", keys.app),
    ("audit", doctor.audit_app),
):
    app.add_typer(group, name=name, cls=CommandGroup)
app.add_typer(lessons.app, name="learning", cls=CommandGroup, hidden=True)  # its older name


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"seasoned {__version__}")
        raise typer.Exit


def root(
    options: Options,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """AI agents that learn from experience: a tool error becomes a fix that is remembered.

    New here? `seasoned demo` shows it at work; `seasoned learn PATH…` learns from your own
    transcripts.
    """


app.callback()(with_options(root))


def run() -> None:
    """Run the command line and exit."""
    gc.set_threshold(50_000, 20, 50)  # commands are short, and loading modules leaves no garbage
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # an encoding without all letters must not end it
            stream.reconfigure(errors="replace")
    try:
        app(prog_name="seasoned")
    except Exception as error:
        traceback.print_exception(error)
        raise SystemExit(BUG) from error
