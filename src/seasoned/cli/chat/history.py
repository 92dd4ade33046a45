"""Keep what was typed in earlier chats for the arrow keys, in a file of the home folder.

Each message is added to the file when it is sent, so that a closed window loses none and several
windows share it. A message of several lines is one line of the file.
"""

import os
from contextlib import suppress
from pathlib import Path

from seasoned.core.private_files import FILE, create_private

try:
    import readline
except ImportError:  # Windows
    readline = None

MOST_LINES = 1000
LINE_BREAK = "␤"  # stands for a line break in the file


class LineHistory:
    """The messages of a person, oldest first; nothing where the terminal has no arrow keys."""

    def __init__(self, home: Path) -> None:
        self.file = home / "chat_history"

    def load(self) -> None:
        if readline is None:
            return
        readline.clear_history()
        readline.set_auto_history(False)  # a message of several lines would be several
        lines = self._read()
        for line in lines[-MOST_LINES:]:
            readline.add_history(line.replace(LINE_BREAK, "\n"))
        if len(lines) > 2 * MOST_LINES:
            self._write(lines[-MOST_LINES:], os.O_TRUNC)

    def add(self, message: str) -> None:
        """Add a message, unless it is the last one again."""
        line = message.replace("\n", LINE_BREAK)
        if readline is None or not line.strip() or self._is_last(message):
            return
        readline.add_history(message)
        self._write([line], os.O_APPEND)

    def _is_last(self, message: str) -> bool:
        assert readline is not None, "only where there is a history"
        return readline.get_history_item(readline.get_current_history_length()) == message

    def _read(self) -> list[str]:
        with suppress(OSError):  # no history yet
            return self.file.read_text("utf-8", errors="replace").splitlines()
        return []

    def _write(self, lines: list[str], mode: int) -> None:
        with suppress(OSError):  # the home folder is not writable
            self.file.parent.mkdir(parents=True, exist_ok=True)
            create_private(self.file)
            descriptor = os.open(self.file, os.O_WRONLY | mode, FILE)
            with os.fdopen(descriptor, "wb") as file:
                file.write("".join(f"{line}\n" for line in lines).encode(errors="replace"))
