"""`Gateway`: what the parts of the server share. Each request is answered as its caller."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from starlette.requests import HTTPConnection

from seasoned.api import AsyncSeasoned
from seasoned.config.settings import Settings
from seasoned.protocol.host.connections import Connections
from seasoned.protocol.host.host import Host
from seasoned.protocol.host.host_config import HostConfig
from seasoned.server.callers import caller_of, request_realm, request_scope

T = TypeVar("T")
Report = Callable[[], Awaitable[dict[str, Any]]]
Drain = Callable[[float], Awaitable[object]]


@dataclass(slots=True, eq=False)
class Gateway:
    """An open Seasoned, and the limits and connections of the server around it.

    `tools` are functions and toolsets for the agent, besides those of the settings. A part of the
    server adds to `reports`, by name, how it tells health how it is, and to `drains` what it does
    with the seconds that are left when the server stops.
    """

    seasoned: AsyncSeasoned
    config: HostConfig = field(default_factory=HostConfig)
    tools: Sequence[Any] = ()
    reports: dict[str, Report] = field(default_factory=dict[str, Report])
    drains: list[Drain] = field(default_factory=list[Drain])
    connections: Connections = field(init=False)
    host: Host = field(init=False)  # of the learn protocol
    draining: bool = False  # the process is about to end: what runs ends, nothing new begins
    _shared: dict[object, object] = field(default_factory=dict[object, object])

    def __post_init__(self) -> None:
        self.connections = Connections(self.config)
        self.host = self.seasoned.app.learn_host(self.seasoned.scope, self.config)

    @property
    def settings(self) -> Settings:
        return self.seasoned.app.config.settings

    async def for_request(self, connection: HTTPConnection) -> AsyncSeasoned:
        """Return Seasoned for the caller of a request."""
        caller = caller_of(connection)
        scope = request_scope(connection, caller)
        return self.seasoned.acting_for(scope, request_realm(caller, scope))

    def shared(self, kind: "Callable[[Gateway], T]") -> T:
        """Return the one thing of this kind that the parts share; the first asker builds it."""
        if kind not in self._shared:
            self._shared[kind] = kind(self)
        return cast("T", self._shared[kind])

    async def drain(self, seconds: float) -> None:
        """Begin to stop: nothing new begins, readers of streams are let go, turns end."""
        self.draining = True
        startup = self.seasoned.app.startup
        startup.report("gateway", "stopping", "the process ends; what runs is finished first")
        self.host.sessions.end_streams()
        await asyncio.gather(*(drain(seconds) for drain in self.drains))
