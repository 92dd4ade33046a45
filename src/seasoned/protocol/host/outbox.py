"""Replies that wait for their reader."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class UnreadBytes:
    """The bytes in all outboxes of a host."""

    total: int = 0


class Outbox:
    """Replies waiting for their reader: bounded, in order, kept until they are handed over.

    There is one reader at a time; a new one takes over from the one before. `shared` counts the
    bytes of all outboxes.

    >>> box = Outbox(most=2, most_bytes=100)
    >>> box.put(b"one"); box.put(b"two")
    >>> box.has_room, box.waiting
    (False, 2)
    """

    def __init__(self, most: int, most_bytes: int, shared: "UnreadBytes | None" = None) -> None:
        self._shared = shared or UnreadBytes()
        self._most = most
        self._most_bytes = most_bytes
        self._messages: deque[bytes] = deque()
        self._bytes = 0
        self._reader = 0
        self._closed = False
        self._changed: asyncio.Event | None = None

    @property
    def waiting(self) -> int:
        return len(self._messages)

    @property
    def waiting_bytes(self) -> int:
        return self._bytes

    @property
    def has_room(self) -> bool:
        return self.room > 0

    @property
    def room(self) -> int:
        """Number of replies that still fit; checked before a message is accepted."""
        return self._most - len(self._messages) if self._bytes < self._most_bytes else 0

    @property
    def is_read(self) -> bool:
        return self._changed is not None

    def put(self, message: bytes) -> None:
        if self._closed and not self.is_read:
            return  # nobody will read it; a retry gets it again
        self._messages.append(message)
        self._bytes += len(message)
        self._shared.total += len(message)
        self.wake()

    def close(self) -> None:
        """End the stream once the reader has everything."""
        self._closed = True
        if not self.is_read:
            self._clear()
        self.wake()

    def wake(self) -> None:
        if self._changed is not None:
            self._changed.set()

    def attach(self) -> int:
        """Become the reader; return the number to read with."""
        self.wake()
        self._reader += 1
        self._changed = asyncio.Event()
        return self._reader

    def detach(self, reader: int) -> None:
        if reader == self._reader:
            self._changed = None
            if self._closed:
                self._clear()

    async def next(self, reader: int, gone: Callable[[], bool]) -> list[bytes]:
        """Wait for replies and return them; empty if this reader must stop."""
        while reader == self._reader and not gone():
            if self._messages:
                return list(self._messages)
            if self._closed:
                break
            assert self._changed is not None
            self._changed.clear()
            await self._changed.wait()
        return []

    def remove(self, reader: int, number: int) -> None:
        """Drop replies that were handed over; until then they survive a lost reader."""
        if reader != self._reader:
            return  # the next reader gets them again, and knows them by their id
        for _ in range(number):
            size = len(self._messages.popleft())
            self._bytes -= size
            self._shared.total -= size

    def _clear(self) -> None:
        self._shared.total -= self._bytes
        self._bytes = 0
        self._messages.clear()
