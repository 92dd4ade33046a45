"""`Gateway`: what the parts of the server share. Each request is answered as its caller."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection

from seasoned.api import AsyncSeasoned
from seasoned.config import Settings
from seasoned.protocol.host.connections import Connections
from seasoned.protocol.host.host import Host
from seasoned.protocol.host.host_config import HostConfig
from seasoned.server.callers import caller_of, request_realm, request_scope
from seasoned.server.live.agents import Agents
from seasoned.server.live.connection import Sockets
from seasoned.server.live.facts import Facts
from seasoned.server.live.sessions import LiveSessions

Report = Callable[[], Awaitable[dict[str, Any]]]


@dataclass(slots=True, eq=False)
class Gateway:
    """An open Seasoned, and the limits and connections of the server around it.

    `tools` are functions and toolsets for the agent, besides those of the settings. `reports` are
    parts of the server that tell health how they are, by name.
    """

    seasoned: AsyncSeasoned
    config: HostConfig = field(default_factory=HostConfig)
    tools: Sequence[Any] = ()
    reports: dict[str, Report] = field(default_factory=dict[str, Report])
    connections: Connections = field(init=False)
    host: Host = field(init=False)  # of the learn protocol
    live: LiveSessions = field(init=False)
    facts: Facts = field(init=False)
    sockets: Sockets = field(default_factory=Sockets)
    draining: bool = False  # the process is about to end: what runs ends, nothing new begins

    def __post_init__(self) -> None:
        self.connections = Connections(self.config)
        self.host = self.seasoned.app.learn_host(self.seasoned.scope, self.config)
        agents = Agents(self.seasoned, self.tools)
        self.live = LiveSessions(agents, self.seasoned.app.clock)
        self.facts = Facts(self.seasoned)

    @property
    def settings(self) -> Settings:
        return self.seasoned.app.config.settings

    async def for_request(self, connection: HTTPConnection) -> AsyncSeasoned:
        """Return Seasoned for the caller of a request."""
        caller = caller_of(connection)
        scope = request_scope(connection, caller)
        return self.seasoned.acting_for(scope, request_realm(caller, scope))

    async def drain(self, seconds: float) -> None:
        """Begin to stop: nothing new begins, readers of streams are let go, turns end."""
        self.draining = True
        self.host.sessions.end_streams()
        await self.live.drain(seconds)
