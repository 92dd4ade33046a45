"""Keeps a log line off the terminal when the command itself tells the same, and better."""

import logging
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def told_here(logger: str) -> Generator[None]:
    """Inside, warnings of this logger are for its own handlers alone, not for stderr."""
    log = logging.getLogger(logger)
    silent = logging.NullHandler()  # with a handler, there is no last resort to stderr
    log.addHandler(silent)
    try:
        yield
    finally:
        log.removeHandler(silent)
