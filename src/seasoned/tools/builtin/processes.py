"""Run a program with limits on its time, its output and its environment.

Everything it started ends with it. On Linux a reaper sees to that, for processes that left their
session, too; elsewhere the program's process group is ended.
"""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seasoned.core.errors import BadInput
from seasoned.security.redact import hides_a_secret, may_hide_a_secret, redact

GRACE_SECONDS = 2.0  # between SIGTERM and SIGKILL
REAPING_SECONDS = 10.0  # for the reaper to end all it has started
STATUS_SIZE = 1000  # characters that the reaper may say
REAPER = Path(__file__).with_name("reaper.py")
# The variables that programs need in order to run; all others are withheld.
PASSED_VARIABLES = re.compile(
    r"(?i)PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|PWD|EDITOR"
    r"|VIRTUAL_ENV|CONDA_PREFIX|PYTHONPATH|NODE_PATH|GOPATH|GOROOT|JAVA_HOME|CARGO_HOME|RUSTUP_HOME"
    r"|DISPLAY|XDG_\w+|COLUMNS|LINES|NO_COLOR|CI"
)


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 60
    longest: int = 20_000  # characters of each output: its beginning and its end


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """Outcome of a program; a negative exit code is the signal that ended it."""

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool


class OutputBuffer(asyncio.Protocol):
    """The beginning and the end of an output; the bytes between are counted and dropped."""

    def __init__(self, longest: int, all_read: asyncio.Future[None]) -> None:
        self.head_size = longest * 3 // 4
        self.tail_size = longest - self.head_size
        self.head = bytearray()
        self.tail = bytearray()
        self.left_out = 0
        self.all_read = all_read

    def data_received(self, data: bytes) -> None:
        room = self.head_size - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        over = len(self.tail) - self.tail_size
        if over > 0:
            self.left_out += over
            del self.tail[:over]

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.all_read.done():
            self.all_read.set_result(None)

    def text(self) -> str:
        between = f"\n…[{self.left_out} bytes left out]…\n".encode() if self.left_out else b""
        return bytes(self.head + between + self.tail).decode("utf-8", "replace")


