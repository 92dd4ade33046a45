"""Asks a person at a terminal whether a tool may run; no answer in time is a no."""

import asyncio
import sys
import threading
from typing import TYPE_CHECKING

import typer

from seasoned.cli.render import visible

if TYPE_CHECKING:
    from seasoned.tools.run import ApprovalRequest, Decision

LOOK_SECONDS = 0.1


async def ask_person(request: "ApprovalRequest") -> "Decision":
    """y, a or n; anything else is a no, and the reason for it."""
    from seasoned.tools.run import Decision

    if not sys.stdin.isatty():
        return Decision("deny", "nobody is at the terminal")
    always = ", [a]lways" if request.can_always else ""
    question = f"Run {request.shown}?  ({request.reason})\n[y]es{always}, [n]o, or say why not: "
    typer.echo(visible(question), nl=False, err=True)
    stop = threading.Event()
    try:
        said = await asyncio.to_thread(_line, stop)
    except asyncio.CancelledError:
        typer.echo("\nno answer, so it does not run", err=True)
        raise
    finally:
        stop.set()
    answer = said.strip()
    if answer.lower() in ("y", "yes"):
        return Decision("allow")
    if answer.lower() in ("a", "always") and request.can_always:
        return Decision("always")
    return Decision("deny", "" if answer.lower() in ("n", "no") else answer)


def _line(stop: threading.Event) -> str:
    """The next line, unless it is no longer wanted: then it is left for the next reader."""
    import select

    while not stop.is_set():
        ready, _, _ = select.select([sys.stdin], [], [], LOOK_SECONDS)
        if ready:
            return sys.stdin.readline()
    return ""
