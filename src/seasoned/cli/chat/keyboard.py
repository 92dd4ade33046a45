"""Read what a person types: messages with history, and answers to questions.

A message may have several lines: pasted as one piece, or typed with Alt-Enter or a backslash before
Enter.

While the agent works, the terminal does not echo what is typed ahead. It waits there for the next
prompt; a question sets it aside first, because it cannot be an answer to what was not shown yet.
"""

import os
import re
import select
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Any

from seasoned.cli.chat.history import LineHistory
from seasoned.cli.chat.interrupts import Interrupts, WindowClosed

try:
    import readline
    import termios
except ImportError:  # Windows
    readline = termios = None

ECHO = termios.ECHO if termios else 0
WHOLE_LINES = termios.ICANON if termios else 0

POLL_SECONDS = 0.1
WAKE_SECONDS = 1.0
PROMPT = "you> "
MORE = "...> "  # the prompt of a message's further lines
CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")  # an odd number of backslashes at the end
PASTE_ON, PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"  # whether the terminal marks what is pasted
PASTE_MARKS = re.compile("\x1b\\[20[01]~")
ALT_ENTER = r'"\e\C-m": "\C-v\C-j"'  # insert a line break
LOCAL_FLAGS = 3  # places in the list that termios.tcgetattr returns
CONTROL_CHARS = 6


class Woken(Exception):
    """Raised out of a prompt when there is something else to do."""


class Keyboard:
    """The person at the terminal; `is_due` tells whether to wake up from waiting for a message."""

    def __init__(
        self, interrupts: Interrupts, is_due: Callable[[], bool], history: LineHistory
    ) -> None:
        self.interrupts = interrupts
        self.is_due = is_due
        self.history = history
        self.typed = ""  # text for the next prompt, not sent yet
        self._begun: list[str] = []  # the lines of a message that goes on

    def message(self) -> str | None:
        """Return the next message; None to leave. Raise `Woken` when something is due."""
        while (line := self._line()) is not None:
            if CONTINUED.search(line):
                self._begun.append(line[:-1])
                continue
            message, self._begun = "\n".join([*self._begun, line]), []
            self.history.add(message)
            return message
        return None

    def _line(self) -> str | None:
        while True:
            try:
                with self._prefilled(), self._alarm(), with_echo(), self.interrupts.reading():
                    line = input(MORE if self._begun else PROMPT)
            except (EOFError, WindowClosed):
                # With marked pastes, readline itself ends the line, in most of its versions.
                sys.stdout.write("\r\x1b[K" if _marks_pastes() else "\n")
                return None
            except KeyboardInterrupt:
                cleared = bool(_line_buffer().strip() or self._begun)
                self._begun = []
                sys.stdout.write("\n")
                if self.interrupts.pressed > 1 and not cleared:
                    return None
                self.interrupts.pressed = 1
                if not cleared:
                    sys.stdout.write("Ctrl-C again to leave.\n")
            else:
                self.interrupts.pressed = 0
                _mark_pastes(PASTE_ON)  # of what is typed ahead, too
                return line

    def set_aside(self) -> None:
        """Take what was typed ahead out of the terminal; it waits in the next prompt's line."""
        self.typed = " ".join(f"{self.typed} {_unmarked(_pending_input())}".split())

    def answer(self, is_wanted: Callable[[], bool]) -> str | None:
        """Return the line typed as an answer; None if it is no longer wanted or nobody is there."""
        descriptor = sys.stdin.fileno()
        while is_wanted():
            ready, _, _ = select.select([descriptor], [], [], POLL_SECONDS)
            if ready:
                data = os.read(descriptor, 65536)
                return _unmarked(_decoded(data)).rstrip("\n") if data else None
        _pending_input()  # half an answer that came too late
        return None

    @contextmanager
    def _prefilled(self) -> Generator[None]:
        """Start the line with the text that waits for it."""
        if readline is None or not self.typed:
            yield
            return
        text, self.typed = self.typed, ""
        insert = partial(readline.insert_text, text)
        readline.set_startup_hook(insert)
        try:
            yield
        finally:
            readline.set_startup_hook(None)

    @contextmanager
    def _alarm(self) -> Generator[None]:
        """Look once a second whether something is due; readline waits for a key otherwise."""
        if readline is None or not hasattr(signal, "setitimer"):
            yield
            return

        def ring(number: int, frame: FrameType | None) -> None:
            if self.is_due():
                signal.setitimer(signal.ITIMER_REAL, 0)
                self.typed = _line_buffer()
                raise Woken

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, WAKE_SECONDS, WAKE_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


