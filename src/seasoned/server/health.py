"""Health: is the process alive, is it ready for requests, and how is each part of it.

Strangers learn whether it works, and no more; the operator learns why not.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from seasoned import __version__
from seasoned.app.canary import CanaryFlight
from seasoned.app.health import QUEUE_LABELS, buffers_of, worker_errors
from seasoned.app.startup import Startup
from seasoned.core.clock import iso
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.server.callers import CALLER, RequestCaller
from seasoned.server.gateway import Gateway
from seasoned.server.live.live import Live

log = logging.getLogger("seasoned.server")

OPEN = ("/health",)
STARTING_SECONDS = 30  # for building the parts, if the server ends meanwhile
REPORT_SECONDS = 2.0  # for a part to tell how it is
QUEUE_REMEDY = "`seasoned corrections pending` shows why they wait, `… learn` learns from them now"
MODEL_REMEDY = "it is tried again by itself; start its server, or correct llm.model or agent.model"
OVERDUE, OVERDUE_SECONDS = 3, 60  # intervals without a flight, and the least


class CanarySchedule:
    """Sends the canary at the start and every `server.canaryMinutes`."""

    def __init__(self, gateway: Gateway) -> None:
        self.canary = gateway.seasoned.app.canary
        self.minutes = gateway.settings.server.canary_minutes
        self._landed = time.monotonic()
        self._stop = asyncio.Event()

    async def run(self) -> None:
        while self.minutes and not self._stop.is_set():
            before = self.canary.last.state
            flight = await asyncio.to_thread(self.canary.fly)
            self._landed = time.monotonic()
            if flight.state == "failed" and before != "failed":
                log.error("learning does not work: %s", flight.reason)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), 60 * self.minutes)

    def stop(self) -> None:
        """Begin no other flight; one that is under way lands first."""
        self._stop.set()

    def state(self) -> CanaryFlight:
        """Return the last flight; one that has not come back for long has failed."""
        last = self.canary.last
        if not self.minutes:
            return CanaryFlight("off", reason="server.canaryMinutes is 0")
        waited = time.monotonic() - self._landed
        patience = max(OVERDUE_SECONDS, OVERDUE * 60 * self.minutes)
        if last.state in ("waiting", "present") and waited > patience:
            return CanaryFlight(
                "failed", last.at, reason=f"it has not come back for {waited / 60:.0f} minutes"
            )
        return last


class Health:
    """Collects how everything is."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._begun = time.monotonic()

    async def failing(self) -> list[str]:
        """Return why the server does not do its work; empty if it does."""
        reasons: list[str] = []
        trouble = await self._gateway.host.database_trouble()
        if trouble:
            reasons.append(f"database: {trouble}")
        flight = self._gateway.shared(CanarySchedule).state()
        if flight.state == "failed":
            reasons.append(f"canary: {flight.reason}")
        return reasons

    async def report(self) -> dict[str, Any]:
        """Return the whole picture, for the operator."""
        gateway = self._gateway
        app = gateway.seasoned.app
        failing = await self.failing()
        rows = await asyncio.to_thread(app.startup.rows)  # the first asker may build parts
        parts = {name: one.shape() for name, one in rows.items()}
        queue = await app.db.run_async(app.pending.status(app.clock.now()))
        models = [*gateway.shared(Live).agents.status(), *app.model_status()]
        reports = await self._reports()
        worse = [f"{name}: {one.reason}" for name, one in rows.items() if one.state == "failed"]
        if queue["colour"] == "red":
            worse.append(f"corrections: {queue['error'] or QUEUE_LABELS['red']}; {QUEUE_REMEDY}")
        worse += [
            f"model {one['model']}: {one['last_error']}; {MODEL_REMEDY}"
            for one in models
            if one["state"] != "closed"
        ]
        worse += [
            f"{name}: {one.get('reason', 'failed')}"
            for name, one in reports.items()
            if one.get("status") == "failing"
        ]
        worse += ["stopping"] if gateway.draining else []
        return {
            "status": "failing" if failing else "degraded" if worse else "ok",
            "reasons": [*failing, *worse],
            "version": __version__,
            "uptime_seconds": round(time.monotonic() - self._begun),
            "parts": parts,
            "buffers": buffers_of(app.workers),
            "corrections": {
                **queue,
                "label": QUEUE_LABELS[queue["colour"]],
                "remedy": "" if queue["colour"] == "green" else QUEUE_REMEDY,
            },
            "workers": {
                "errors": worker_errors(app, app.workers),
                "listener_failures": dict(app.bus.failures),
            },
            "database": {"where": app.db.where, "dialect": app.db.dialect},
            "models": models,
            "live": self._live(),
            "canary": _flight(gateway.shared(CanarySchedule).state()),
            "reports": reports,
        }

    def _live(self) -> dict[str, int]:
        live = self._gateway.shared(Live)
        return {
            "turns_running": live.sessions.running,
            "websockets": live.sockets.open,
            "websockets_dropped": live.sockets.dropped,
            "connections": len(self._gateway.connections),
        }

    async def _reports(self) -> dict[str, dict[str, Any]]:
        """Ask the other parts how they are; one that fails or hangs is failing."""
        found: dict[str, dict[str, Any]] = {}
        for name, report in self._gateway.reports.items():
            try:
                async with asyncio.timeout(REPORT_SECONDS):
                    found[name] = await report()
            except Exception as error:  # noqa: BLE001 - a report says how a part is, also so
                reason = f"{type(error).__name__}: {error}"
                found[name] = {"status": "failing", "reason": reason}
        return found


