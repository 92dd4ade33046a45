"""The learn host on a pipe: one JSON object per line, in and out; nothing else on stdout.

One thread reads and others write, so that the event loop never waits for a pipe. At most
`max_parallel` messages run at once; an agent that does not read replies is not read either.
"""

import asyncio
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future

from seasoned.core.threads import run_in_thread, wait_for
from seasoned.protocol.host.host import Host, NotStored
from seasoned.protocol.host.sessions import AgentSession
from seasoned.protocol.wire import BadMessage

LONGEST_WRITE_SECONDS = 3600.0  # a reader may pause


class StdioHost:
    """Uses file descriptors: a thread in a buffered read would block the interpreter's exit."""

    def __init__(self, host: Host, incoming: int = 0, outgoing: int = 1) -> None:
        self._host = host
        self._incoming = incoming
        self._outgoing = outgoing
        self._at_once = threading.BoundedSemaphore(host.config.max_parallel)
        self._writing = asyncio.Lock()
        self._running: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()

    async def serve(self, stop: asyncio.Event) -> None:
        """Serve until stdin ends, the agent sends shutdown, or `stop` is set; then finish."""
        session = self._host.sessions.open()
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

    def _read(self, session: AgentSession, loop: asyncio.AbstractEventLoop) -> None:
        """Read lines until the input ends; runs in its own thread."""
        try:
            for line in lines_of(self._incoming, self._host.config.body_bytes):
                if line.strip():
                    self._at_once.acquire()
                    loop.call_soon_threadsafe(self._begin, session, line)
            loop.call_soon_threadsafe(self._ended.set)
        except (RuntimeError, ValueError, OSError):
            return  # the loop or the pipe is closed

    def _begin(self, session: AgentSession, line: bytes) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(session, line))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _answer(self, session: AgentSession, line: bytes) -> None:
        try:
            reply = await self._reply(session, line)
            if reply is not None:
                async with self._writing:
                    written: Future[None] = run_in_thread(self._write, reply)
                    await wait_for(written, LONGEST_WRITE_SECONDS)
            if session.closed:
                self._ended.set()
        except (OSError, ValueError):
            self._ended.set()  # the reader is gone
        finally:
            self._at_once.release()

    async def _reply(self, session: AgentSession, line: bytes) -> bytes | None:
        most = self._host.config.body_bytes
        if len(line) > most:
            bad = BadMessage(f"a message may have {most} bytes; send it in parts")
            return self._host.refuse(bad)
        try:
            return await self._host.answer(session, line)
        except NotStored as refused:
            return refused.reply

    def _write(self, reply: bytes) -> None:
        left = memoryview(reply + b"\n")
        while left:
            left = left[os.write(self._outgoing, left) :]


def lines_of(descriptor: int, most: int) -> Iterator[bytes]:
    """Yield each line; cut one that is too long just past the limit."""
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
