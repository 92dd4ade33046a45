"""`Gateway`: what the parts of the server share. Each request is answered as its caller."""

from dataclasses import dataclass, field

from starlette.requests import HTTPConnection

from seasoned.api import AsyncSeasoned
from seasoned.config import Settings
from seasoned.protocol.host.connections import Connections
from seasoned.protocol.host.host import Host
from seasoned.protocol.host.host_config import HostConfig
from seasoned.server.callers import caller_of, request_realm, request_scope


@dataclass(slots=True, eq=False)
class Gateway:
    """An open Seasoned, and the limits and connections of the server around it."""

    seasoned: AsyncSeasoned
    config: HostConfig = field(default_factory=HostConfig)
    connections: Connections = field(init=False)
    host: Host = field(init=False)  # of the learn protocol
    parts: dict[str, object] = field(default_factory=dict[str, object])  # what parts keep here
    draining: bool = False  # the process is about to end: what runs ends, nothing new begins

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

    def drain(self) -> None:
        """Begin to stop: nothing new begins, and readers of streams are let go."""
        self.draining = True
        self.host.sessions.end_streams()
