"""Replies that wait for their reader: bounded, in order, kept until they are handed over."""

import asyncio
from collections import deque
from collections.abc import Callable


class Outbox:
    """One reader at a time: a new one takes over from the one before it.

    >>> box = Outbox(most=2, most_bytes=100)
    >>> box.put(b"one"); box.put(b"two")
    >>> box.has_room, box.waiting
    (False, 2)
    """

    def __init__(self, most: int, most_bytes: int) -> None:
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
    def has_room(self) -> bool:
        return self.room > 0

    @property
    def room(self) -> int:
        """For how many more messages; whoever sends asks before it makes work for a reply."""
        return self._most - len(self._messages) if self._bytes < self._most_bytes else 0

    @property
    def is_read(self) -> bool:
        return self._changed is not None

    def put(self, message: bytes) -> None:
        self._messages.append(message)
        self._bytes += len(message)
        self.wake()

    def close(self) -> None:
        """The reader gets what is there, and then the end."""
        self._closed = True
        self.wake()

    def wake(self) -> None:
        if self._changed is not None:
            self._changed.set()

    def attach(self) -> int:
        """Becomes the reader; returns the number to read with."""
        self.wake()
        self._reader += 1
        self._changed = asyncio.Event()
        return self._reader

    def detach(self, reader: int) -> None:
        if reader == self._reader:
            self._changed = None

    async def next(self, reader: int, gone: Callable[[], bool]) -> list[bytes]:
        """What waits, once there is something; empty when this reader shall end."""
        while reader == self._reader and not gone():
            if self._messages:
                return list(self._messages)
            if self._closed:
                break
            assert self._changed is not None
            self._changed.clear()
            await self._changed.wait()
        return []

    def taken(self, reader: int, number: int) -> None:
        """They were handed over: before that they are kept, should the reader vanish."""
        if reader != self._reader:
            return  # the next reader gets them again, and knows them by their id
        for _ in range(number):
            self._bytes -= len(self._messages.popleft())
