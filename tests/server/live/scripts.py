"""Steps for a scripted model, and tools that let a test decide when something happens."""

import threading
import time
from collections.abc import Callable
from typing import Any

from tests.server.live.serving import PATIENCE

from seasoned.tools.tool import tool

LONG: dict[str, Any] = {"say": "word " * 400, "pause_seconds": 0.01}


def calls(name: str, /, **args: Any) -> dict[str, Any]:
    return {"calls": [{"tool": name, "args": args}]}


class Door:
    """A dangerous tool that counts its calls."""

    def __init__(self) -> None:
        self.opened = 0

    def tool(self) -> Callable[..., Any]:
        @tool(dangerous=True)
        def open_door(name: str) -> str:
            """Open a door."""
            self.opened += 1
            return f"{name} is open"

        return open_door


class Gate:
    """A tool that waits until the test lets it go on."""

    def __init__(self) -> None:
        self.entered, self.free = threading.Event(), threading.Event()

    def tool(self) -> Callable[..., Any]:
        def pass_gate() -> str:
            """Pass the gate."""
            self.entered.set()
            assert self.free.wait(PATIENCE)
            return "passed"

        return pass_gate


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
