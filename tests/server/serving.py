"""`seasoned serve` as a real process, and a client that shows its token."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

COMMAND = [sys.executable, "-m", "seasoned", "serve", "--http", "127.0.0.1:0"]


class Gateway:
    """A gateway that serves until it is ended; its home outlives it."""

    def __init__(self, home: Path, *more: str, **variables: str) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [*COMMAND, *more],
            stderr=subprocess.PIPE,
            env={**os.environ, "SEASONED_HOME": str(home), **variables},
            text=True,
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert found, line + self.process.stderr.read()
        self.port, self.url = int(found[1]), found[0]
        self.token = (home / "token").read_text().strip() if (home / "token").exists() else ""
        self.client = httpx.Client(base_url=self.url, timeout=30)

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        """Send a request with the token; `token=None` sends none, `project` and so on a scope."""
        token = more.pop("token", self.token)
        headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
        for field in ("tenant", "project", "user", "session"):
            if field in more:
                headers[f"X-Seasoned-{field}"] = more.pop(field)
        headers |= more.pop("headers", {})
        return self.client.request(method, path, json=body, headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.call("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> httpx.Response:
        return self.call("POST", path, body, **more)

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """End the process; return its code and what else it said."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        _, said = self.process.communicate(timeout=30)
        self.client.close()
        return self.process.returncode, said
