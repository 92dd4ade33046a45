"""Requests that last: a stream or WebSocket ends soon after its caller's key was revoked."""

import asyncio
import logging
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from seasoned.core.errors import DatabaseError, NotAllowed
from seasoned.server.asgi import REFUSED, AsgiScope, Send, connection_of
from seasoned.server.auth.identities import Identity
from seasoned.server.callers import NotAuthenticated, ProviderUnavailable

log = logging.getLogger("seasoned.server")

CHECK_SECONDS = 2.0


@dataclass(slots=True, eq=False)
class OpenRequest:
    identity: Identity
    task: "asyncio.Task[object]"
    ended: str = ""  # why

    def end(self, why: str) -> None:
        self.ended = why
        self.task.cancel()


class OpenRequests:
    """Looks at the callers of all open requests every two seconds, while there are any."""

    def __init__(self) -> None:
        self._open: set[OpenRequest] = set()
        self._watching: asyncio.Task[None] | None = None

    @contextmanager
    def watch(self, identity: Identity) -> Generator[OpenRequest]:
        task = asyncio.current_task()
        assert task is not None
        request = OpenRequest(identity, task)
        if identity.still is None:
            yield request
            return
        self._open.add(request)
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())
        try:
            yield request
        finally:
            self._open.discard(request)

    async def _watch(self) -> None:
        try:
            while self._open:
                await asyncio.sleep(CHECK_SECONDS)
                await self._check()
        finally:
            self._watching = None

    async def _check(self) -> None:
        by_caller: dict[str, list[OpenRequest]] = {}
        for one in self._open:
            by_caller.setdefault(one.identity.caller.id, []).append(one)
        for requests in by_caller.values():
            why = await _why_not(requests[0].identity)
            for one in requests if why else ():
                one.end(why)


async def _why_not(identity: Identity) -> str:
    """Return why a caller counts no more; a database that is away decides nothing."""
    try:
        if identity.still is not None:
            await identity.still()
    except (NotAuthenticated, NotAllowed) as error:
        return str(error)
    except (DatabaseError, ProviderUnavailable) as error:
        log.info("open requests of %s are not checked: %s", identity.caller.actor, error)
    return ""


async def close(scope: AsgiScope, send: Send, why: str) -> None:
    """End a request whose caller counts no more."""
    if scope["type"] == "websocket":
        with suppress(RuntimeError, OSError):  # it is closed already
            await send({"type": "websocket.close", "code": REFUSED, "reason": why[:100]})
        return
    connection = connection_of(scope)
    if connection is not None:
        connection.abort()