@contextmanager
def editing(history: LineHistory) -> Generator[None]:
    """Let messages be edited: with arrow keys, pastes in one piece, and line breaks."""
    if readline is None:
        yield
        return
    history.load()
    if _is_gnu():
        readline.parse_and_bind("set enable-bracketed-paste on")
        readline.parse_and_bind(ALT_ENTER)
    try:
        yield
    finally:
        _mark_pastes(PASTE_OFF)


def _is_gnu() -> bool:
    return readline is not None and "libedit" not in (readline.__doc__ or "")


def _marks_pastes() -> bool:
    """Whether pastes are marked; only GNU readline understands the marks."""
    return _is_gnu() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _mark_pastes(mode: str) -> None:
    """Tell the terminal whether to mark what is pasted."""
    if _marks_pastes():
        sys.stdout.write(mode)
        sys.stdout.flush()


def _unmarked(text: str) -> str:
    return PASTE_MARKS.sub("", text)


@contextmanager
def without_echo() -> Generator[None]:
    """Don't show keys that are pressed while the agent works; the next prompt shows them."""
    with _terminal_mode(off=ECHO):
        yield


@contextmanager
def with_echo() -> Generator[None]:
    """Show what is typed as the answer to a question."""
    with _terminal_mode(on=ECHO | WHOLE_LINES):
        yield


def piped_line() -> str | None:
    """Return the next line of a pipe or a file, None at its end."""
    line = sys.stdin.buffer.readline()
    return _decoded(line).rstrip("\r\n") if line else None


def repaired(text: str) -> str:
    """Decode an argument of the command line that is not UTF-8.

    >>> repaired("caf\\udce9"), repaired("café")
    ('café', 'café')
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return _decoded(text.encode(errors="surrogateescape"))
    return text


class TerminalModes:
    """The modes that the terminal had at first, to be put back before the process aborts."""

    def __init__(self) -> None:
        self._modes: list[Any] | None = None
        if termios is not None and sys.stdin.isatty():
            self._modes = termios.tcgetattr(sys.stdin.fileno())

    def restore(self) -> None:
        if termios is not None and self._modes is not None:
            with suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, self._modes)


def _decoded(data: bytes) -> str:
    """Decode what was typed: UTF-8, or else the letters of Western Europe."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _line_buffer() -> str:
    return readline.get_line_buffer() if readline is not None else ""


def _pending_input() -> str:
    """Read what was typed and not read yet, unfinished lines included."""
    if termios is None:
        return ""
    pieces: list[bytes] = []
    with _terminal_mode(off=ECHO | WHOLE_LINES):
        while select.select([sys.stdin], [], [], 0)[0]:
            piece = os.read(sys.stdin.fileno(), 65536)
            if not piece:
                break
            pieces.append(piece)
    return _decoded(b"".join(pieces))


@contextmanager
def _terminal_mode(*, off: int = 0, on: int = 0) -> Generator[None]:
    """Change local modes of the terminal for a while; input that waits in it stays."""
    if termios is None or not sys.stdin.isatty():
        yield
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    flags, keys = before[LOCAL_FLAGS] & ~off | on, [*before[CONTROL_CHARS]]
    if not flags & WHOLE_LINES:
        keys[termios.VMIN] = keys[termios.VTIME] = 0  # reading does not wait
    mode = [*before]
    mode[LOCAL_FLAGS], mode[CONTROL_CHARS] = flags, keys
    termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
    try:
        yield
    finally:
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
