"""The hook client as a real process, in front of a real service; as an assistant runs them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from seasoned.assistants import client

CLIENT = [sys.executable, "-I", "-S", client.__file__]
SERVICE = [sys.executable, "-m", "seasoned.assistants.service"]
SECONDS = 60.0


def until(condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition; return what it returns."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited in vain: {what}")


class Hooks:
    """A home folder with its service; the service ends with the test."""

    def __init__(self, home: Path, **variables: str) -> None:
        self.home = home
        self.run = home / client.FOLDER
        patient = {"SEASONED_HOOK_SECONDS": str(SECONDS)}
        self.environment = {**os.environ, **patient, "SEASONED_HOME": str(home), **variables}
        self.services: list[subprocess.Popen[bytes]] = []

    def start(self, *more: str, **variables: str) -> "subprocess.Popen[bytes]":
        """Start a service, and wait until it listens."""
        process = self.spawn(*more, **variables)
        until(lambda: self.is_up() or process.poll() is not None, "the service listens")
        return process

    def spawn(self, *more: str, **variables: str) -> "subprocess.Popen[bytes]":
        self.home.mkdir(parents=True, exist_ok=True)
        with (self.home / "service.err").open("ab") as log:
            process = subprocess.Popen(
                [*SERVICE, *more], env={**self.environment, **variables}, stderr=log
            )
        self.services.append(process)
        return process

    def is_up(self) -> bool:
        before = os.getcwd()
        try:
            line, _ = client.connect(str(self.home), time.monotonic() + 5)
        except (client.NoService, OSError):
            return False
        finally:
            os.chdir(before)
        line.close()
        return True

    def raw(
        self, host: str, payload: bytes, *more: str, command: list[str] | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [*(command or CLIENT), "--host", host, *more],
            input=payload,
            env=self.environment,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )

    def send(self, host: str, event: str = "", /, **payload: Any) -> dict[str, Any]:
        """Send an event through the client; return its answer, {} for none."""
        more = ("--event", event) if event else ()
        done = self.raw(host, json.dumps(payload).encode(), *more)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
        return json.loads(done.stdout) if done.stdout.strip() else {}

    def end(self) -> None:
        """End the services, also one that a client started."""
        for process in self.services:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.services:
            process.wait(SECONDS)
        for number in self.detached():
            os.kill(number, signal.SIGTERM)
            until(lambda number=number: not _is_alive(number), "the service ends")

    def detached(self) -> list[int]:
        """Return the services of this home that a client started."""
        if not (self.run / client.SOCKET).exists():
            return []
        try:
            with socket.socket(socket.AF_UNIX) as line:
                before = os.getcwd()
                os.chdir(self.run)
                try:
                    line.connect(client.SOCKET)
                finally:
                    os.chdir(before)
                peer = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        except OSError:
            return []
        return [int.from_bytes(peer[:4], sys.byteorder)]

    def log(self) -> str:
        path = self.run / client.LOG
        return path.read_text("utf-8") if path.exists() else ""


def _is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{number}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
