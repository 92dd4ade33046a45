"""Tell whoever waits for an answer that the model is asked again, and when.

A model serves many turns at once, so the listener belongs to the context of its turn.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retry:
    """Why the last try failed, and how long it is until the next one."""

    reason: str
    seconds: float


Listener = Callable[[Retry], object]
_listener: ContextVar[Listener | None] = ContextVar("retry_listener", default=None)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Call the listener before each pause of the requests made inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell_retry(retry: Retry) -> None:
    listener = _listener.get()
    if listener is not None:
        listener(retry)
