"""The channels of the gateway: each runs beside the requests, and fails without the others.

Slack's events and those of the hook come by HTTP; both are signed, so their paths are open.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from seasoned.channels.drivers import driver_of, turned_on
from seasoned.channels.hook import LARGEST_BYTES, HookDriver
from seasoned.channels.inbox import Inbox
from seasoned.channels.reception import Reception
from seasoned.core.errors import NotFound, SeasonedError
from seasoned.server.channel_house import GatewayHouse
from seasoned.server.errors import TooLarge
from seasoned.server.gateway import Gateway

log = logging.getLogger("seasoned.channels")

ChannelState = Literal["starting", "present", "failed"]
OPEN = ("/channels",)
RESTART_SECONDS = 30.0  # after a failure that its driver does not handle
REMEDY = "correct its settings and start again; docs/channels.md has the steps"
LAST_SECONDS = 2.0  # to deliver an answer that was interrupted


@dataclass(slots=True)
class Running:
    """A channel that is on."""

    name: str
    state: ChannelState = "starting"
    reason: str = ""
    reception: Reception | None = None


class Channels:
    """Get it by `gateway.shared(Channels)`."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._tasks: list[asyncio.Task[None]] = []
        self.running: dict[str, Running] = {}

    def start(self) -> None:
        """Start every channel that the settings turn on."""
        gateway = self._gateway
        for name in turned_on(gateway.settings):
            one = self.running[name] = Running(name)
            self._tasks.append(asyncio.create_task(self._run(one)))
        if self.running:
            gateway.reports["channels"] = self.report
            gateway.drains.append(self.drain)

    def driver(self, name: str) -> Any:
        """Return the driver of a channel that runs; `NotFound` if it does not."""
        one = self.running.get(name)
        if one is None or one.reception is None:
            raise NotFound(f"the channel {name} is not running")
        return one.reception.channel

    async def report(self) -> dict[str, Any]:
        """Tell health how the channels are."""
        inbox = Inbox(self._gateway.seasoned.app.unit)
        told: dict[str, Any] = {}
        for one in self.running.values():
            told[one.name] = {
                "state": one.state,
                "reason": one.reason,
                **await inbox.counts(one.name),
                "answered": one.reception.answered if one.reception else 0,
                "last_error": one.reception.last_error if one.reception else "",
            }
        failed = [f"{one.name}: {one.reason}" for one in self.running.values() if one.reason]
        state = {"status": "failing", "reason": "; ".join(failed)} if failed else {"status": "ok"}
        return {**state, "channels": told}

    def _tell(
        self, one: Running, state: Literal["starting", "present", "failed"], why: str
    ) -> None:
        """Note how a channel is, and tell the table of parts how they are together."""
        one.state, one.reason = state, why
        startup = self._gateway.seasoned.app.startup
        failed = [f"{each.name}: {each.reason}" for each in self.running.values() if each.reason]
        there = [each.name for each in self.running.values() if each.state == "present"]
        if failed:
            startup.report("channels", "failed", "; ".join(failed), REMEDY)
        elif there:
            startup.report("channels", "present", ", ".join(there))

    async def drain(self, seconds: float) -> None:
        """Let answers be delivered; turns get `seconds` from those who run them."""
        receptions = [one.reception for one in self.running.values() if one.reception]
        await asyncio.gather(*(one.drain(seconds + LAST_SECONDS) for one in receptions))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, one: Running) -> None:
        """Run a channel; one that cannot start is shown as failed, and the others go on."""
        while True:
            try:
                await self._serve(one)
            except SeasonedError as error:
                self._tell(one, "failed", str(error))
                return
            except Exception as error:  # a client library may fail in any way
                self._tell(one, "failed", f"{type(error).__name__}: {error}")
                log.exception("%s broke; it starts again in %g s", one.name, RESTART_SECONDS)
            await asyncio.sleep(RESTART_SECONDS)

    async def _serve(self, one: Running) -> None:
        gateway = self._gateway
        app = gateway.seasoned.app
        guests = turned_on(gateway.settings)[one.name]
        # In a thread, because client libraries take a while to import.
        inbox = Inbox(app.unit)
        driver = await asyncio.to_thread(driver_of, one.name, gateway.settings, inbox)
        if guests.is_empty:
            log.warning("%s: nobody may write yet; set %s.users or %s.operators", *(one.name,) * 3)
        reception = Reception(driver, inbox, GatewayHouse(gateway), guests)
        one.reception = reception
        self._tell(one, "present", "")
        app.outlets.open(driver)
        app.deliverers.register(
            one.name,
            lambda place, text: app.outlets.send(f"{one.name}:{place}", text),
            gateway.seasoned.scope.tenant,
        )
        try:
            await reception.run()
        finally:
            app.deliverers.leave(one.name)
            app.outlets.close(driver)
            await reception.close()


@asynccontextmanager
async def lifespan(gateway: Gateway) -> AsyncGenerator[None]:
    channels = gateway.shared(Channels)
    channels.start()
    try:
        yield
    finally:
        await channels.close()


def routes(gateway: Gateway) -> list[BaseRoute]:
    channels = gateway.shared(Channels)

    async def hook(request: Request) -> Response:
        driver: HookDriver = channels.driver("hook")
        await driver.take(request.headers, await _body_of(request))
        return JSONResponse({"taken": True})

    async def slack(request: Request) -> Response:
        events = channels.driver("slack").events
        if events is None:
            raise NotFound("slack.signingSecret is not set, so events by HTTP are not taken")
        return _Passed(events)

    return [
        Route("/channels/hook", hook, methods=["POST"]),
        Route("/channels/slack/events", slack, methods=["POST"]),
        Route("/channels/slack/actions", slack, methods=["POST"]),
    ]


async def _body_of(request: Request) -> bytes:
    """Read a body before it is known who sent it: a small one."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BYTES:
            raise TooLarge(f"an event may have {LARGEST_BYTES} bytes; send less at once")
    return bytes(body)


class _Passed(Response):
    """Hands a request on to another ASGI application."""

    def __init__(self, app: Any) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)
