"""The command line: `seasoned COMMAND …`. Each group of commands has a file of its own."""

import sys
import traceback
from io import TextIOWrapper
from typing import Annotated

import typer

from seasoned import __version__
from seasoned.cli import (
    adapt,
    audit,
    chat,
    config,
    correct,
    corrections,
    demo,
    doctor,
    examples,
    export,
    feedback,
    graph,
    knowledge,
    learn,
    learn_host,
    learning,
    librarian,
    memory,
    observe,
    recall,
    rules,
    sessions,
    skills,
    teach,
)
from seasoned.cli.commands import with_options
from seasoned.cli.exits import BUG, MEANINGS
from seasoned.cli.options import Options

EPILOG = "Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in MEANINGS.items()) + "."

app = typer.Typer(
    name="seasoned",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help comes in half the time, and reads well in a pipe
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for part in (demo, chat, learn, recall, observe, teach, correct, adapt):
    app.add_typer(part.app)
for name, group in (
    ("learning", learning),
    ("rules", rules),
    ("examples", examples),
    ("corrections", corrections),
    ("feedback", feedback),
    ("knowledge", knowledge),
    ("skills", skills),
    ("graph", graph),
    ("sessions", sessions),
    ("memory", memory),
    ("librarian", librarian),
    ("audit", audit),
    ("config", config),
):
    app.add_typer(group.app, name=name)
app.add_typer(export.app)
app.add_typer(learn_host.app)
app.add_typer(doctor.app)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"seasoned {__version__}")
        raise typer.Exit


def root(
    options: Options,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """AI agents that learn from experience: tool errors become fixes, and stay known.

    New here? `seasoned demo` shows it at work; `seasoned learn PATH…` learns from your own
    transcripts.
    """


app.callback()(with_options(root))


def run() -> None:
    """The entry point."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a poor encoding shall not end the answer
            stream.reconfigure(errors="replace")
    try:
        app(prog_name="seasoned")
    except Exception as error:
        traceback.print_exception(error)
        raise SystemExit(BUG) from error
