"""Limits on what is read and processed at once; whoever takes the most is refused first."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

from seasoned.protocol.host.host_config import HostConfig
from seasoned.protocol.host.sessions import AgentSession


class TooLarge(Exception):
    """The message has more bytes, or the body more messages, than are accepted."""


class TooSlow(Exception):
    """The body did not arrive in time, or made room for others."""


class Busy(Exception):
    """Try again in a moment; `of_session` if the session's own reader must catch up first."""

    def __init__(self, reason: str, *, of_session: bool) -> None:
        super().__init__(reason)
        self.of_session = of_session


class Turnstile:
    """Lets a few requests pass in each round of the event loop; the others wait in line.

    A round does a step of everything that is ready, and a request takes several rounds: without
    this, an agent would wait for hundreds of strangers' steps before each of its own.
    """

    def __init__(self, a_round: int) -> None:
        self._a_round = a_round
        self._line: deque[asyncio.Future[None]] = deque()
        self._turns = False

    async def __call__(self) -> None:
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[None] = loop.create_future()
        self._line.append(mine)
        if not self._turns:
            self._turns = True
            loop.call_soon(self._turn, loop)
        await mine

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        for _ in range(min(self._a_round, len(self._line))):
            first = self._line.popleft()
            if not first.done():
                first.set_result(None)
        self._turns = bool(self._line)
        if self._turns:
            loop.call_soon(self._turn, loop)


class Admission:
    """Counts messages that are read, and messages that are processed.

    A half-sent message takes no turn from a whole one. Agents that have not shown the token have
    turns, sizes and times of their own.
    """

    def __init__(self, config: HostConfig) -> None:
        self._config = config
        self._processed = {True: 0, False: 0}  # by whether they are members'
        self._most = {True: config.in_flight, False: config.strangers_in_flight}
        self._reading: set[Body] = set()

    @property
    def messages(self) -> int:
        return sum(self._processed.values())

    @property
    def bytes(self) -> int:
        return sum(body.bytes for body in self._reading)

    @contextmanager
    def session_turn(self, session: AgentSession) -> Generator[None]:
        """Count a message of a session from its first byte; its reply must have room."""
        if session.room <= 0:
            raise Busy("replies wait to be read; read /stream first", of_session=True)
        if session.in_flight >= self._config.session_in_flight:
            raise Busy("too many messages of this session at once", of_session=True)
        session.in_flight += 1
        try:
            yield
        finally:
            session.in_flight -= 1

    @asynccontextmanager
    async def reading(self, *, is_member: bool) -> "AsyncGenerator[Body]":
        """Limit the size and the time of a body; raise `TooSlow` when the time is over."""
        config = self._config
        seconds = config.read_seconds if is_member else config.stranger_read_seconds
        most = config.body_bytes if is_member else config.stranger_bytes
        try:
            async with asyncio.timeout(seconds) as deadline:
                body = Body(self, most, deadline)
                self._reading.add(body)
                try:
                    yield body
                finally:
                    self._reading.discard(body)
        except TimeoutError:
            raise TooSlow(f"no whole message within {seconds:g} s") from None

    @contextmanager
    def processing(self, *, is_member: bool) -> Generator[None]:
        if self._processed[is_member] >= self._most[is_member]:
            raise Busy("the host has too much to do", of_session=False)
        self._processed[is_member] += 1
        try:
            yield
        finally:
            self._processed[is_member] -= 1

    def make_room(self, size: int, wanting: "Body") -> None:
        """End the largest half-read bodies until `size` fits."""
        others = sorted(self._reading - {wanting}, key=lambda body: body.bytes)
        excess = self.bytes + size - self._config.in_flight_bytes
        while excess > 0:
            if not others or others[-1].bytes <= wanting.bytes:
                raise Busy("the host has too much to read", of_session=False)
            largest = others.pop()
            excess -= largest.bytes
            largest.end()


class Body:
    """The bytes of one message, counted as they arrive."""

    def __init__(self, admission: Admission, most: int, deadline: asyncio.Timeout) -> None:
        self._admission = admission
        self._most = most
        self._deadline = deadline
        self.bytes = 0

    def expect(self, size: int) -> None:
        """Refuse an announced size before the bytes are read."""
        if size > self._most:
            raise TooLarge(f"a message may have {self._most} bytes; send it in parts")

    def add(self, size: int) -> None:
        self.expect(self.bytes + size)
        self._admission.make_room(size, self)
        self.bytes += size

    def end(self) -> None:
        self._deadline.reschedule(asyncio.get_running_loop().time())
