"""The local service behind the hooks: one open database for all assistants of a home folder.

The hook client starts it when it is not there, and it ends when nothing has happened for a while.
A lock makes sure that there is one; the loser of a race leaves before it has loaded anything. An
answer is sent when what the event reported is stored, so a kill loses nothing that was answered.

A request is one line (protocol, host, event, version, process, token, length) and the event; the
answer is a line `ok` and the text to print, or a line that says what is wrong.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from seasoned.assistants import client
from seasoned.core.errors import ConfigError, SeasonedError
from seasoned.core.home import home_folder
from seasoned.security.token_file import own_token

if TYPE_CHECKING:
    from seasoned.assistants.handler import HookHandler

log = logging.getLogger("seasoned.assistants")

LOCK = "service.lock"
FAILED = client.FAILED
HAND_OVER_SECONDS = 90.0  # for a service that ends to let go of the lock
DRAIN_SECONDS = 10.0  # for events that are being handled when it ends
READ_SECONDS = 30.0  # for an event to arrive
LONGEST_HEAD = 1_000
POLL = 0.05


def main() -> None:
    """Serve the hooks of the home folder until idle; leave at once if another process does."""
    prepare_log()
    serve_hooks(tcp="--tcp" in sys.argv[1:])


def prepare_log() -> None:
    """Write warnings to stderr, which the client that starts the service points to a file."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s service: %(message)s"
    )


def serve_hooks(*, tcp: bool = False) -> bool:
    """Serve until idle or told to stop; False if another service is there already."""
    folder = home_folder().absolute() / client.FOLDER
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":
            folder.chmod(0o700)
        with claimed(folder) as is_ours:
            if is_ours:
                _serve(folder, tcp or not hasattr(socket, "AF_UNIX"))
            return is_ours
    except OSError as error:
        raise ConfigError(f"cannot serve hooks in {folder}: {error}") from error


@contextmanager
def claimed(folder: Path) -> Generator[bool]:
    """Hold the lock of a home; False if the service that holds it answers."""
    with (folder / LOCK).open("a+b") as file:
        deadline = time.monotonic() + HAND_OVER_SECONDS
        held = _try_lock(file)
        while not held and not is_served(folder) and time.monotonic() < deadline:
            time.sleep(POLL)
            held = _try_lock(file)
        yield held


def _try_lock(file: IO[bytes]) -> bool:
    """Lock a file until this process ends, however it does."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_served(folder: Path) -> bool:
    """Tell whether somebody listens at the home's socket."""
    before = os.getcwd()
    try:
        line, _ = client.connect(str(folder.parent), time.monotonic() + 1)
    except (client.NoService, OSError):
        return False
    finally:
        os.chdir(before)  # the client went to the folder
    line.close()
    return True


def _serve(folder: Path, tcp: bool) -> None:
    bound = _listening(folder, tcp)
    failed = folder / FAILED
    try:
        asyncio.run(_run(folder, bound))
        failed.unlink(missing_ok=True)
    except (SeasonedError, OSError, ImportError) as error:
        failed.write_text(f"{error}\n", "utf-8")  # clients wait a while before they try again
        log.warning("ended: %s", error)
        raise SystemExit(1) from error
    finally:
        bound.close()
        _remove_address(folder)


def _listening(folder: Path, tcp: bool) -> socket.socket:
    """Listen before anything is loaded, so that clients wait for an answer and do not ask again."""
    _remove_address(folder)
    if tcp:
        bound = socket.socket(socket.AF_INET)
        bound.bind(("127.0.0.1", 0))
        bound.listen(128)
        own_token(folder.parent)
        (folder / client.PORT).write_text(f"{bound.getsockname()[1]}\n", "ascii")
        return bound
    bound = socket.socket(socket.AF_UNIX)
    before, mask = os.getcwd(), os.umask(0o177)
    try:
        os.chdir(folder)  # a socket's path may only be short
        bound.bind(client.SOCKET)
    finally:
        os.umask(mask)
        os.chdir(before)
    bound.listen(128)
    return bound


def _remove_address(folder: Path) -> None:
    for name in (client.SOCKET, client.PORT):
        (folder / name).unlink(missing_ok=True)