def routes(gateway: Gateway) -> list[BaseRoute]:
    health = gateway.shared(Health)

    async def live(request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    async def ready(request: Request) -> JSONResponse:
        trouble = "stopping" if gateway.draining else await gateway.host.database_trouble()
        state = {"status": "failing", "reason": trouble} if trouble else {"status": "ok"}
        return JSONResponse(state, 503 if trouble else 200)

    async def whole(request: Request) -> JSONResponse:
        if not is_operator(gateway, request):
            state: dict[str, Any] = {"status": "failing" if await health.failing() else "ok"}
        else:
            state = await health.report()
        return JSONResponse(state, 503 if state["status"] == "failing" else 200)

    return [
        Route("/health", whole),
        Route("/health/live", live),
        Route("/health/ready", ready),
    ]


@asynccontextmanager
async def lifespan(gateway: Gateway) -> AsyncGenerator[None]:
    startup = gateway.seasoned.app.startup
    _report(gateway, startup)
    starting = run_in_thread(startup.begin)  # beside the first requests, which need none of it
    flying = asyncio.create_task(gateway.shared(CanarySchedule).run())
    try:
        yield
    finally:
        gateway.shared(CanarySchedule).stop()
        await flying
        await wait_for(starting, STARTING_SECONDS)


def _report(gateway: Gateway, startup: Startup) -> None:
    """Tell how the parts are that only a server has."""
    settings = gateway.settings
    startup.report("auth", "present")
    startup.report("gateway", "present")
    policy = settings.approval.policy
    if policy == "none":
        startup.report("approval", "off", "approval.policy is none: tools run unasked")
    else:
        startup.report("approval", "present", f"approval.policy is {policy}")


def is_operator(gateway: Gateway, connection: HTTPConnection) -> bool:
    """Tell whether a caller operates this server, not only a tenant or a project on it."""
    caller = cast("RequestCaller | None", connection.scope.get(CALLER))
    return caller is not None and caller.operates(gateway.seasoned.scope)


def _flight(flight: CanaryFlight) -> dict[str, Any]:
    at = {"at": iso(flight.at)} if flight.at is not None else {}
    return {"state": flight.state, **at, "seconds": flight.seconds, "reason": flight.reason}
