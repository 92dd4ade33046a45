"""How much a host does at once: what would be too much is refused before it is read."""

from collections.abc import Generator
from contextlib import contextmanager

from seasoned.protocol.host_config import HostConfig
from seasoned.protocol.session import Session


class Busy(Exception):
    """Try again in a moment; `of_session` when its own reader must catch up first."""

    def __init__(self, reason: str, *, of_session: bool) -> None:
        super().__init__(reason)
        self.of_session = of_session


class TooLarge(Exception):
    pass


class Flight:
    """Counts the messages that are being read and done, and their bytes."""

    def __init__(self, config: HostConfig) -> None:
        self._config = config
        self.messages = 0
        self.bytes = 0

    @contextmanager
    def message(self, session: Session) -> "Generator[Boarding]":
        """While it is read and done; refuses when there is no room for it or for its reply."""
        if session.room <= 0:
            raise Busy("replies wait to be read; read /stream first", of_session=True)
        if session.in_flight >= self._config.session_in_flight:
            raise Busy("too many messages of this session at once", of_session=True)
        if self.messages >= self._config.in_flight:
            raise Busy("the host has too much to do", of_session=False)
        self.messages += 1
        session.in_flight += 1
        boarding = Boarding(self, self._config)
        try:
            yield boarding
        finally:
            self.messages -= 1
            session.in_flight -= 1
            self.bytes -= boarding.bytes


class Boarding:
    """The bytes of one message, counted as they come."""

    def __init__(self, flight: Flight, config: HostConfig) -> None:
        self._flight = flight
        self._config = config
        self.bytes = 0

    def expect(self, size: int) -> None:
        """Before they are read: so many are said to come."""
        if size > self._config.body_bytes:
            raise TooLarge(f"a message may have {self._config.body_bytes} bytes; send it in parts")
        if self._flight.bytes + size > self._config.in_flight_bytes:
            raise Busy("the host has too much to read", of_session=False)

    def add(self, size: int) -> None:
        self.expect(self.bytes + size)
        self.bytes += size
        self._flight.bytes += size
