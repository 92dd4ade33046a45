"""Ask the person at the terminal for a confirmation."""

import sys

import typer

from seasoned.cli.show.render import visible


def confirmed(question: str) -> bool:
    """Ask a yes-or-no question on stderr; stdout is for the answer of the command."""
    typer.echo(visible(f"{question} [y/N] "), nl=False, err=True)
    answer = sys.stdin.readline()
    if not answer:
        raise typer.Abort
    return answer.strip().lower() in ("y", "yes")
