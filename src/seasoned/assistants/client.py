"""The command that a coding assistant runs at each event: hand the event over, print the answer.

It runs at every tool call, so it loads nothing but sockets: everything else happens in the local
service, which it starts if there is none. Whatever goes wrong, it prints nothing and exits with 0:
an assistant must never stop because of its memory. A line in `run/hooks.log` says what it was.

This file also runs by itself (`python -I -S client.py --host codex`): it imports nothing of ours.
"""

import os
import socket
import sys
import time

VERSION = "0.1.0"  # of the package; a test compares the two
PROTOCOL = "seasoned-hook/1"
FOLDER, SOCKET, PORT, LOG = "run", "hooks.sock", "hooks.port", "hooks.log"
FAILED = "service.failed"  # written by a service that could not start, and why
RETRY_SECONDS = 60.0  # until such a service is started again
TOKEN = "token"
MOST_BYTES = 32 * 2**20  # of an event
LONGEST_LOG = 200_000  # bytes, then it begins anew
SECONDS = 2.0  # to wait for an answer
STARTING_SECONDS = 5.0  # when a session begins, which may have to start the service first
ENDING_SECONDS = 0.9  # assistants give the hooks of a session's end about one second
BEGINNINGS = (b'"SessionStart"', b'"sessionStart"', b'"TaskStart"', b'"SubagentStart"')
ENDINGS = (b'"SessionEnd"', b'"sessionEnd"', b'"SessionShutdown"', b'"TaskComplete"')
PAUSE = 0.02  # between two attempts to reach a service that starts


class NoService(Exception):
    """Nobody listens."""


def run() -> None:
    """Run as `seasoned-hook --host NAME [--event NAME]`, and exit with 0 whatever happens."""
    home = ""
    try:
        home = home_folder()
        host, event = arguments(sys.argv[1:])
        payload = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(payload) > MOST_BYTES:
            raise ValueError(f"an event of {host} has more than {MOST_BYTES} bytes; it is left out")
        answer = deliver(home, host, event, payload) if payload.strip() else b""
        if answer:
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
    except BaseException as error:  # noqa: BLE001 - nothing may reach the assistant
        write_log(home, f"{type(error).__name__}: {error}")
    leave()


def leave() -> None:
    """Exit with 0, even if the assistant no longer reads: Python would complain while closing."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os._exit(0)


def home_folder() -> str:
    """Return the folder of `seasoned.core.home`, without importing it."""
    return os.path.abspath(os.path.expanduser(os.environ.get("SEASONED_HOME") or "~/.seasoned"))


def arguments(given: "list[str]") -> "tuple[str, str]":
    """Return the host and the event that the command line names.

    >>> arguments(["--host", "cline", "--event", "PreToolUse"])
    ('cline', 'PreToolUse')
    """
    named = dict(zip(given[::2], given[1::2], strict=False))
    host = named.get("--host", "")
    if not host or not host.replace("-", "").isalnum():
        raise ValueError(f"seasoned-hook was called with {given}; it needs --host NAME")
    return host, named.get("--event", "-")


def seconds_for(payload: bytes) -> float:
    """Return how long to wait; SEASONED_HOOK_SECONDS overrides it for a slow machine."""
    if given := os.environ.get("SEASONED_HOOK_SECONDS"):
        return float(given)
    beginning = payload[:4000]
    if any(name in beginning for name in BEGINNINGS):
        return STARTING_SECONDS
    return ENDING_SECONDS if any(name in beginning for name in ENDINGS) else SECONDS


def deliver(home: str, host: str, event: str, payload: bytes) -> bytes:
    """Send an event to the service, started if there is none; return the text to print."""
    deadline = time.monotonic() + seconds_for(payload)
    started = False
    while True:
        try:
            return exchange(home, host, event, payload, deadline)
        except NoService:
            if not started:
                start_service(home)
                started = True
            if time.monotonic() + PAUSE >= deadline:
                raise TimeoutError(
                    f"the service was not up in time for an event of {host}"
                ) from None
            time.sleep(PAUSE)


def exchange(home: str, host: str, event: str, payload: bytes, deadline: float) -> bytes:
    """Send the event over the service's socket, and read its answer until the end."""
    line, token = connect(home, deadline)
    with line:
        head = f"{PROTOCOL} {host} {event} {VERSION} {os.getpid()} {token} {len(payload)}\n"
        line.settimeout(left(deadline))
        try:
            line.sendall(head.encode() + payload)
        except (BrokenPipeError, ConnectionResetError):
            raise NoService from None  # it ended just now, and took nothing
        parts: list[bytes] = []
        while True:
            line.settimeout(left(deadline))
            try:
                part = line.recv(65536)
            except ConnectionResetError:  # killed with the request unread
                raise NoService from None
            if not part:
                break
            parts.append(part)
    status, found, answer = b"".join(parts).partition(b"\n")
    if not found:
        raise NoService  # it was killed before it answered: the event may be sent again
    if status != b"ok":
        raise ValueError(f"the service answered {status.decode('utf-8', 'replace')!r}")
    return answer


