"""A host behind HTTP: post messages, and read replies from the session's event stream."""

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress

import httpx2

from seasoned.core.errors import BadInput
from seasoned.core.home import home_folder
from seasoned.protocol.client.remote_host import RemoteHost, SessionLost
from seasoned.protocol.errors import HostUnreachable, ProtocolError
from seasoned.security.token_file import known_token

RECONNECT_SECONDS = 0.1
MOST_IDLE = 8  # connections
LARGEST_REPLY = 64 * 2**20
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class RemoteHttp(RemoteHost):
    def __init__(self, url: str, token: str | None, agent_id: str, tries: int) -> None:
        self._url = _address(url)
        super().__init__(_token_for(self._url) if token is None else token, agent_id, tries)
        self._client: httpx2.AsyncClient | None = None
        self._session = ""
        self._reading: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        # No timeout: `ask` has the deadline. Proxies of the environment are not used.
        limits = httpx2.Limits(max_keepalive_connections=MOST_IDLE)
        self._client = httpx2.AsyncClient(
            base_url=self._url, timeout=None, limits=limits, trust_env=False
        )
        response = await self._post("/session", {}, b"")
        try:
            self._session = str(response.json()["session_id"])
        except (ValueError, KeyError, TypeError):
            said = response.content[:200]
            raise ProtocolError(f"{self._url} is no learn host: it said {said!r}") from None
        self._reading = asyncio.create_task(self._read(self._client, self._session))

    async def send(self, message: bytes) -> None:
        headers = {"X-Session-Id": self._session, "Content-Type": "text/plain"}
        await self._post("/send", headers, message)

    async def disconnect(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            with suppress(asyncio.CancelledError):
                await self._reading
            self._reading = None
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def _post(self, path: str, headers: Mapping[str, str], body: bytes) -> httpx2.Response:
        if self._client is None:
            raise SessionLost("the session ended")
        with self._unreachable():
            response = await self._client.post(path, headers=headers, content=body)
        self._check(response.status_code, response.content)
        return response

    async def _read(self, client: httpx2.AsyncClient, session: str) -> None:
        """Read the stream until the session ends; reconnect when it breaks."""
        headers = {"X-Session-Id": session, "Accept": "text/event-stream"}
        while True:
            try:
                with self._unreachable():
                    async with client.stream("GET", "/stream", headers=headers) as response:
                        self._check(response.status_code, b"")
                        async for event in httpx2.EventSource(response, LARGEST_REPLY):
                            self.received(event.data)
                raise HostUnreachable(f"{self._url} closed the stream")
            except SessionLost as error:
                self._is_open = False
                self.lost(error)
                return
            except ProtocolError as error:
                # Replies may be lost; the waiting requests are sent again, and answered again.
                why = error if isinstance(error, HostUnreachable) else HostUnreachable(str(error))
                self.lost(why)
                await asyncio.sleep(RECONNECT_SECONDS)

    def _check(self, status: int, body: bytes) -> None:
        if status == 200:
            return
        answer = f"{self._url} answered {status}: {body[:200].decode('utf-8', 'replace')}"
        if status == 404 and self._session:
            raise SessionLost(answer)
        if status in (408, 429) or status >= 500:
            raise HostUnreachable(answer)
        raise ProtocolError(answer)

    @contextmanager
    def _unreachable(self) -> Generator[None]:
        """Turn errors of the transport into `HostUnreachable`."""
        try:
            yield
        except httpx2.TransportError as error:
            what = str(error) or type(error).__name__
            raise HostUnreachable(
                f"{self._url} cannot be reached ({what}); is the host running?"
            ) from error


def _token_for(url: str) -> str:
    """Return this machine's token for a host on this machine; nobody else may see it."""
    if httpx2.URL(url).host not in LOOPBACK:
        return ""
    return known_token(home_folder())


def _address(url: str) -> str:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise BadInput(f"{url!r} is no valid address: {error}") from error
    if not 0 <= (parsed.port or 0) < 2**16:
        raise BadInput(f"{url!r} has no valid port: it must be at most 65535")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise BadInput(f"{url!r} is no address of a learn host; e.g. http://127.0.0.1:8420")
    return str(parsed).rstrip("/")
