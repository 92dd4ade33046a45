"""A bridge of a test's own: it posts what people write to the gateway, and takes the answers."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientSession, web

from seasoned.channels.hook import SIGNATURE, TIMESTAMP, signed

SECRET = "shared-between-both"


@dataclass
class Shown:
    """A message of the agent, as people see it."""

    id: str
    text: str
    buttons: list[tuple[str, str]]


@dataclass
class HookServer:
    """`notices` are the short texts for whoever pressed a button."""

    gateway: str = ""
    posts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    notices: list[str] = field(default_factory=list[str])
    url: str = ""
    _failures: list[int] = field(default_factory=list[int])
    _count: int = 0
    _last: dict[str, Any] = field(default_factory=dict[str, Any])
    _runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/bridge", self._take)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/bridge"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def write(self, text: str, sender: str = "42", **more: Any) -> None:
        self._count += 1
        content = {"id": f"m{self._count}", "chat": "room", "sender": sender, "text": text, **more}
        self._last = content
        await self.deliver(content)

    async def press(self, message: str, data: str, sender: str = "42") -> None:
        await self._tell(type="press", message=message, data=data, sender=sender)

    async def react(self, message: str, thumb: str, sender: str = "42") -> None:
        await self._tell(type="thumb", message=message, thumb=thumb, sender=sender)

    async def replay(self) -> None:
        await self.deliver(self._last)

    def messages(self, chat: str = "room") -> list[Shown]:
        return [
            Shown(
                one["message"],
                one["text"],
                [(button["label"], button["data"]) for button in one["buttons"]],
            )
            for one in self.posts
            if one["type"] == "message" and one["chat"] == chat
        ]

    def fail_next(self, status: int) -> None:
        self._failures.append(status)

    async def _tell(self, **content: Any) -> None:
        self._count += 1
        about = next(one for one in self.posts if one["message"] == content["message"])
        await self.deliver({"id": f"m{self._count}", "chat": about["chat"], **content})

    async def deliver(self, content: dict[str, Any]) -> None:
        """Post an event until the gateway takes it, as a bridge does."""
        body = json.dumps(content).encode()
        status = 0
        for _ in range(200):
            status = await self.post(body)
            if status == 200:
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"the gateway does not take it: {status}")

    async def post(self, body: bytes, secret: str = SECRET, age: int = 0) -> int:
        timestamp = str(int(time.time()) - age)
        headers = {TIMESTAMP: timestamp, SIGNATURE: signed(secret, timestamp, body)}
        async with (
            ClientSession() as session,
            session.post(f"{self.gateway}/channels/hook", data=body, headers=headers) as answer,
        ):
            return answer.status

    async def _take(self, request: web.Request) -> web.Response:
        body = await request.read()
        if request.headers[SIGNATURE] != signed(SECRET, request.headers[TIMESTAMP], body):
            return web.Response(status=401)
        if self._failures:
            return web.Response(status=self._failures.pop(0))
        content = json.loads(body)
        (self.notices if content["type"] == "notice" else self.posts).append(
            content["text"] if content["type"] == "notice" else content
        )
        return web.Response()
