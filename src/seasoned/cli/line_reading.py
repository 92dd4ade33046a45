"""Reads lines from a person, with the arrow keys and the lines of earlier days."""

import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

MOST_LINES = 1000


def read_line(prompt: str) -> str | None:
    """The next line; None when there is none. Ctrl-C at the prompt empties the line."""
    while True:
        try:
            return input(prompt) if prompt else _piped()
        except EOFError:
            return None
        except KeyboardInterrupt:
            if not prompt:
                raise
            sys.stdout.write("\n")


@contextmanager
def remembered_lines(home: Path) -> Generator[None]:
    """Earlier lines can be had with the arrow keys, where the terminal can do that."""
    try:
        import readline
    except ImportError:  # Windows
        yield
        return
    file = home / "chat_history"
    readline.set_history_length(MOST_LINES)
    with suppress(OSError):  # the first time there is none
        readline.read_history_file(file)
    try:
        yield
    finally:
        if sys.stdin.isatty():
            with suppress(OSError):  # a home that cannot be written to
                file.parent.mkdir(parents=True, exist_ok=True)
                readline.write_history_file(file)
                file.chmod(0o600)


def _piped() -> str | None:
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
