"""Runs a program with limits: on its time, on what it may say, and on what it gets to see.

It is the leader of a process group of its own, so that whatever it started ends with it; nothing
is left behind, neither a process that goes on nor one that nobody waits for.
"""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seasoned.core.errors import BadInput
from seasoned.security.redact import hides_a_secret, may_hide_a_secret, redact

LAST_WORDS_SECONDS = 2.0  # between asking a group to end and ending it
# What programs need to run at all; everything else of our environment is our own business.
KEPT = re.compile(
    r"(?i)PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|PWD|EDITOR"
    r"|VIRTUAL_ENV|CONDA_PREFIX|PYTHONPATH|NODE_PATH|GOPATH|GOROOT|JAVA_HOME|CARGO_HOME|RUSTUP_HOME"
    r"|DISPLAY|XDG_\w+|COLUMNS|LINES|NO_COLOR|CI"
)


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 60
    longest: int = 20_000  # characters of each output: its beginning and its end


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of a program; a negative code is the signal that ended it."""

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool


class Kept(asyncio.Protocol):
    """The beginning and the end of an output; what lies between is counted and dropped."""

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
    """The variables that a program may see: none that holds a secret.

    >>> safe_environment({"PATH": "/bin", "OPENAI_API_KEY": "sk-1", "SEASONED_LLM__KEY": "k"})
    {'PATH': '/bin'}
    """
    return {
        name: value
        for name, value in variables.items()
        if KEPT.fullmatch(name)
        and not hides_a_secret(name)
        and not (may_hide_a_secret(value) and redact(value) != value)
    }


async def run(
    argv: Sequence[str], folder: Path, limits: Limits, environment: Mapping[str, str]
) -> Finished:
    """Runs a program to its end, or to the end of its time."""
    _check(argv)
    async with _pipe(limits.longest) as (out, out_end), _pipe(limits.longest) as (err, err_end):
        process = await _started(argv, folder, environment, out_end, err_end)
        timed_out = False
        try:
            async with asyncio.timeout(limits.seconds):
                await process.wait()
        except TimeoutError:
            timed_out = True
        finally:
            # Whether it ended, took too long or was cancelled: its children must not outlive it.
            await _to_the_end(_ended(process))
        # One that left the group may still hold its outputs open, and is not waited for.
        await asyncio.wait([out.all_read, err.all_read], timeout=LAST_WORDS_SECONDS)
    code = process.returncode
    return Finished(-1 if code is None else code, out.text(), err.text(), timed_out)


@asynccontextmanager
async def _pipe(longest: int) -> AsyncGenerator[tuple[Kept, int]]:
    """What is written into the descriptor is kept; the reading end is closed behind us."""
    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    kept = Kept(longest, loop.create_future())
    file = os.fdopen(reading, "rb", 0)
    try:
        transport, _ = await loop.connect_read_pipe(lambda: kept, file)
    except BaseException:
        file.close()
        os.close(writing)
        raise
    try:
        yield kept, writing
    finally:
        transport.close()


def _check(argv: Sequence[str]) -> None:
    if not argv or not argv[0]:
        raise BadInput("there is no program to run; give its name and its arguments as a list")
    if any("\0" in part for part in argv):
        raise BadInput("an argument cannot hold a NUL character")


async def _started(
    argv: Sequence[str], folder: Path, environment: Mapping[str, str], out: int, err: int
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise BadInput(f"{error.filename}: no such program or folder; check its name") from error
    except OSError as error:
        raise BadInput(f"{argv[0]} cannot be run ({error.strerror or error})") from error
    finally:
        os.close(out)  # the program's own copies stay: when they close, all is read
        os.close(err)


_ending: set[asyncio.Future[None]] = set()


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Waits for the work, which goes on even when the waiting is cancelled."""
    task = asyncio.ensure_future(work)
    _ending.add(task)
    task.add_done_callback(_ending.discard)
    await asyncio.shield(task)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Asks the whole group to end, and ends it; then waits, so that no zombie stays."""
    if process.returncode is None:
        _signal(process, signal.SIGTERM)
        await asyncio.wait([asyncio.ensure_future(process.wait())], timeout=LAST_WORDS_SECONDS)
    _signal(process, signal.SIGKILL)
    await process.wait()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
    except PermissionError:
        if sys.platform != "darwin":  # there it is said of a group of zombies
            raise