def safe_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a program may see; none holds a secret.

    >>> safe_environment({"PATH": "/bin", "OPENAI_API_KEY": "sk-1", "SEASONED_LLM__KEY": "k"})
    {'PATH': '/bin'}
    """
    return {
        name: value
        for name, value in variables.items()
        if PASSED_VARIABLES.fullmatch(name)
        and not hides_a_secret(name)
        and not (may_hide_a_secret(value) and redact(value) != value)
    }


async def run_program(
    argv: Sequence[str], folder: Path, limits: Limits, environment: Mapping[str, str]
) -> ProgramResult:
    """Run a program until it ends or its time is up."""
    _check(argv)
    async with AsyncExitStack() as pipes:
        out, out_end = await pipes.enter_async_context(_pipe(limits.longest))
        err, err_end = await pipes.enter_async_context(_pipe(limits.longest))
        ends = [out_end, err_end]
        if _has_reaper():
            said, status = await pipes.enter_async_context(_pipe(STATUS_SIZE))
            reaper = [sys.executable, "-I", "-S", str(REAPER), str(status)]
            process = await _start([*reaper, *argv], folder, environment, [*ends, status])
            program = ReapedProgram(process, said, argv[0])
        else:
            program = GroupedProgram(await _start(argv, folder, environment, ends))
        timed_out = False
        try:
            async with asyncio.timeout(limits.seconds):
                await program.process.wait()
        except TimeoutError:
            timed_out = True
        finally:
            # However it ended (by itself, timed out, cancelled), its children must not outlive it.
            await _finish(program.end())
        code = await program.exit_code()
        # Without a reaper, a child that left the group may keep the outputs open.
        await asyncio.wait([out.all_read, err.all_read], timeout=GRACE_SECONDS)
    return ProgramResult(code, out.text(), err.text(), timed_out)


@dataclass(frozen=True, slots=True)
class GroupedProgram:
    """A program that leads its own process group."""

    process: asyncio.subprocess.Process

    async def end(self) -> None:
        """Terminate the whole group, kill what is left, and reap the process."""
        if self.process.returncode is None:
            _signal_group(self.process.pid, signal.SIGTERM)
            await asyncio.wait([asyncio.ensure_future(self.process.wait())], timeout=GRACE_SECONDS)
        _signal_group(self.process.pid, signal.SIGKILL)
        await self.process.wait()

    async def exit_code(self) -> int:
        return -1 if self.process.returncode is None else self.process.returncode


@dataclass(frozen=True, slots=True)
class ReapedProgram:
    """A program under a reaper, which tells in `said` that it started and how it ended."""

    process: asyncio.subprocess.Process  # the reaper
    said: OutputBuffer
    name: str

    async def end(self) -> None:
        """Let the reaper end everything; end the program's group alone if the reaper is gone."""
        if self.process.returncode is None:
            self.process.terminate()
            waiting = asyncio.ensure_future(self.process.wait())
            await asyncio.wait([waiting], timeout=REAPING_SECONDS)
        _signal_group(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        if "ended" not in self._words() and (group := self._words().get("started")):
            _signal_group(int(group), signal.SIGKILL)

    async def exit_code(self) -> int:
        await asyncio.wait([self.said.all_read], timeout=GRACE_SECONDS)
        words = self._words()
        if "error" in words:
            number = int(words["error"])
            raise _cannot_start(self.name, OSError(number, os.strerror(number)))
        return int(words.get("ended", -signal.SIGKILL))

    def _words(self) -> dict[str, str]:
        lines = (line.split() for line in self.said.text().splitlines())
        return {line[0]: line[1] for line in lines if len(line) == 2}


def _has_reaper() -> bool:
    return sys.platform == "linux" and bool(sys.executable) and os.path.isdir("/proc/self")


@asynccontextmanager
async def _pipe(longest: int) -> AsyncGenerator[tuple[OutputBuffer, int]]:
    """Buffer what is written to the descriptor; close the reading end on exit."""
    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    buffer = OutputBuffer(longest, loop.create_future())
    file = os.fdopen(reading, "rb", 0)
    try:
        transport, _ = await loop.connect_read_pipe(lambda: buffer, file)
    except BaseException:
        file.close()
        os.close(writing)
        raise
    try:
        yield buffer, writing
    finally:
        transport.close()


def _check(argv: Sequence[str]) -> None:
    if not argv or not argv[0]:
        raise BadInput("there is no program to run; give its name and its arguments as a list")
    if any("\0" in part for part in argv):
        raise BadInput("an argument cannot hold a NUL character")


async def _start(
    argv: Sequence[str], folder: Path, environment: Mapping[str, str], ends: Sequence[int]
) -> asyncio.subprocess.Process:
    """Start a process that writes to the first two ends, and inherits any others."""
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=ends[0],
            stderr=ends[1],
            pass_fds=ends[2:],
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        raise _cannot_start(argv[0], error) from error
    finally:
        for end in ends:
            os.close(end)  # the program has its own copies; reading ends when it closes them


def _cannot_start(name: str, error: OSError) -> BadInput:
    if isinstance(error, FileNotFoundError):
        missing = error.filename or name
        return BadInput(f"{missing}: no such program or folder; check its name")
    return BadInput(f"{name} cannot be run ({error.strerror or error})")


_unfinished: set[asyncio.Future[None]] = set()  # holds references, or tasks could be collected


async def _finish(work: Coroutine[Any, Any, None]) -> None:
    """Wait for work that continues even if the waiting is cancelled."""
    task = asyncio.ensure_future(work)
    _unfinished.add(task)
    task.add_done_callback(_unfinished.discard)
    await asyncio.shield(task)


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return
    except PermissionError:
        if sys.platform != "darwin":  # macOS raises it for a group of zombies
            raise
