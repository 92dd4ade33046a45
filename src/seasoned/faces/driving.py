"""How a face gets its work done, and how its synchronous twin is made from it."""

import functools
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")


class Run(Protocol):
    """Opens the database if need be, and does the work on it."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> Awaitable[T]: ...


class Drive(Protocol):
    """The same for synchronous code."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> T: ...


class Driven(Generic[A]):
    """A face for synchronous code: each method drives the one of the async face."""

    def __init__(self, inner: A, drive: Drive) -> None:
        self.inner = inner
        self.drive = drive


def sync(
    method: Callable[Concatenate[A, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Driven[A], P], T]:
    """The same method for synchronous code."""

    @functools.wraps(method)
    def call(self: Driven[A], *args: P.args, **kwargs: P.kwargs) -> T:
        return self.drive(method(self.inner, *args, **kwargs))

    return call
