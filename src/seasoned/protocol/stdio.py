"""The learn host on a pipe: one JSON object a line, in and out; nothing else on stdout.

A thread reads and threads write, so that the loop never waits for a pipe. So many messages at
once as agents are told; when they do not read their replies, their messages are not read either.
"""

import asyncio
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future

from seasoned.core.waiting import begun, waited
from seasoned.protocol.host import Host
from seasoned.protocol.session import Session
from seasoned.protocol.wire import BadMessage

LONGEST_WRITE_SECONDS = 3600.0  # a reader may rest


class StdioHost:
    """Works on file descriptors: a thread in a buffered read would trip the interpreter's end."""

    def __init__(self, host: Host, incoming: int = 0, outgoing: int = 1) -> None:
        self._host = host
        self._incoming = incoming
        self._outgoing = outgoing
        self._at_once = threading.BoundedSemaphore(host.config.max_parallel)
        self._writing = asyncio.Lock()
        self._running: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()

    async def serve(self, stop: asyncio.Event) -> None:
        """Until stdin ends, the agent says shutdown, or `stop` is set; then what was begun ends."""
        session = await self._host.sessions.open()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(session, loop), daemon=True).start()
        waits = [asyncio.create_task(each.wait()) for each in (stop, self._ended)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if self._running:
                await asyncio.wait(self._running, timeout=5)
            if not session.closed:
                await self._host.sessions.close(session)
        finally:
            for each in (*waits, *self._running):
                each.cancel()
            self._host.close()

    def _read(self, session: Session, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread of its own: lines, as long as there are some."""
        try:
            for line in lines_of(self._incoming, self._host.config.body_bytes):
                if line.strip():
                    self._at_once.acquire()
                    loop.call_soon_threadsafe(self._begin, session, line)
            loop.call_soon_threadsafe(self._ended.set)
        except (RuntimeError, ValueError, OSError):
            return  # the loop or the pipe is closed: it is over

    def _begin(self, session: Session, line: bytes) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(session, line))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _answer(self, session: Session, line: bytes) -> None:
        try:
            reply = await self._reply(session, line)
            if reply is not None:
                async with self._writing:
                    written: Future[None] = begun(self._write, reply)
                    await waited(written, LONGEST_WRITE_SECONDS)
            if session.closed:
                self._ended.set()
        except (OSError, ValueError):
            self._ended.set()  # nobody reads any more
        finally:
            self._at_once.release()

    async def _reply(self, session: Session, line: bytes) -> bytes | None:
        most = self._host.config.body_bytes
        if len(line) > most:
            bad = BadMessage(f"a message may have {most} bytes; send it in parts")
            return self._host.refusal(bad)
        return await self._host.answer(session, line)

    def _write(self, reply: bytes) -> None:
        left = memoryview(reply + b"\n")
        while left:
            left = left[os.write(self._outgoing, left) :]


def lines_of(descriptor: int, most: int) -> Iterator[bytes]:
    """Each line; of one that is too long, as much as shows that it is."""
    held = bytearray()
    while part := os.read(descriptor, 2**16):
        *ends, rest = part.split(b"\n")
        for end in ends:
            held += end[: most + 1 - len(held)]
            yield bytes(held)
            held.clear()
        held += rest[: most + 1 - len(held)]
    if held:
        yield bytes(held)
