"""A host in a child process: one line per message, both ways."""

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence

from seasoned.core.errors import BadInput
from seasoned.protocol.client.remote_host import RemoteHost, SessionLost
from seasoned.protocol.errors import HostUnreachable

LONGEST_LINE = 64 * 2**20
GRACE_SECONDS = 5


class RemoteStdio(RemoteHost):
    def __init__(self, command: Sequence[str], token: str, agent_id: str, tries: int) -> None:
        super().__init__(token, agent_id, tries)
        if not command:
            raise BadInput("the command of the host is empty; e.g. seasoned host --stdio")
        self._command = list(command)
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, limit=LONGEST_LINE
            )
        except OSError as error:
            raise BadInput(f"cannot start {self._command[0]!r} ({error})") from error
        self._reading = asyncio.create_task(self._read(self._process))

    async def send(self, message: bytes) -> None:
        process = self._process
        if process is None or process.stdin is None or process.returncode is not None:
            raise SessionLost(f"{self._command[0]} has ended")
        try:
            process.stdin.write(message + b"\n")
            await process.stdin.drain()
        except (OSError, RuntimeError) as error:
            raise SessionLost(f"{self._command[0]} has ended ({error})") from error

    async def disconnect(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(GRACE_SECONDS):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._reading is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
            self._reading = None

    async def _read(self, process: Process) -> None:
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                self.received(line)
        except ValueError:
            self.lost(HostUnreachable(f"{self._command[0]} sent a line without end"))
            return
        if process is self._process:
            self._is_open = False
            self.lost(SessionLost(f"{self._command[0]} has ended"))
