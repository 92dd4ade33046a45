"""Give each peer a virtual environment of its own."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent.parent / ".venvs"


ANY_PYTHON = "# on any Python"


class PeerMissing(Exception):
    """A peer could not be installed or run; the message says why and what to do."""


def python_of(peer: str, folder: Path = HERE, *, build: bool = True) -> Path:
    """Return the interpreter of a peer's environment, created on first use.

    What it needs stands in `requirements-<peer>.txt` in the folder; what is to be had without all
    that it needs itself, in `requirements-<peer>-alone.txt`. When that begins with ANY_PYTHON, the
    versions of Python that it asks for do not matter either.
    """
    home = ENVIRONMENTS / peer
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = home / "installed"
    requirements = folder / f"requirements-{peer}.txt"
    alone = folder / f"requirements-{peer}-alone.txt"
    files = [requirements, *([alone] if alone.exists() else [])]
    wanted = "".join(file.read_text(encoding="utf-8") for file in files)
    if done.exists() and python.exists() and done.read_text(encoding="utf-8") == wanted:
        return python
    if not build:
        raise PeerMissing(f"{peer} is not installed yet")
    uv = shutil.which("uv")
    if uv:
        steps = [
            [uv, "venv", "--clear", "--python", sys.executable, str(home)],
            [uv, "pip", "install", "--python", str(python), "-r", str(requirements)],
            [uv, "pip", "install", "--python", str(python), "--no-deps", "-r", str(alone)],
        ]
    else:
        steps = [
            [sys.executable, "-m", "venv", "--clear", str(home)],
            [str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements)],
            [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "-r", str(alone)],
        ]
    if wanted.removeprefix(requirements.read_text(encoding="utf-8")).startswith(ANY_PYTHON):
        steps[-1] += ["--python-version", "3.9"] if uv else ["--ignore-requires-python"]
    for step in steps if alone.exists() else steps[:-1]:
        ran = subprocess.run(step, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise PeerMissing(
                f"{peer} could not be installed: `{' '.join(step)}` said: "
                f"{(ran.stderr or ran.stdout).strip()[-400:]}"
            )
    done.write_text(wanted, encoding="utf-8")
    return python


def ask(peer: str, script: str, question: dict[str, Any], folder: Path = HERE) -> dict[str, Any]:
    """Run a script of the folder in the peer's environment: JSON in, JSON out."""
    ran = subprocess.run(
        [str(python_of(peer, folder)), str(folder / script)],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    if ran.returncode:
        raise PeerMissing(f"{peer} failed: {ran.stderr.strip()[-400:]}")
    return json.loads(ran.stdout)
