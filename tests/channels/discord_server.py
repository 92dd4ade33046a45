"""A Discord of a test's own: REST and a gateway, in the wire format that discord.py speaks."""

import asyncio
import json
import zlib
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import WSMsgType, web

ME = "9000"
Frame = dict[str, Any]


@dataclass
class Link:
    """A connection of a bot to the gateway."""

    socket: web.WebSocketResponse
    compressor: Any = field(default_factory=zlib.compressobj)

    async def send(self, frame: Frame) -> None:
        raw = json.dumps(frame).encode()
        packed = self.compressor.compress(raw) + self.compressor.flush(zlib.Z_SYNC_FLUSH)
        await self.socket.send_bytes(packed)


class DiscordServer:
    """Keeps what was posted in `calls`, and replays events after a resume's number."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, Any]] = []
        self.channels: dict[str, Frame] = {}
        self.history: list[Frame] = []
        self.events: list[Frame] = []  # of the session, with their numbers
        self.identified: list[Frame] = []
        self.resumed: list[Frame] = []
        self.busy_seconds: list[float] = []  # each answers one post with 429
        self.close_code = 0  # on identify
        self.link: Link | None = None
        self._sequence = 0
        self._ids = 5000
        self._sessions = 0

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/gateway", self._gateway)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/api/v10"
        self._gateway_url = f"ws://127.0.0.1:{port}/gateway"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.drop()
        await self._runner.cleanup()

    def posted(self, ending: str) -> list[Any]:
        return [
            body for method, path, body in self.calls if path.endswith(ending) and method != "GET"
        ]

    async def dispatch(self, event: str, data: Frame) -> None:
        """Send an event to the bot, or keep it for a resume."""
        self._sequence += 1
        frame = {"op": 0, "t": event, "s": self._sequence, "d": data}
        self.events.append(frame)
        if self.link is not None:
            await self.link.send(frame)

    async def message(self, text: str, *, id: str = "700", **more: Any) -> None:  # noqa: A002
        await self.dispatch("MESSAGE_CREATE", message(text, id=id, **more))

    async def drop(self) -> None:
        """Cut the connection without a farewell."""
        link, self.link = self.link, None
        if link is not None and (transport := link.socket._req and link.socket._req.transport):  # pyright: ignore[reportPrivateUsage]
            transport.abort()

    def forget_session(self) -> None:
        self._sessions += 1
        self.events.clear()

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        path, method = "/" + request.match_info["path"], request.method
        if request.headers.get("Authorization") != "Bot t0ken":
            return web.json_response({"message": "401: Unauthorized", "code": 0}, status=401)
        body = await request.json() if request.can_read_body else None
        if method == "POST" and path.endswith("/messages") and self.busy_seconds:
            wait = self.busy_seconds.pop(0)
            self.calls.append((method, "429", body))
            told = {"message": "You are being rate limited.", "retry_after": wait, "global": False}
            headers = {"Via": "1.1 google", "Retry-After": str(wait)}
            return web.json_response(told, status=429, headers=headers)
        self.calls.append((method, path, body))
        return self._answer(method, path, body, request)

    def _answer(  # noqa: PLR0911 - a line a route
        self, method: str, path: str, body: Any, request: web.Request
    ) -> web.Response:
        parts = path.strip("/").split("/")
        if path == "/users/@me":
            return web.json_response(
                {"id": ME, "username": "bot", "discriminator": "0", "avatar": None}
            )
        if path == "/gateway/bot":
            return web.json_response({"url": self._gateway_url, "shards": 1})
        if parts[0] == "channels" and len(parts) == 2:
            return web.json_response(self.channels.get(parts[1], {"id": parts[1], "type": 1}))
        if parts[-1] == "messages" and method == "GET":
            after = int(request.query["after"])
            found = [
                m for m in self.history if m["channel_id"] == parts[1] and int(m["id"]) > after
            ]
            return web.json_response(list(reversed(found)))
        if parts[-1] == "messages":
            self._ids += 1
            return web.json_response({"id": str(self._ids), "channel_id": parts[1], **body})
        if parts[-1] in ("typing", "callback"):
            return web.Response(status=204)
        if parts[1] == "404":
            return web.json_response({"message": "Unknown Channel", "code": 10003}, status=404)
        return web.json_response({"id": parts[-1]})

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        assert request.query["compress"] in ("zlib-stream",), request.query
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        link = Link(socket)
        await link.send({"op": 10, "d": {"heartbeat_interval": 30_000}})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._said(link, json.loads(frame.data))
        return socket

    async def _said(self, link: Link, frame: Frame) -> None:
        session = f"session-{self._sessions}"
        if frame["op"] == 1:
            await link.send({"op": 11})
        elif frame["op"] == 2:
            self.identified.append(frame["d"])
            if self.close_code:
                await link.socket.close(code=self.close_code)
                return
            self._sequence += 1
            ready = {"v": 10, "session_id": session, "resume_gateway_url": self._gateway_url}
            ready["user"] = {"id": ME, "username": "bot"}
            await link.send({"op": 0, "t": "READY", "s": self._sequence, "d": ready})
            self.link = link
        elif frame["op"] == 6:
            self.resumed.append(frame["d"])
            if frame["d"]["session_id"] != session:
                await link.send({"op": 9, "d": False})
                return
            for event in [one for one in self.events if one["s"] > frame["d"]["seq"]]:
                await link.send(event)
            self._sequence += 1
            await link.send({"op": 0, "t": "RESUMED", "s": self._sequence, "d": {}})
            self.link = link


def message(text: str, *, id: str = "700", channel: str = "100", **more: Any) -> Frame:  # noqa: A002
    author = {"id": "42", "username": "ana", "global_name": "Ana", "discriminator": "0"}
    there = {"id": id, "channel_id": channel, "type": 0, "content": text, "author": author}
    return {**there, "mentions": [], "attachments": [], **more}


async def eventually(happened: Any, seconds: float = 8) -> Any:
    """Wait until it is true, and return it."""
    async with asyncio.timeout(seconds):
        while not (found := happened()):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return found
