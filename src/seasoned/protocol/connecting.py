"""`connect`: a client of a learn host, wherever that is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from seasoned.core.bus import Bus
from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.core.portal import Portal
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.protocol.errors import HostUnreachable, refusal
from seasoned.protocol.wire import VERSION, encoded

if TYPE_CHECKING:
    from seasoned.protocol.host import Host
    from seasoned.protocol.inprocess import InProcess
    from seasoned.protocol.remote import Remote

T = TypeVar("T")


class HasHost(Protocol):
    """The part of `App` that is used."""

    @property
    def db(self) -> Database: ...
    @property
    def bus(self) -> Bus: ...
    def learn_host(self, scope: Scope, *, token: str = "", concurrent: bool = True) -> Host: ...


class OpenAsync(Protocol):
    """The part of `AsyncSeasoned` that is used."""

    scope: Scope

    @property
    def app(self) -> HasHost: ...
    def open(self) -> Coroutine[Any, Any, Any]: ...


class OpenSync(Protocol):
    """The part of `Seasoned` that is used."""

    @property
    def inner(self) -> OpenAsync: ...


class AsyncClient:
    """Asks one host; what it cannot do is an error that says why."""

    def __init__(self, wire: Remote | InProcess, timeout_seconds: float) -> None:
        self._wire = wire
        self._seconds = timeout_seconds

    async def ask(self, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The host's answer to one request."""
        name = new_id()
        try:
            message = encoded({"type": kind, "id": name, "version": VERSION, **fields})
        except ValueError as error:
            raise BadInput(
                f"a {kind} cannot be sent ({error}); NaN and infinity are no numbers to learn from"
            ) from error
        except TypeError as error:
            raise BadInput(f"a {kind} cannot be sent ({error}); give what JSON can say") from error
        answer = await self._wire.ask(message, name, self._seconds)
        if answer.get("type") == "error":
            raise refusal(answer)
        return answer

    async def ping(self) -> float:
        """For how many seconds the host has been up."""
        return float((await self.ask("ping", {})).get("uptime_seconds") or 0.0)

    async def close(self) -> None:
        await self._wire.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class Client:
    """The same for synchronous code."""

    def __init__(
        self,
        inner: AsyncClient,
        drive: Callable[[Coroutine[Any, Any, Any]], Any],
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self.inner = inner
        self._drive = drive
        self._end = end
        self._closed = False

    def drive(self, work: Coroutine[Any, Any, T]) -> T:
        if self._closed:
            work.close()
            raise HostUnreachable("this client is closed; connect anew")
        return self._drive(work)

    def ping(self) -> float:
        return self.drive(self.inner.ping())

    def close(self) -> None:
        if not self._closed:
            try:
                self.drive(self.inner.close())
            finally:
                self._closed = True
                self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def connect(
    target: str | Sequence[str] | OpenSync,
    *,
    token: str = "",
    agent_id: str = "seasoned",
    timeout_seconds: float = 30,
    tries: int = 3,
) -> Client:
    """A client of the host at an address, of a command that is one, or of an open `Seasoned`."""
    if isinstance(target, str | Sequence):
        portal = Portal("learn-client")
        try:
            wire = portal.run(_remote(target, token, agent_id, tries))
        except BaseException:
            portal.close()
            raise
        return Client(AsyncClient(wire, timeout_seconds), portal.run, portal.close)
    app = target.inner.app

    def drive(work: Coroutine[Any, Any, T]) -> T:
        result = app.db.run(work)
        app.bus.deliver()
        return result

    return Client(AsyncClient(_inside(target.inner), timeout_seconds), drive)


def connect_async(
    target: str | Sequence[str] | OpenAsync,
    *,
    token: str = "",
    agent_id: str = "seasoned",
    timeout_seconds: float = 30,
    tries: int = 3,
) -> AsyncClient:
    """The same for code that runs in an event loop; `target` may be an `AsyncSeasoned`."""
    if isinstance(target, str | Sequence):
        wire = _remote_wire(target, token, agent_id, tries)
        return AsyncClient(wire, timeout_seconds)
    return AsyncClient(_inside(target), timeout_seconds)


async def _remote(target: str | Sequence[str], token: str, agent_id: str, tries: int) -> Remote:
    """Made inside the loop that it will live in."""
    return _remote_wire(target, token, agent_id, tries)


def _remote_wire(target: str | Sequence[str], token: str, agent_id: str, tries: int) -> Remote:
    if isinstance(target, str):
        from seasoned.protocol.remote_http import RemoteHttp

        return RemoteHttp(target, token, agent_id, tries)
    from seasoned.protocol.remote_stdio import RemoteStdio

    return RemoteStdio(target, token, agent_id, tries)


def _inside(seasoned: OpenAsync) -> InProcess:
    from seasoned.protocol.inprocess import InProcess

    return InProcess(seasoned.app.learn_host(seasoned.scope, concurrent=False), seasoned.open)
