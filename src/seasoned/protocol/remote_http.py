"""A host behind HTTP: posts messages, and reads replies from the session's stream."""

import asyncio
import json
from contextlib import suppress

from seasoned.protocol.errors import HostUnreachable, ProtocolError
from seasoned.protocol.http_connection import Connections
from seasoned.protocol.remote import Remote, SessionLost

AGAIN_SECONDS = 0.1


class RemoteHttp(Remote):
    def __init__(self, url: str, token: str, agent_id: str, tries: int) -> None:
        super().__init__(token, agent_id, tries)
        self._connections = Connections(url)
        self._session = ""
        self._reading: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        status, body = await self._connections.request("POST", "/session", {})
        self._check(status, body)
        try:
            self._session = str(json.loads(body)["session_id"])
        except (ValueError, KeyError, TypeError):
            raise ProtocolError(f"{self._where} is no learn host: it said {body[:200]!r}") from None
        self._reading = asyncio.create_task(self._read(self._session))

    async def send(self, message: bytes) -> None:
        headers = {"X-Session-Id": self._session, "Content-Type": "text/plain"}
        status, body = await self._connections.request("POST", "/send", headers, message)
        self._check(status, body)

    async def disconnect(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            with suppress(asyncio.CancelledError):
                await self._reading
            self._reading = None
        self._connections.close()

    async def _read(self, session: str) -> None:
        """The stream, again and again until the session ends."""
        headers = {"X-Session-Id": session, "Accept": "text/event-stream"}
        while True:
            try:
                async with self._connections.stream("/stream", headers) as (status, lines):
                    self._check(status, b"")
                    async for line in lines:
                        if line.startswith(b"data:"):
                            self.received(line[5:].strip())
                raise HostUnreachable(f"{self._where} closed the stream")
            except SessionLost as error:
                self._is_open = False
                self.lost(error)
                return
            except ProtocolError as error:
                # Replies may have been on their way: what is sent again is answered again.
                why = error if isinstance(error, HostUnreachable) else HostUnreachable(str(error))
                self.lost(why)
                await asyncio.sleep(AGAIN_SECONDS)

    def _check(self, status: int, body: bytes) -> None:
        if status == 200:
            return
        said = f"{self._where} answered {status}: {body[:200].decode('utf-8', 'replace')}"
        if status == 404 and self._session:
            raise SessionLost(said)
        if status in (408, 429) or status >= 500:
            raise HostUnreachable(said)
        raise ProtocolError(said)

    @property
    def _where(self) -> str:
        return self._connections.where
