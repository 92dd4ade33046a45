"""The commands that settings of assistants hold: ours, in a spelling that their shells take."""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from seasoned.assistants import client
from seasoned.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """A program and its first arguments."""

    words: tuple[str, ...]

    def line(self, *more: str) -> str:
        """Return the call as one line for a shell."""
        words = (*self.words, *more)
        if os.name != "nt":
            return shlex.join(words)
        if any(" " in word for word in words):
            # A line that begins with a quoted path fails in PowerShell and in `cmd /c`.
            raise BadInput(
                f"{words[0]} has a space in its path, which the shells of assistants do not take; "
                "put its folder on the PATH, then try again"
            )
        return " ".join(words)


def hook_call() -> ProgramCall:
    """Return how to run the hook client: by its bare name if that finds this installation."""
    script = _script("seasoned-hook")
    if script is not None:
        return ProgramCall((script,))
    return ProgramCall((sys.executable, "-I", "-S", os.path.abspath(client.__file__)))


def seasoned_call() -> ProgramCall:
    """Return how to run the command line."""
    script = _script("seasoned")
    return ProgramCall((script,) if script is not None else (sys.executable, "-m", "seasoned"))


def _script(name: str) -> str | None:
    """Return a script of this installation: its name if it is on the PATH, else its path."""
    own = shutil.which(name, path=str(Path(sys.executable).parent))
    if own is None:
        return None
    found = shutil.which(name)
    return name if found and os.path.samefile(found, own) else own
