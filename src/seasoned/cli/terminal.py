"""Ask the person at the terminal: confirmations, tool approvals, the lines of a chat."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from seasoned.cli.show.render import visible

if TYPE_CHECKING:
    from seasoned.tools.run import ApprovalDecision, ApprovalRequest

POLL_SECONDS = 0.1
HISTORY_LINES = 1000


def confirmed(question: str) -> bool:
    """Ask a yes-or-no question on stderr; stdout is for the answer of the command."""
    typer.echo(visible(f"{question} [y/N] "), nl=False, err=True)
    answer = sys.stdin.readline()
    if not answer:
        raise typer.Abort
    return answer.strip().lower() in ("y", "yes")


async def ask_person(request: "ApprovalRequest") -> "ApprovalDecision":
    """Ask whether a tool may run; any answer but y or a denies it and is passed on as the reason.

    No answer in time means no.
    """
    import asyncio  # this and the next are slow to import

    from seasoned.tools.run import ApprovalDecision

    if not sys.stdin.isatty():
        return ApprovalDecision("deny", "nobody is at the terminal", by_user=False)
    always = ", [a]lways" if request.can_always else ""
    question = f"Run {request.shown}?  ({request.reason})\n[y]es{always}, [n]o, or say why not: "
    typer.echo(visible(question), nl=False, err=True)
    stop = threading.Event()
    try:
        line = await asyncio.to_thread(_next_line, stop)
    except asyncio.CancelledError:
        typer.echo("\nno answer, so it does not run", err=True)
        raise
    finally:
        stop.set()
    if not line:
        return ApprovalDecision("deny", "the terminal was closed", by_user=False)
    answer = line.strip()
    if answer.lower() in ("y", "yes"):
        return ApprovalDecision("allow")
    if answer.lower() in ("a", "always") and request.can_always:
        return ApprovalDecision("always")
    return ApprovalDecision("deny", "" if answer.lower() in ("n", "no") else answer)


def _next_line(stop: threading.Event) -> str:
    """Wait for a line; once stopped, leave the input to the next reader."""
    import select  # cannot wait on a terminal on Windows, so only where it is needed

    while not stop.is_set():
        ready, _, _ = select.select([sys.stdin], [], [], POLL_SECONDS)
        if ready:
            return sys.stdin.readline()
    return ""


def read_line(prompt: str) -> str | None:
    """Return the next line, None at the end of input; Ctrl-C at the prompt clears the line."""
    while True:
        try:
            return input(prompt) if prompt else _piped_line()
        except EOFError:
            return None
        except KeyboardInterrupt:
            if not prompt:
                raise
            sys.stdout.write("\n")


def _piped_line() -> str | None:
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


@contextmanager
def line_history(home: Path) -> Generator[None]:
    """Offer the lines of earlier chats on the arrow keys, where the terminal supports it."""
    try:
        import readline
    except ImportError:  # Windows
        yield
        return
    file = home / "chat_history"
    readline.set_history_length(HISTORY_LINES)
    with suppress(OSError):  # no history yet
        readline.read_history_file(file)
    try:
        yield
    finally:
        if sys.stdin.isatty():
            with suppress(OSError):  # the home folder is not writable
                file.parent.mkdir(parents=True, exist_ok=True)
                readline.write_history_file(file)
                file.chmod(0o600)
