"""The learn host inside the agent's own process: the same messages, without a wire."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from seasoned.protocol.errors import HostUnreachable
from seasoned.protocol.host import Host
from seasoned.protocol.session import Session


class InProcess:
    """One session of a host in this process."""

    def __init__(self, host: Host, opened: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._host = host
        self._opened = opened
        self._session: Session | None = None

    async def ask(self, message: bytes, name: str, seconds: float) -> dict[str, Any]:
        session = self._session
        if session is None or session.closed:
            await self._opened()
            session = self._session = await self._host.sessions.open()
        reply = await self._host.answer(session, message)
        if reply is None:
            raise HostUnreachable("the session was shut down")
        return json.loads(reply)

    async def close(self) -> None:
        if self._session is not None and not self._session.closed:
            await self._host.sessions.close(self._session)
        self._host.close()
