"""Just enough of HTTP/1.1 for the client: kept-alive requests, and one stream that stays open."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from seasoned.core.errors import BadInput
from seasoned.protocol.errors import HostUnreachable

MOST_IDLE = 8
LARGEST_ANSWER = 64 * 2**20
Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Head = tuple[int, Mapping[str, str]]
BROKEN = (OSError, EOFError, asyncio.LimitOverrunError, ValueError)


class Connections:
    """Connections to one address; each serves one request at a time."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(f"{url!r} is no address of a learn host; e.g. http://127.0.0.1:8420")
        self._tls = parts.scheme == "https"
        self._host = parts.hostname
        try:
            self._port = parts.port or (443 if self._tls else 80)
        except ValueError as error:
            raise BadInput(f"{url!r} has no valid port: {error}") from error
        self._path = parts.path.rstrip("/")
        shown = f"[{self._host}]" if ":" in self._host else self._host
        self._name = f"{shown}:{self._port}"
        self.where = f"{parts.scheme}://{self._name}{self._path}"
        self._idle: deque[Pair] = deque()

    async def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, bytes]:
        """Status and body. An idle connection that was closed meanwhile is replaced, once."""
        while self._idle:
            pair = self._idle.pop()
            if pair[0].at_eof() or pair[1].is_closing():
                pair[1].close()
                continue
            try:
                return await self._exchange(pair, method, path, headers, body)
            except BROKEN:
                break
        try:
            pair = await self._connected()
            return await self._exchange(pair, method, path, headers, body)
        except BROKEN as error:
            raise self._unreachable(error) from error

    @asynccontextmanager
    async def stream(
        self, path: str, headers: Mapping[str, str]
    ) -> AsyncGenerator[tuple[int, AsyncIterator[bytes]]]:
        """Status and lines, as they come."""
        try:
            reader, writer = await self._connected()
        except BROKEN as error:
            raise self._unreachable(error) from error
        try:
            writer.write(self._head("GET", path, headers, None))
            await writer.drain()
            status, answered = await _head_of(reader)
            yield status, _lines(reader, answered)
        except BROKEN as error:
            raise self._unreachable(error) from error
        finally:
            writer.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()

    async def _exchange(
        self, pair: Pair, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, bytes]:
        reader, writer = pair
        reusable = False
        try:
            writer.write(self._head(method, path, headers, len(body)) + body)
            await writer.drain()
            status, answered = await _head_of(reader)
            answer = await _body_of(reader, answered)
            reusable = answered.get("connection", "").lower() != "close"
            return status, answer
        finally:
            if reusable and len(self._idle) < MOST_IDLE:
                self._idle.append(pair)
            else:
                writer.close()

    async def _connected(self) -> Pair:
        context = None
        if self._tls:
            import ssl

            context = ssl.create_default_context()
        return await asyncio.open_connection(self._host, self._port, ssl=context)

    def _head(
        self, method: str, path: str, headers: Mapping[str, str], length: int | None
    ) -> bytes:
        lines = [f"{method} {self._path}{path} HTTP/1.1", f"Host: {self._name}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [] if length is None else [f"Content-Length: {length}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def _unreachable(self, error: BaseException) -> HostUnreachable:
        what = str(error) or type(error).__name__
        return HostUnreachable(f"{self.where} cannot be reached ({what}); is the host running?")


async def _head_of(reader: asyncio.StreamReader) -> Head:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    version, status, *_ = lines[0].split(" ", 2)
    if not version.startswith("HTTP/1."):
        raise ValueError(f"not HTTP: {lines[0][:80]!r}")
    pairs = (line.partition(":") for line in lines[1:] if line)
    return int(status), {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _body_of(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        parts = [part async for part in _chunks(reader)]
        return b"".join(parts)
    length = int(headers.get("content-length", "0"))
    if length > LARGEST_ANSWER:
        raise ValueError(f"an answer of {length} bytes")
    return await reader.readexactly(length)


async def _lines(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncGenerator[bytes]:
    chunked = headers.get("transfer-encoding", "").lower() == "chunked"
    rest = bytearray()
    async for part in _chunks(reader) if chunked else _until_end(reader):
        rest += part
        *lines, tail = rest.split(b"\n")
        rest = tail
        for line in lines:
            yield bytes(line)
        if len(rest) > LARGEST_ANSWER:
            raise ValueError("a reply without end")


async def _chunks(reader: asyncio.StreamReader) -> AsyncGenerator[bytes]:
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        if size > LARGEST_ANSWER:
            raise ValueError(f"a chunk of {size} bytes")
        yield (await reader.readexactly(size + 2))[:-2]
    await reader.readuntil(b"\r\n")


async def _until_end(reader: asyncio.StreamReader) -> AsyncGenerator[bytes]:
    while part := await reader.read(2**16):
        yield part