def connect(home: str, deadline: float) -> "tuple[socket.socket, str]":
    """Connect to the socket in the home folder, or, where the system has none, to its port."""
    folder = os.path.join(home, FOLDER)
    try:
        with open(os.path.join(folder, PORT), encoding="ascii") as file:
            port = int(file.read())
        with open(os.path.join(home, TOKEN), encoding="ascii") as file:
            token = file.read().strip()
        address: object = ("127.0.0.1", port)
        line = socket.socket(socket.AF_INET)
    except (OSError, ValueError):
        token = "-"
        line, address = unix_socket(folder), SOCKET
    try:
        line.settimeout(left(deadline))
        line.connect(address)
    except OSError as error:
        line.close()
        if isinstance(error, TimeoutError):
            raise
        raise NoService from None
    return line, token


def unix_socket(folder: str) -> socket.socket:
    """Go to the folder, since a socket's path may only be short; refuse one of somebody else."""
    if not hasattr(socket, "AF_UNIX"):
        raise NoService
    try:
        os.chdir(folder)
    except OSError:
        raise NoService from None
    state = os.stat(".")
    if state.st_uid != os.getuid() or state.st_mode & 0o022:
        raise PermissionError(f"{folder} can be written by others; run: chmod 700 {folder}")
    return socket.socket(socket.AF_UNIX)


def left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("the service did not answer in time")
    return seconds


def start_service(home: str) -> None:
    """Start the service as a process of its own, which outlives this one and the assistant."""
    import subprocess

    folder = os.path.join(home, FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    try:
        age = time.time() - os.stat(os.path.join(folder, FAILED)).st_mtime
    except OSError:
        age = RETRY_SECONDS
    if 0 <= age < RETRY_SECONDS:
        raise RuntimeError("the service could not start a moment ago; see `seasoned doctor`")
    # On Windows: without a window, in a group of its own.
    flags = 0x00000008 | 0x00000200 | 0x08000000 if os.name == "nt" else 0
    with open(os.path.join(folder, LOG), "ab") as log:
        subprocess.Popen(
            # Not with the modules of the project at hand, which the environment may name.
            [sys.executable, "-E", "-P", "-m", "seasoned.assistants.service"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=home,
            env={**os.environ, "SEASONED_HOME": home},  # it may be given relative to this folder
            close_fds=True,
            start_new_session=os.name != "nt",
            creationflags=flags,
        )


def write_log(home: str, text: str) -> None:
    """Append a line to the log that `seasoned doctor` shows; without a home there is none."""
    if not home or not os.path.isdir(home):
        return
    path = os.path.join(home, FOLDER, LOG)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        mode = "w" if os.path.exists(path) and os.path.getsize(path) > LONGEST_LOG else "a"
        with open(path, mode, encoding="utf-8", errors="replace") as log:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S")
            log.write(f"{stamp} hook: {' '.join(text.split())[:500]}\n")
    except OSError:
        return  # there is no place left to say it


if __name__ == "__main__":
    run()
