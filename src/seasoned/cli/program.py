"""How to call this command again, as typed in the folder where it was called."""

import os
import shlex
import shutil
import sys
from pathlib import Path


def program(called_as: str | None = None) -> str:
    """Return `seasoned` if that finds this installation, else a path to it."""
    script = Path(sys.argv[0] if called_as is None else called_as)
    if (script.parent.name, script.name) == ("seasoned", "__main__.py"):
        return f"{_short(Path(sys.executable))} -m seasoned"
    found = shutil.which("seasoned")
    if script.stem != "seasoned" or not script.exists():
        return "seasoned"
    return "seasoned" if found and os.path.samefile(found, script) else _short(script)


def _short(path: Path) -> str:
    """Return a path from the current folder, if it lies below it."""
    whole = Path(os.path.abspath(path))  # a link stays a link: an environment's python is one
    try:
        below = whole.relative_to(Path.cwd())
    except (ValueError, OSError):
        return shlex.quote(str(whole))
    return shlex.quote(str(below) if len(below.parts) > 1 else f"./{below}")
