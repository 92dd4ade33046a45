"""Figures for Prometheus at `GET /metrics`; every label has few values.

Counters follow the facts on the bus and the requests that pass; others are read when asked for.
"""

import time
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from seasoned.app.health import buffers_of
from seasoned.core.errors import NotAllowed
from seasoned.core.events import (
    Corrected,
    HintGiven,
    LessonLearned,
    RuleConflicted,
    ToolFinished,
)
from seasoned.corrections import CorrectionKind
from seasoned.errors.nature import nature_of
from seasoned.fixes.failure import stop_of
from seasoned.lessons.lesson import KINDS
from seasoned.llm.cost.spending import Spending, SpendingStore, day_of
from seasoned.server.asgi import AsgiApp, AsgiScope, Message, Receive, Send
from seasoned.server.callers import caller_of
from seasoned.server.gateway import Gateway
from seasoned.server.health import CanarySchedule, is_operator
from seasoned.server.live.live import Live

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
CORRECTION_KINDS = frozenset(one.value for one in CorrectionKind)
NO_ROUTE, OTHER = "none", "other"


class Metrics:
    """Get it by `gateway.shared(Metrics)`."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self.registry = registry = CollectorRegistry()

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"seasoned_{name}", text, labels, registry=registry)

        self.requests = counter("requests", "Requests answered", "route", "method", "status")
        self.seconds = Histogram(
            "seasoned_request_seconds",
            "Time to the first byte of an answer",
            ("route", "method"),
            registry=registry,
            buckets=SECONDS,
        )
        self._results = counter("tool_results", "Tool results observed", "outcome")
        self._failures = counter("tool_failures", "Failed tool calls by their nature", "nature")
        self._hints = counter("hints", "Hints given beside an error")
        self._lessons = counter("lessons_learned", "Lessons learned", "kind")
        self._corrections = counter("corrections", "Corrections noticed", "kind")
        self._conflicts = counter("rule_conflicts", "Rules that contradict an earlier one")
        bus = gateway.seasoned.app.bus
        bus.subscribe(ToolFinished, self._on_tool)
        bus.subscribe(HintGiven, lambda _: self._hints.inc())
        bus.subscribe(LessonLearned, self._on_lesson)
        bus.subscribe(Corrected, self._on_correction)
        bus.subscribe(RuleConflicted, lambda _: self._conflicts.inc())

    async def text(self) -> bytes:
        """Return all figures in the format of Prometheus."""
        app = self._gateway.seasoned.app
        now = app.clock.now()
        queue = await app.db.run_async(app.pending.status(now))
        spent = await app.db.run_async(self._spent())
        figures = Figures([*self._live(), *self._workers(), *_queue(queue), *_cost(spent)])
        held = CollectorRegistry()
        held.register(figures)
        return generate_latest(self.registry) + generate_latest(held)

    async def _spent(self) -> Sequence[Spending]:
        app = self._gateway.seasoned.app
        today = day_of(app.clock.now())
        async with app.db.read() as tx:
            rows = await SpendingStore(app.db).summary(tx, 1)
        return [row for row in rows if row.day == today]

    def _live(self) -> Generator[Metric]:
        live, gateway = self._gateway.shared(Live), self._gateway
        yield _gauge("websockets_open", "WebSockets that are open", live.sockets.open)
        yield _count("websockets_dropped", "WebSockets that read too slowly", live.sockets.dropped)
        yield _gauge("turns_running", "Turns of the agent in progress", live.sessions.running)
        yield _count("turns", "Turns of the agent", live.sessions.turns)
        yield _gauge("connections_open", "Connections of HTTP", len(gateway.connections))
        refused = CounterMetricFamily("seasoned_refused", "Refused before routing", labels=["why"])
        for why, times in gateway.connections.refused.items():
            refused.add_metric([why], times)
        yield refused
        flight = gateway.shared(CanarySchedule).state()
        yield _gauge("canary_up", "1 if the canary came back", int(flight.state != "failed"))

    def _workers(self) -> Iterable[Metric]:
        app = self._gateway.seasoned.app
        held = buffers_of(app.workers)
        rows = (
            ("buffer_depth", "Nudges that wait for a worker", "depth", GaugeMetricFamily),
            ("buffer_spilled", "Nudges beyond a buffer", "spilled", CounterMetricFamily),
            ("worker_done", "Pieces of work done", "processed", CounterMetricFamily),
            ("worker_errors", "Batches of a worker that failed", "failed", CounterMetricFamily),
        )
        for name, text, field, kind in rows:
            family = kind(f"seasoned_{name}", text, labels=["worker"])
            for worker, figures in held.items():
                family.add_metric([worker], figures[field])
            yield family
        failures = sum(app.bus.failures.values())
        yield _count("listener_failures", "Facts that a listener failed on", failures)

    def _on_tool(self, event: ToolFinished) -> None:
        if event.error is None:
            self._results.labels("succeeded").inc()
            return
        self._results.labels("failed").inc()
        nature = stop_of(event.call) or nature_of(event.error, event.call.params)
        self._failures.labels(nature.replace(" ", "_")).inc()

    def _on_lesson(self, event: LessonLearned) -> None:
        self._lessons.labels(event.kind if event.kind in KINDS else OTHER).inc()

    def _on_correction(self, event: Corrected) -> None:
        self._corrections.labels(event.kind if event.kind in CORRECTION_KINDS else OTHER).inc()


class Figures:
    """A collector of figures that were read just now."""

    def __init__(self, found: Sequence[Metric]) -> None:
        self._found = found

    def collect(self) -> Iterable[Metric]:
        return self._found


class Measured:
    """Middleware: counts requests by route template and status, and times their answers."""

    def __init__(self, app: AsgiApp, gateway: Gateway, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._metrics = gateway.shared(Metrics)
        self._templates = dict(templates_of(routes))

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, status, took = time.perf_counter(), 0, 0.0

        async def sending(message: Message) -> None:
            nonlocal status, took
            if message["type"] == "http.response.start":
                status, took = message["status"], time.perf_counter() - start
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            route = self._template(scope)
            method = scope["method"] if scope["method"] in METHODS else OTHER
            self._metrics.requests.labels(route, method, str(status or "left")).inc()
            if status:
                self._metrics.seconds.labels(route, method).observe(took)

    def _template(self, scope: AsgiScope) -> str:
        try:
            return self._templates.get(scope.get("endpoint"), NO_ROUTE)
        except TypeError:  # an endpoint that cannot be a key
            return NO_ROUTE


def templates_of(routes: Iterable[BaseRoute], above: str = "") -> Generator[tuple[Any, str]]:
    """Yield each endpoint with the path of its route, parameters as names."""
    for route in routes:
        if isinstance(route, Mount):
            yield route.app, f"{above}{route.path}"
            yield from templates_of(route.routes, f"{above}{route.path}")
        elif isinstance(route, Route):
            yield route.endpoint, f"{above}{route.path}"


def routes(gateway: Gateway) -> list[BaseRoute]:
    metrics = gateway.shared(Metrics)

    async def show(request: Request) -> Response:
        caller_of(request)
        if not is_operator(gateway, request):
            raise NotAllowed("the figures are the whole server's; use the operator's token")
        return Response(await metrics.text(), headers={"content-type": CONTENT_TYPE_LATEST})

    return [Route("/metrics", show)]


def _queue(status: dict[str, Any]) -> Generator[Metric]:
    depth = GaugeMetricFamily("seasoned_queue_depth", "Corrections in the queue", labels=["state"])
    for state in ("pending", "failing", "claimed", "archived", "aside"):
        depth.add_metric([state], status[state])
    yield depth
    yield _count(
        "queue_evicted", "Corrections that the cap moved to the archive", status["evicted"]
    )


def _cost(spent: Sequence[Spending]) -> Generator[Metric]:
    usd: dict[str, float] = {}
    calls: dict[str, float] = {}
    for row in spent:
        usd[row.purpose] = usd.get(row.purpose, 0.0) + row.usd
        calls[row.purpose] = calls.get(row.purpose, 0) + row.calls
    for name, text, figures in (
        ("model_cost_usd_today", "Cost of models today (UTC), in US dollars", usd),
        ("model_calls_today", "Calls of models today (UTC)", calls),
    ):
        family = GaugeMetricFamily(f"seasoned_{name}", text, labels=["purpose"])
        for purpose, value in figures.items():
            family.add_metric([purpose], value)
        yield family


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"seasoned_{name}", text, value=value)


def _count(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"seasoned_{name}", text, value=value)
