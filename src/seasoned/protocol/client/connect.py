"""`connect`: a client of a learn host on a port, on a pipe, or in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.core.portal import Portal
from seasoned.core.scope import Scope
from seasoned.db.unit import Unit
from seasoned.protocol.errors import HostUnreachable, refusal
from seasoned.protocol.wire import VERSION, encode_message

if TYPE_CHECKING:
    from seasoned.protocol.client.remote_host import RemoteHost
    from seasoned.protocol.host.host import Host
    from seasoned.protocol.host.sessions import AgentSession

T = TypeVar("T")


class HasHost(Protocol):
    """The part of `App` that a client uses."""

    @property
    def unit(self) -> Unit: ...
    def learn_host(self, scope: Scope, *, concurrent: bool = True) -> Host: ...


class OpenAsync(Protocol):
    """The part of `AsyncSeasoned` that a client uses."""

    scope: Scope

    @property
    def app(self) -> HasHost: ...
    def open(self) -> Coroutine[Any, Any, Any]: ...


class OpenSync(Protocol):
    """The part of `Seasoned` that a client uses."""

    @property
    def inner(self) -> OpenAsync: ...


class AsyncClient:
    """Sends requests to one host; an error reply is raised as `Refused`."""

    def __init__(self, wire: RemoteHost | InProcess, timeout_seconds: float) -> None:
        self._wire = wire
        self._seconds = timeout_seconds

    async def ask(self, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Send one request and return the host's answer."""
        name = new_id()
        try:
            message = encode_message({"type": kind, "id": name, "version": VERSION, **fields})
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
        """Return the host's uptime in seconds."""
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


class InProcess:
    """A session with a host in this process: the same messages, without a transport."""

    def __init__(self, host: Host, open_app: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._host = host
        self._open_app = open_app
        self._session: AgentSession | None = None

    async def ask(self, message: bytes, name: str, seconds: float) -> dict[str, Any]:
        session = self._session
        if session is None or session.closed:
            await self._open_app()
            session = self._session = self._host.sessions.open()
        reply = await self._host.answer(session, message)
        if reply is None:
            raise HostUnreachable("the session was shut down")
        return json.loads(reply)

    async def close(self) -> None:
        if self._session is not None and not self._session.closed:
            await self._host.sessions.close(self._session)
        self._host.close()


class Client:
    """`AsyncClient` for synchronous code."""

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
    token: str | None = None,
    agent_id: str = "seasoned",
    timeout_seconds: float = 30,
    tries: int = 3,
) -> Client:
    """Connect to the host at an address, of a command to start, or of an open `Seasoned`.

    A host on this machine gets the token of the home folder unless another is given.
    """
    if isinstance(target, str | Sequence):
        portal = Portal("learn-client")
        try:
            wire = portal.run(_remote(target, token, agent_id, tries))
        except BaseException:
            portal.close()
            raise
        return Client(AsyncClient(wire, timeout_seconds), portal.run, portal.close)
    drive = target.inner.app.unit.drive
    return Client(AsyncClient(_inside(target.inner), timeout_seconds), drive)


def connect_async(
    target: str | Sequence[str] | OpenAsync,
    *,
    token: str | None = None,
    agent_id: str = "seasoned",
    timeout_seconds: float = 30,
    tries: int = 3,
) -> AsyncClient:
    """Connect from code in an event loop; `target` may be an `AsyncSeasoned`."""
    if isinstance(target, str | Sequence):
        wire = _remote_wire(target, token, agent_id, tries)
        return AsyncClient(wire, timeout_seconds)
    return AsyncClient(_inside(target), timeout_seconds)


async def _remote(
    target: str | Sequence[str], token: str | None, agent_id: str, tries: int
) -> RemoteHost:
    """Build the connection inside the event loop in which it will run."""
    return _remote_wire(target, token, agent_id, tries)


def _remote_wire(
    target: str | Sequence[str], token: str | None, agent_id: str, tries: int
) -> RemoteHost:
    # Late: a client imports only the transport that it uses.
    if isinstance(target, str):
        from seasoned.protocol.client.remote_http import RemoteHttp

        return RemoteHttp(target, token, agent_id, tries)
    from seasoned.protocol.client.remote_stdio import RemoteStdio

    return RemoteStdio(target, token or "", agent_id, tries)


def _inside(seasoned: OpenAsync) -> InProcess:
    return InProcess(seasoned.app.learn_host(seasoned.scope, concurrent=False), seasoned.open)
