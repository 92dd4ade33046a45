"""Keep logs out of a conversation: one line for what went wrong, everything with --debug."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

from seasoned.cli.show.render import note
from seasoned.core.text import one_line

OWN = "seasoned"
LONGEST = 300


class ErrorLines(logging.Handler):
    """Print our own errors as one line each; the chat itself tells what fails in a turn."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR and record.name.partition(".")[0] == OWN:
            cause = record.exc_info[1] if record.exc_info else None
            said = f"{record.getMessage()}: {cause}" if cause else record.getMessage()
            note(f"({one_line(said, LONGEST)}; --debug shows more)")


@contextmanager
def log_lines(*, debug: bool) -> Generator[None]:
    """Handle the logs of all libraries and the warnings of Python inside."""
    handler = logging.StreamHandler() if debug else ErrorLines()
    root = logging.getLogger()
    root.addHandler(handler)
    logging.captureWarnings(capture=True)
    try:
        yield
    finally:
        logging.captureWarnings(capture=False)
        root.removeHandler(handler)