async def _run(folder: Path, bound: socket.socket) -> None:
    from seasoned.api import AsyncSeasoned
    from seasoned.assistants.handler import HookHandler

    async with AsyncSeasoned() as seasoned:
        service = Service(HookHandler(seasoned, folder), folder)
        (folder / FAILED).unlink(missing_ok=True)
        await service.serve(bound)


class Refused(ValueError):
    """A request that is none of ours."""


@dataclass(frozen=True, slots=True)
class HookRequest:
    host: str
    event: str
    version: str
    payload: bytes


class Service:
    """Answers clients until it is idle, replaced by a newer version, or told to stop."""

    def __init__(self, handler: "HookHandler", folder: Path) -> None:
        self._handler = handler
        self._folder = folder
        self._idle_seconds = handler.config.idle_minutes * 60
        self._stop = asyncio.Event()
        self._busy: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def serve(self, bound: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):  # Windows ends a process without asking
                loop.add_signal_handler(number, self._stop.set)
        start = asyncio.start_server if bound.family == socket.AF_INET else _unix_server
        self._wait_for_work()
        server = await start(self._connected, sock=bound)
        warming = asyncio.create_task(self._warm_up())
        try:
            await self._stop.wait()
        finally:
            _remove_address(self._folder)  # nobody new comes; the next service waits for the lock
            server.close()
            await server.wait_closed()
            await asyncio.wait({warming, *self._busy}, timeout=DRAIN_SECONDS)
            if self._timer is not None:
                self._timer.cancel()
            if self._handler.activity is not None:
                self._handler.activity.write()

    async def _warm_up(self) -> None:
        try:
            await self._handler.warm_up()
        except SeasonedError as error:
            log.warning("the first recall failed: %s", error)

    def _wait_for_work(self) -> None:
        """Begin to count the idle time anew."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._idle)

    def _idle(self) -> None:
        if self._busy:
            self._wait_for_work()
        else:
            self._stop.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a server calls this in a task"
        self._busy.add(task)
        self._wait_for_work()
        try:
            answer = await self._answer(reader)
            with suppress(ConnectionError):  # the client did not wait; its event is stored
                if answer is not None:
                    writer.write(answer)
                    await writer.drain()
        finally:
            self._busy.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader) -> bytes | None:
        """Read a request and handle it; None for a connection that asks nothing."""
        try:
            async with asyncio.timeout(READ_SECONDS):
                request = await self._request(reader)
        except (TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            said = str(error) if isinstance(error, Refused) else "the event did not arrive whole"
            return f"{said}\n".encode()
        if request is None:
            return None
        try:
            answer = await self._handler.handle(request.host, request.event, request.payload)
        except Exception:  # whoever gets no answer would send the event again
            log.exception("an event of %s is lost", request.host)
            return b"it failed with an error\n"
        if _is_newer(request.version, client.VERSION):
            self._stop.set()  # the next event starts the version that is installed now
        return b"ok\n" + answer

    async def _request(self, reader: asyncio.StreamReader) -> "HookRequest | None":
        head = await reader.readline()
        if not head:
            return None
        parts = head[:LONGEST_HEAD].decode("utf-8", "replace").split()
        if len(parts) != 7 or parts[0] != client.PROTOCOL or not parts[6].isdecimal():
            raise Refused("this is not a request of seasoned-hook")
        _, host, event, version, _, token, size = parts
        if not self._may_ask(token):
            raise Refused("the token is wrong")
        if int(size) > client.MOST_BYTES:
            raise Refused("the event is too long")
        payload = await reader.readexactly(int(size))
        return HookRequest(host, "" if event == "-" else event, version, payload)

    def _may_ask(self, token: str) -> bool:
        """Check the token on a port, which every user of the machine can reach."""
        import hmac

        if not (self._folder / client.PORT).exists():
            return True
        return hmac.compare_digest(token.encode(), own_token(self._folder.parent).encode())


async def _unix_server(handle: object, *, sock: socket.socket) -> asyncio.Server:
    return await asyncio.start_unix_server(handle, sock=sock)  # pyright: ignore[reportArgumentType]


def _is_newer(one: str, other: str) -> bool:
    """Compare two versions by their numbers.

    >>> _is_newer("0.10.0", "0.9.1"), _is_newer("0.1.0", "0.1.0"), _is_newer("0.0.9", "0.1.0")
    (True, False, False)
    """
    return _numbers(one) > _numbers(other)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdecimal()]


if __name__ == "__main__":
    main()
