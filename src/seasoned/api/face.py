"""Faces: the parts of the API that stand under an attribute, such as `s.rules`.

Each is written once, async; its synchronous twin drives the same methods. Faces are imported on
first use, so that a program loads only the parts it uses.
"""

import functools
from collections.abc import Awaitable, Callable, Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.core.authority import Caller
    from seasoned.db.connection import Connection

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")
F = TypeVar("F")


class RunWork(Protocol):
    """Open the database if necessary, and do work on it."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> Awaitable[T]: ...


class DriveWork(Protocol):
    """The same for synchronous code."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> T: ...


class AsyncFace:
    """Base of the async faces: the services, the caller, and a way to run work."""

    def __init__(self, app: "App", caller: "Caller", run: RunWork) -> None:
        self._app = app
        self._caller = caller
        self._scope = caller.scope
        self._run = run

    async def _read(self, query: "Callable[[Connection], Awaitable[T]]") -> T:
        """Run a query on a connection that reads."""

        async def read() -> T:
            async with self._app.db.read() as tx:
                return await query(tx)

        return await self._run(read())


class SyncFace(Generic[A]):
    """Base of the synchronous faces: each method drives that of the async face."""

    def __init__(self, inner: A, drive: DriveWork) -> None:
        self.inner = inner
        self.drive = drive


def sync(
    method: Callable[Concatenate[A, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[SyncFace[A], P], T]:
    """Turn an async method into its synchronous twin."""

    @functools.wraps(method)
    def call(self: SyncFace[A], *args: P.args, **kwargs: P.kwargs) -> T:
        return self.drive(method(self.inner, *args, **kwargs))

    return call


class HasFaces(Protocol):
    """An object that can build a face, given the attribute's name and the class."""

    def make_face(self, attribute: str, face: type[F]) -> F: ...


class LazyFace(Generic[F]):
    """An attribute that imports and builds its face on access."""

    def __init__(self, module: str, name: str) -> None:
        self._module = f"seasoned.api.{module}"
        self._name = name
        self._attribute = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._attribute = name

    def __get__(self, holder: HasFaces, owner: type | None = None) -> F:
        face: type[F] = getattr(import_module(self._module), self._name)
        return holder.make_face(self._attribute, face)
