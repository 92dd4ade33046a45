"""Connections to the host: deadlines for headers, and limits that hit whoever exhausts them.

uvicorn closes a connection that is idle after a request, but waits forever for the headers of one,
takes headers of any size, and at its limit of connections refuses everybody. `LimitedConnection`
adds the deadlines; `Connections` closes the oldest connection of those that cause the crowd.
"""

import asyncio
import logging
import socket
from collections import Counter, OrderedDict
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from seasoned.protocol.host.host_config import HostConfig

log = logging.getLogger("seasoned.protocol")

TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"connection: close\r\ncontent-length: 0\r\n\r\n"
)


class Connections:
    """All connections, in three groups; each makes room for a new one by its own oldest.

    `silent` ones are strangers that have no request running, `asking` ones strangers that have
    one, `members` have carried a request of an agent that has shown the token.
    """

    def __init__(self, config: HostConfig) -> None:
        self.config = config
        self.silent: OrderedDict[LimitedConnection, None] = OrderedDict()
        self.asking: OrderedDict[LimitedConnection, None] = OrderedDict()
        self.members: OrderedDict[LimitedConnection, None] = OrderedDict()
        self.refused: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self.silent) + len(self.asking) + len(self.members)

    def add(self, connection: "LimitedConnection") -> None:
        self.silent[connection] = None
        if len(self.silent) + len(self.asking) > self.config.stranger_connections:
            self._close_oldest(self.silent if len(self.silent) > 1 else self.asking)

    def ask(self, connection: "LimitedConnection") -> None:
        """Note that a stranger's request runs, or a member's."""
        if connection in self.silent:
            del self.silent[connection]
            self.asking[connection] = None
        elif connection in self.members:
            self.members.move_to_end(connection)

    def rest(self, connection: "LimitedConnection") -> None:
        """Note that the request is answered."""
        if connection in self.asking:
            del self.asking[connection]
            self.silent[connection] = None

    def trust(self, connection: "LimitedConnection") -> None:
        """Note that an agent that has shown the token uses this connection."""
        if connection in self.members:
            return
        self.silent.pop(connection, None)
        self.asking.pop(connection, None)
        self.members[connection] = None
        if len(self.members) > self.config.connections:
            self._close_oldest(self.members)

    def remove(self, connection: "LimitedConnection") -> None:
        for group in (self.silent, self.asking, self.members):
            group.pop(connection, None)

    def _close_oldest(self, group: "OrderedDict[LimitedConnection, None]") -> None:
        """Close the oldest connection of the address that has the most in this group."""
        (busiest, _), *_ = Counter(each.address for each in group).most_common(1)
        oldest = next(each for each in group if each.address == busiest)
        self.refused["connections"] += 1
        oldest.abort()


class LimitedConnection(HttpToolsProtocol):
    """uvicorn's connection, with a deadline from the first byte of a request to its headers."""

    def __init__(self, connections: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._all = connections
        self._deadline: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._in_headers = False
        self.address = ""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        raw: socket.socket | None = transport.get_extra_info("socket")
        if raw is not None:  # so that a peer that is gone is noticed
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._await_headers()
        self._all.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.remove(self)
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        running: Any = self.cycle
        if self._deadline is None and (running is None or running.response_complete):
            self._await_headers()
        super().data_received(data)
        if self._in_headers:
            self._header_bytes += len(data)
            if self._header_bytes > self._all.config.header_bytes:
                self._all.refused["headers"] += 1
                self.transport.write(TOO_LARGE)
                self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_headers, self._header_bytes = True, 0
        self.scope["extensions"] = {"seasoned.connection": self}  # type: ignore[typeddict-item]

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._stop_waiting()
        if self.transport.is_closing():
            return  # the rest of what it sent is not for us
        self._all.ask(self)
        if len(self.pipeline) >= self._all.config.pipelined:
            self._all.refused["pipelined"] += 1
            self.abort()
            return
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self._all.rest(self)
        super().on_response_complete()

    def handle_websocket_upgrade(self) -> None:
        self._all.remove(self)  # from here on uvicorn's WebSocket protocol hears of its end
        super().handle_websocket_upgrade()

    def timeout_keep_alive_handler(self) -> None:
        self.abort()

    @property
    def is_members(self) -> bool:
        return self in self._all.members

    def trust(self) -> None:
        self._all.trust(self)

    def abort(self) -> None:
        """Close at once; `close` would wait for a peer that does not read."""
        if not self.transport.is_closing():
            self.transport.abort()

    def _await_headers(self) -> None:
        seconds = self._all.config.header_seconds
        self._deadline = self.loop.call_later(seconds, self._too_late)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        self._deadline = None
        self._all.refused["slow headers"] += 1
        self.abort()
