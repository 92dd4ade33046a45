"""Drive a command on a pseudo terminal as a person does: read the screen, type, press Ctrl-C.

The command is a process of its own, with the terminal as its controlling one, so Ctrl-C is the
byte that the terminal turns into a real SIGINT.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CTRL_C = "\x03"
CTRL_D = "\x04"
ENTER = "\r"
ALT_ENTER = "\x1b\r"
PROMPT = "you> "
ERASED = re.compile(r"[^\n]*\r\x1b\[K")
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[=>])")
# Set where tests run, and some libraries are quieter there than on a person's machine.
OF_TEST_RUNS = ("CI", "PYTEST_VERSION", "PYTEST_CURRENT_TEST", "NO_COLOR")


class Terminal:
    """A terminal, of 100 columns and 40 rows by default, in which one `seasoned` command runs.

    `wait` looks at what was shown since the last successful `wait`.
    """

    def __init__(
        self,
        *args: str | Path,
        home: Path,
        variables: Mapping[str, str] | None = None,
        folder: Path | None = None,
        program: Sequence[str] = (sys.executable, "-m", "seasoned"),
        columns: int = 100,
    ) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environment = {name: os.environ[name] for name in os.environ if name not in OF_TEST_RUNS}
        environment |= {"SEASONED_HOME": str(home), "TERM": "xterm", "PYTHONUTF8": "1"}
        environment.pop("COLUMNS", None)
        self.process = subprocess.Popen(
            [*program, *map(str, args)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=environment | dict(variables or {}),
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509 - it is one system call
        )
        os.close(theirs)
        self.raw = ""
        self._seen = 0

    @property
    def text(self) -> str:
        """Everything shown so far, without colours and cursor movements."""
        return plain(self.raw)

    def wait(self, *texts: str, seconds: float = 30) -> str:
        """Wait until one of the texts is shown; return what was shown up to it."""
        until = time.monotonic() + seconds
        while True:
            new = self.raw[self._seen :]
            if _holds(new, texts):
                places = range(len(new) + 1)
                end = bisect_left(places, True, key=lambda at: _holds(new[:at], texts))
                self._seen += end
                return plain(new[:end])
            if time.monotonic() > until or not self._read(until - time.monotonic()):
                raise AssertionError(f"none of {texts} was shown; the rest is:\n{plain(new)}")

    def watch(self, seconds: float) -> str:
        """Return what is shown during the next seconds."""
        until, before = time.monotonic() + seconds, len(self.raw)
        while (left := until - time.monotonic()) > 0 and self._read(left):
            pass
        return plain(self.raw[before:])

    def press(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def say(self, line: str) -> None:
        self.press(line + ENTER)

    def paste(self, text: str) -> None:
        """Paste a text as terminals do that mark what is pasted, if they are asked to."""
        marked = self.raw.rfind("\x1b[?2004h") > self.raw.rfind("\x1b[?2004l")
        keys = text.replace("\n", ENTER)
        self.press(f"\x1b[200~{keys}\x1b[201~" if marked else keys)

    def close_window(self) -> None:
        """Take the terminal away: its processes get SIGHUP, and reading and writing fail."""
        os.close(self._ours)
        self._ours = os.open(os.devnull, os.O_RDWR)

    def ends(self, seconds: float = 30) -> int:
        """Wait for the end of the command; return its exit code."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self._read(left):
            pass
        return self.process.wait(max(until - time.monotonic(), 5))

    def _read(self, seconds: float) -> bool:
        """Read what there is; return False at the end of the command's output or of the time."""
        ready, _, _ = select.select([self._ours], [], [], max(seconds, 0))
        if not ready:
            return False
        try:
            piece = os.read(self._ours, 65536)
        except OSError:  # nobody has the other end open any more
            return False
        self.raw += piece.decode(errors="replace")
        return bool(piece)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self._ours)


def plain(raw: str) -> str:
    """Return what a terminal was sent without erased lines, escape sequences, carriage returns."""
    return ESCAPES.sub("", ERASED.sub("", raw)).replace("\r", "")


def _holds(raw: str, texts: Sequence[str]) -> bool:
    shown = plain(raw)
    return any(text in shown for text in texts)


def script_of(answers: Sequence[Any], path: Path) -> str:
    """Write a script and return the name of its model."""
    path.write_text(json.dumps(answers))
    return f"scripted:{path}"


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
