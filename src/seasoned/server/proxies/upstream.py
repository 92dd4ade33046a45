"""A small HTTP/1.1 client for the providers: connections are kept, bytes pass at once.

General clients take milliseconds for each request, which every request of an agent would pay. This
one writes what it is given and hands on what comes, and leaves redirects, cookies and decoding to
the caller at the other end.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import httptools

from seasoned.core.errors import BadInput, Unreachable

CONNECT_SECONDS = 15
IDLE_SECONDS = 50  # providers close connections after a minute or more
MOST_IDLE = 64  # connections kept for one provider
MOST_UNREAD = 1 << 18  # bytes that wait for a slow reader
LONGEST_HEADERS = 1 << 16

Headers = Sequence[tuple[bytes, bytes]]


class Broken(Unreachable):
    """The connection ended before the response did."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a provider is: its address, and the path that its API begins with."""

    host: str
    port: int
    tls: bool
    path: str

    @classmethod
    def of(cls, url: str, setting: str) -> "Origin":
        """Read a base URL.

        >>> Origin.of("https://api.openai.com/v1/", "proxy.openai")
        Origin(host='api.openai.com', port=443, tls=True, path='/v1')
        """
        parts = urlsplit(url.strip())
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
            raise BadInput(f"{setting} is {url!r}; it must be a base URL, e.g. https://HOST/v1")
        tls = parts.scheme == "https"
        return cls(parts.hostname, port or (443 if tls else 80), tls, parts.path.rstrip("/"))

    @property
    def name(self) -> str:
        """Return the value of the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


class UpstreamConnection(asyncio.Protocol):
    """One connection: carries one request at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._parser: Any = None
        self._waiter: asyncio.Future[None] | None = None
        self._chunks: deque[bytes] = deque()
        self._unread = 0
        self._paused = False
        self._header_bytes = 0
        self._error: Exception | None = None
        self.closed = False
        self.used_at = 0.0
        self.requests = 0
        self.begun = False  # a byte of the response came
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.has_headers = False
        self.complete = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def send(self, method: str, target: bytes, headers: Headers, body: bytes) -> None:
        """Write a request; the response is read by `head` and `chunks`."""
        self._parser = httptools.HttpResponseParser(self)
        self._chunks.clear()
        self._unread, self._header_bytes = 0, 0
        self.begun = self.has_headers = self.complete = False
        self.status, self.headers = 0, []
        self._bodiless = method == "HEAD"
        self.requests += 1
        lines = [method.encode("ascii"), b" ", target, b" HTTP/1.1\r\n"]
        for name, value in headers:
            lines += (name, b": ", value, b"\r\n")
        assert self._transport is not None
        self._transport.write(b"".join((*lines, b"\r\n", body)))

    async def head(self, seconds: float) -> None:
        """Wait for the status and the headers."""
        await self._until(lambda: self.has_headers, seconds)

    async def chunks(self, seconds: float) -> AsyncGenerator[bytes]:
        """Yield the body as it comes; raise `Broken` if it does not come to its end."""
        while True:
            if self._chunks:
                data = b"".join(self._chunks)
                self._chunks.clear()
                self._unread = 0
                if self._paused and self._transport is not None:
                    self._paused = False
                    self._transport.resume_reading()
                yield data
            elif self.complete:
                return
            else:
                await self._until(lambda: bool(self._chunks) or self.complete, seconds)

    async def _until(self, is_so: Any, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not is_so():
                    if self._error is not None:
                        raise self._error
                    self._waiter = self._loop.create_future()
                    await self._waiter
        except TimeoutError:
            raise Broken(f"nothing came for {seconds:g} s (proxy.timeoutSeconds)") from None
        finally:
            self._waiter = None

    @property
    def reusable(self) -> bool:
        return (
            self.complete
            and not self.closed
            and not self._chunks
            and not self._bodiless
            and self._parser is not None
            and bool(self._parser.should_keep_alive())
        )

    def abort(self) -> None:
        if self._transport is not None and not self.closed:
            self._fail(Broken("the client left"))
            self._transport.abort()
        self.closed = True

    # asyncio

    def data_received(self, data: bytes) -> None:
        if self._parser is None or self.complete:
            self.abort()  # it speaks without being asked
            return
        self.begun = True
        if not self.has_headers:
            self._header_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail(Broken("it wants to switch protocols"))
        except httptools.HttpParserError as error:
            self._fail(Broken(f"it does not answer in HTTP ({error})"))
        if not self.has_headers and self._header_bytes > LONGEST_HEADERS:
            self._fail(Broken("its headers are too long"))
        if self._error is not None:
            self.abort()
        elif self._unread > MOST_UNREAD and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        if self._parser is not None and not self.complete:
            if self.has_headers and self._ends_with_connection() and exc is None:
                self.complete = True
            else:
                self._fail(Broken("it closed the connection"))
        self._wake()

    def _ends_with_connection(self) -> bool:
        names = {name.lower() for name, _ in self.headers}
        return not names & {b"content-length", b"transfer-encoding"}

    def _fail(self, error: Exception) -> None:
        self._error = self._error or error
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # httptools

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.has_headers:  # else a trailer
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self.status = int(self._parser.get_status_code())
        if self.status >= 200:
            self.has_headers = True
            self.complete = self._bodiless

    def on_body(self, data: bytes) -> None:
        self._chunks.append(data)
        self._unread += len(data)

    def on_message_complete(self) -> None:
        if self.has_headers:
            self.complete = True
        else:  # 100 Continue and the like
            self.headers = []


class Upstream:
    """The connections to one provider."""

    def __init__(self, origin: Origin, timeout_seconds: float) -> None:
        self.origin = origin
        self.timeout_seconds = timeout_seconds
        self._idle: deque[UpstreamConnection] = deque()
        self._busy: set[UpstreamConnection] = set()

    @cached_property
    def _context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    async def request(
        self, method: str, target: bytes, headers: Headers, body: bytes
    ) -> UpstreamConnection:
        """Send a request, and return its connection when the headers of the response are there.

        A kept connection may have been closed meanwhile: then nothing was answered, and the
        request goes over a new one.
        """
        while True:
            connection = self._kept()
            is_kept = connection is not None
            if connection is None:
                connection = await self._connect()
            self._busy.add(connection)
            try:
                connection.send(method, target, headers, body)
                await connection.head(self.timeout_seconds)
            except Broken as error:
                self.release(connection, whole=False)
                if is_kept and not connection.begun and "closed" in str(error):
                    continue
                raise Unreachable(f"no answer from {self.origin.name}: {error}") from error
            except BaseException:
                self.release(connection, whole=False)
                raise
            return connection

    def release(self, connection: UpstreamConnection, *, whole: bool = True) -> None:
        """Keep a connection for the next request, or close it."""
        self._busy.discard(connection)
        if whole and connection.reusable and len(self._idle) < MOST_IDLE:
            connection.used_at = asyncio.get_running_loop().time()
            self._idle.append(connection)
        else:
            connection.abort()

    def close(self) -> None:
        for connection in (*self._idle, *self._busy):
            connection.abort()
        self._idle.clear()
        self._busy.clear()

    def _kept(self) -> UpstreamConnection | None:
        """Return the connection used last that is still open; close those that are too old."""
        since = asyncio.get_running_loop().time() - IDLE_SECONDS
        while self._idle and (self._idle[0].closed or self._idle[0].used_at < since):
            self._idle.popleft().abort()
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed:
                return connection
        return None

    async def _connect(self) -> UpstreamConnection:
        loop, origin = asyncio.get_running_loop(), self.origin
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, connection = await loop.create_connection(
                    lambda: UpstreamConnection(loop),
                    origin.host,
                    origin.port,
                    ssl=self._context if origin.tls else None,
                    server_hostname=origin.host if origin.tls else None,
                )
        except (OSError, TimeoutError, ssl.SSLError) as error:
            why = str(error) or f"it did not answer within {CONNECT_SECONDS} s"
            raise Unreachable(
                f"cannot reach {origin.name} ({why}); check the network, or the address in "
                "the settings of `proxy`"
            ) from error
        return connection
