"""MCP on a pipe: one JSON-RPC message per line, in and out; nothing else reaches stdout.

Two threads read and write, so that the event loop never waits for a pipe, and a signal can end the
process while it waits for a message. Whatever else prints goes to stderr.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from seasoned.core.text import one_line
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.protocol.host.stdio import lines_of

LONGEST_LINE = 16 * 2**20  # bytes
LONGEST_WRITE_SECONDS = 3600.0  # a reader may pause
LAST_ANSWERS_SECONDS = 10.0  # for requests in progress when the input ends

Incoming = SessionMessage | Exception


class Pipe:
    """The two ends of a connection, as file descriptors."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._unanswered: set[str | int] = set()
        self._ended = asyncio.Event()
        self._settled = asyncio.Event()
        self._writing = asyncio.Lock()

    async def serve(self, server: Server[Any], stop: asyncio.Event) -> None:
        """Serve until the input ends or `stop` is set; finish what was asked before."""
        received, reading = anyio.create_memory_object_stream[Incoming](0)
        writing, answers = anyio.create_memory_object_stream[SessionMessage](0)
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(received, loop), daemon=True).start()
        options = server.create_initialization_options()
        running = asyncio.create_task(server.run(reading, writing, options))
        sending = asyncio.create_task(self._send(answers))
        waits = [asyncio.create_task(each.wait()) for each in (stop, self._ended)]
        try:
            await asyncio.wait([*waits, running], return_when=asyncio.FIRST_COMPLETED)
            await self._finish()
        finally:
            received.close()
            await running
            writing.close()
            await sending
            for each in waits:
                each.cancel()
            for stream in (reading, answers):
                stream.close()

    async def _finish(self) -> None:
        """Wait for the answers to what was asked: the server drops them when the input ends."""
        try:
            async with asyncio.timeout(LAST_ANSWERS_SECONDS):
                while self._unanswered:
                    self._settled.clear()
                    await self._settled.wait()
        except TimeoutError:
            return

    def _read(
        self, received: MemoryObjectSendStream[Incoming], loop: asyncio.AbstractEventLoop
    ) -> None:
        """Read lines until the input ends; runs in its own thread."""
        try:
            for line in lines_of(self._incoming, LONGEST_LINE):
                if line.strip():
                    asyncio.run_coroutine_threadsafe(self._take(line, received), loop).result()
            loop.call_soon_threadsafe(self._ended.set)
        except (RuntimeError, OSError, asyncio.CancelledError, anyio.ClosedResourceError):
            return  # the loop or the pipe is closed
        except anyio.BrokenResourceError:  # the server ended
            return

    async def _take(self, line: bytes, received: MemoryObjectSendStream[Incoming]) -> None:
        if len(line) > LONGEST_LINE:
            await self._refuse(f"a message may have {LONGEST_LINE} bytes; send less")
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError as error:
            fault = one_line(error.errors()[0]["msg"])
            await self._refuse(f"not a JSON-RPC message on one line: {fault}")
            return
        if isinstance(message, JSONRPCRequest):
            self._unanswered.add(message.id)
        await received.send(SessionMessage(message))

    async def _refuse(self, reason: str) -> None:
        error = ErrorData(code=PARSE_ERROR, message=reason)
        await self._write(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error)))

    async def _send(self, answers: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async for answer in answers:
            await self._write(answer)
            message = answer.message
            if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                self._unanswered.discard(message.id)
                self._settled.set()

    async def _write(self, answer: SessionMessage) -> None:
        line = answer.message.model_dump_json(by_alias=True, exclude_unset=True)
        async with self._writing:
            try:
                written = run_in_thread(self._write_all, line.encode() + b"\n")
                await wait_for(written, LONGEST_WRITE_SECONDS)
            except OSError:
                self._ended.set()  # the reader is gone

    def _write_all(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[os.write(self._outgoing, left) :]


@contextmanager
def own_pipe() -> Generator[Pipe]:
    """Take stdin and stdout of this process; whatever else prints goes to stderr meanwhile."""
    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield Pipe(incoming, outgoing)
    finally:
        sys.stdout.flush()
        os.dup2(outgoing, 1)
        os.dup2(incoming, 0)
        # The reading thread may still wait on its descriptor, so that one is not closed.
        os.close(outgoing)
        os.close(nothing)
