"""Asks before something is taken away for good."""

import sys

import typer

from seasoned.cli.render import visible


def agreed(question: str) -> bool:
    """Asks on stderr: stdout is for the answer alone."""
    typer.echo(visible(f"{question} [y/N] "), nl=False, err=True)
    said = sys.stdin.readline()
    if not said:
        raise typer.Abort
    return said.strip().lower() in ("y", "yes")
