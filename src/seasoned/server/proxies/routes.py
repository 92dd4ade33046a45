"""The paths of the proxies, and which wire format each of them carries.

`/openai/v1/…`, `/anthropic/…` and `/gemini/…` stand for the providers' base URLs; before them may
stand the project, and the tenant: `/p/web/openai/v1/…`, `/t/acme/p/web/openai/v1/…`.
"""

import re
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any
from urllib.parse import unquote

from starlette.routing import BaseRoute, Mount

from seasoned.core.threads import run_in_thread, wait_for
from seasoned.server.asgi import AsgiScope, Receive, Send
from seasoned.server.errors import error_response
from seasoned.server.gateway import Gateway
from seasoned.server.proxies.admission import Admission
from seasoned.server.proxies.forwarding import Forwarding, Target
from seasoned.server.proxies.upstream import Origin, Upstream
from seasoned.wire.companion import Companion, CompanionConfig
from seasoned.wire.formats import format_of

WARM_SECONDS = 20
OPEN = ("/openai", "/anthropic", "/gemini", "/p", "/t")

PATH = re.compile(
    rb"(?:/t/(?P<tenant>[^/?]+))?(?:/p/(?P<project>[^/?]+))?"
    rb"/(?:(?P<openai>openai/v1)|(?P<anthropic>anthropic)|(?P<gemini>gemini))(?P<rest>/.*|$)",
    re.DOTALL,
)
PROVIDERS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
}


class Proxies:
    """All proxies of a gateway."""

    def __init__(self, gateway: Gateway) -> None:
        settings = gateway.settings.proxy
        self.companion = Companion(CompanionConfig(settings.deadline_seconds))
        self.upstreams = {
            name: Upstream(
                Origin.of(getattr(settings, name) or own, f"proxy.{name}"), settings.timeout_seconds
            )
            for name, own in PROVIDERS.items()
        }
        admission = Admission(gateway)
        self._forwarding = {
            name: Forwarding(gateway, upstream, self.companion, admission)
            for name, upstream in self.upstreams.items()
        }

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8")
        found = PATH.fullmatch(raw)
        if scope["type"] != "http" or found is None:
            text = "no proxy here; the paths are /openai/v1/…, /anthropic/… and /gemini/…"
            await error_response(404, "NotFound", text)(scope, receive, send)
            return
        provider = next(name for name in PROVIDERS if found[name] is not None)
        rest: bytes = found["rest"]
        query: bytes = scope.get("query_string", b"")
        target = Target(
            rest + (b"?" + query if query else b""),
            format_of(provider, rest.decode("latin-1")),
            *(unquote((found[name] or b"").decode("latin-1")) for name in ("tenant", "project")),
        )
        await self._forwarding[provider](scope, receive, send, target)

    async def health(self) -> dict[str, Any]:
        """Tell how many requests passed, how many of them unlearned, and why the last did."""
        return asdict(self.companion.report)

    def close(self) -> None:
        for upstream in self.upstreams.values():
            upstream.close()


def routes(gateway: Gateway) -> list[BaseRoute]:
    proxies = gateway.shared(Proxies)
    gateway.reports["proxies"] = proxies.health
    return [Mount(path, app=proxies) for path in OPEN]


@asynccontextmanager
async def lifespan(gateway: Gateway) -> AsyncGenerator[None]:
    """Load what learning needs beside the first requests; close the connections at the end."""
    proxies, seasoned = gateway.shared(Proxies), gateway.seasoned
    warm: Future[None] | None = None
    if gateway.settings.proxy.learning and gateway.settings.knowledge.enabled:
        unit = seasoned.app.unit
        warm = run_in_thread(lambda: unit.drive(proxies.companion.warm_up(seasoned)))
    try:
        yield
    finally:
        proxies.close()
        if warm is not None:  # it must not read a database that is being closed
            await wait_for(warm, WARM_SECONDS)
