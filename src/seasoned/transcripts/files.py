"""Find the transcripts in files and directories."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from seasoned.core.errors import NotFound

ENDINGS = (".jsonl", ".json", ".ndjson", ".jsonl.gz", ".json.gz", ".ndjson.gz")


def transcript_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield each transcript once, in a stable order, and walk directories.

    Hidden files and directories are skipped, but a hidden directory that the caller names
    (`~/.claude/projects`) is walked.
    """
    named = [path.expanduser() for path in paths]
    for path in named:
        if not path.exists():
            raise NotFound(
                f"no file or directory {str(path)!r}; check the path, or quote it if it has spaces"
            )
    return _each_once(named)


def _each_once(named: Iterable[Path]) -> Iterator[Path]:
    seen: set[str] = set()
    for path in named:
        for file in _walk(path) if path.is_dir() else (path,):
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                yield file


def _walk(top: Path) -> Iterator[Path]:
    """Walk a directory; one that cannot be listed is yielded itself, so that `read` reports it."""
    entered: set[str] = set()
    closed: list[Path] = []
    for folder, folders, files in os.walk(
        top, followlinks=True, onerror=lambda error: closed.append(Path(error.filename))
    ):
        real = os.path.realpath(folder)
        if real in entered:  # a symbolic link that leads back
            folders.clear()
            continue
        entered.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if name.lower().endswith(ENDINGS) and not name.startswith(".") and file.is_file():
                yield file
    yield from sorted(closed)
