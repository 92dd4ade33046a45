"""The gateway of a test's own Discord: sessions, heartbeats, resumes and what can go wrong."""

import contextlib
import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

Frame = dict[str, Any]
MESSAGE_CONTENT = 1 << 15  # an intent


class Link:
    """A connection of a bot."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request) -> None:
        self.socket = socket
        self._transport = request.transport
        self._pack = _packer(request.query.get("compress", ""))

    async def send(self, frame: Frame) -> None:
        with contextlib.suppress(ConnectionError):  # it is dropped
            await self.socket.send_bytes(self._pack(json.dumps(frame).encode()))

    def drop(self) -> None:
        """Cut it without a farewell."""
        if self._transport is not None:
            self._transport.abort()


@dataclass
class Session:
    id: str
    sequence: int = 0
    events: list[Frame] = field(default_factory=list[Frame])
    link: Link | None = None

    async def dispatch(self, event: str, data: Any) -> None:
        """Send an event, and keep it for a resume."""
        self.sequence += 1
        self.events.append({"op": 0, "t": event, "s": self.sequence, "d": data})
        if self.link is not None:
            await self.link.send(self.events[-1])


class Sessions:
    """All sessions of one bot, with the token that is right."""

    def __init__(self, token: str, me: Frame, server: Frame) -> None:
        self.url = ""
        self.heartbeat_seconds = 30.0
        self.answers_heartbeats = True
        self.allows_content = True
        self.close_code = 0  # for the next that identifies
        self.identified: list[Frame] = []
        self.resumed: list[Frame] = []
        self.heartbeats: list[int | None] = []
        self.closed: list[int | None] = []  # the codes with which the bot closed
        self._token = token
        self._me = me
        self._server = server
        self._known: dict[str, Session] = {}
        self._links: list[Link] = []
        self._begun = 0

    @property
    def is_connected(self) -> bool:
        return any(one.link is not None for one in self._known.values())

    async def dispatch(self, event: str, data: Any) -> None:
        for session in list(self._known.values()):
            await session.dispatch(event, data)

    async def replay(self) -> None:
        """Deliver the last event again, as after a resume."""
        for session in self._known.values():
            if session.link is not None and session.events:
                await session.link.send(session.events[-1])

    async def say(self, frame: Frame) -> None:
        for link in self._links:
            await link.send(frame)

    async def close(self, code: int) -> None:
        for link in list(self._links):
            await link.socket.close(code=code)

    def drop(self) -> None:
        for link in self._links:
            link.drop()
        for session in self._known.values():
            session.link = None

    def forget(self) -> None:
        self._known.clear()

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        link = Link(socket, request)
        self._links.append(link)
        try:
            await link.send({"op": 10, "d": {"heartbeat_interval": self.heartbeat_seconds * 1000}})
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    await self._said(link, json.loads(frame.data))
        finally:
            self._links.remove(link)
            self._left(link, socket.close_code)
        return socket

    async def _said(self, link: Link, frame: Frame) -> None:
        op, data = frame["op"], frame["d"]
        if op == 1:
            self.heartbeats.append(data)
            if self.answers_heartbeats:
                await link.send({"op": 11})
        elif data["token"] != self._token:
            await link.socket.close(code=4004)
        elif op == 2:
            await self._identify(link, data)
        elif op == 6:
            await self._resume(link, data)

    async def _identify(self, link: Link, data: Frame) -> None:
        self.identified.append(data)
        code, self.close_code = self.close_code, 0
        if data["intents"] & MESSAGE_CONTENT and not self.allows_content:
            code = 4014
        if code:
            await link.socket.close(code=code)
            return
        self._begun += 1
        session = Session(f"session-{self._begun}", link=link)
        self._known[session.id] = session
        ready = {"v": 10, "session_id": session.id, "resume_gateway_url": self.url}
        await session.dispatch("READY", {**ready, "user": self._me, "guilds": []})
        await session.dispatch("GUILD_CREATE", self._server)

    async def _resume(self, link: Link, data: Frame) -> None:
        self.resumed.append(data)
        session = self._known.get(data["session_id"])
        if session is None:
            await link.send({"op": 9, "d": False})
        elif data["seq"] > session.sequence:
            await link.socket.close(code=4007)
        else:
            for event in session.events:  # it may grow meanwhile
                if event["s"] > data["seq"]:
                    await link.send(event)
            session.link = link
            await session.dispatch("RESUMED", {})

    def _left(self, link: Link, code: int | None) -> None:
        self.closed.append(code)
        for session in list(self._known.values()):
            if session.link is link:
                session.link = None
                if code in (1000, 1001):
                    del self._known[session.id]


def _packer(compress: str) -> Any:
    """Return what compresses frames in the stream that the bot asked for."""
    if compress == "zstd-stream":
        import zstandard

        zstd = zstandard.ZstdCompressor().compressobj()
        flush = zstandard.COMPRESSOBJ_FLUSH_BLOCK
        return lambda raw: zstd.compress(raw) + zstd.flush(flush)  # pyright: ignore
    assert compress == "zlib-stream", compress
    packer = zlib.compressobj()
    return lambda raw: packer.compress(raw) + packer.flush(zlib.Z_SYNC_FLUSH)  # pyright: ignore
