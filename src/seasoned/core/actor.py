"""Who acts: the audit names the caller of a server on every change that a request makes."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Acting:
    """One request of a caller; over when it is answered.

    Tasks that a request starts inherit its context and may outlive it. What they do later is not
    the caller's deed any more.
    """

    name: str
    over: bool = False


_acting: ContextVar[Acting | None] = ContextVar("seasoned_actor", default=None)


@contextmanager
def acting_as(name: str) -> Generator[None]:
    """Name the actor of every change inside the block.

    >>> with acting_as("key:k3x9 ci"):
    ...     actor()
    'key:k3x9 ci'
    >>> actor()
    ''
    """
    acting = Acting(name)
    token = _acting.set(acting)
    try:
        yield
    finally:
        acting.over = True
        _acting.reset(token)


def actor() -> str:
    """Return who acts; empty if nobody said so."""
    acting = _acting.get()
    return acting.name if acting is not None and not acting.over else ""
