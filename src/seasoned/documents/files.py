"""Finds the documents in a folder, as a person would pick them."""

import os
from collections.abc import Iterator
from pathlib import Path

from seasoned.documents.reading import SUFFIXES

# Folders that hold other people's files.
PASSED_OVER = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
# Names that need no suffix to be documents.
BARE = frozenset(
    "readme changes changelog news install todo hacking contributing faq history notes".split()
)


def document_files(folder: Path) -> Iterator[Path]:
    """Each document once, in a stable order; a folder that may not be listed is given itself.

    Hidden files and folders below are left out; the folder itself was named, and is walked.
    """
    entered: set[str] = set()
    given: set[str] = set()
    closed: list[Path] = []
    for here, folders, names in os.walk(
        folder, followlinks=True, onerror=lambda error: closed.append(Path(error.filename))
    ):
        if _again(here, entered):  # a symbolic link that leads back
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if _is_open(name))
        for name in sorted(names):
            file = Path(here, name)
            if is_document(name) and file.is_file() and not _again(file, given):
                yield file
    yield from sorted(closed)


def is_document(name: str) -> bool:
    """Whether a file of this name in a folder is worth reading.

    >>> [is_document(name) for name in ("guide.MD", "README", "main.py", ".notes.md")]
    [True, True, False, False]
    """
    stem, suffix = os.path.splitext(name.lower())
    return not name.startswith(".") and (suffix in SUFFIXES or (not suffix and stem in BARE))


def _is_open(folder: str) -> bool:
    return not folder.startswith(".") and folder not in PASSED_OVER


def _again(path: Path | str, seen: set[str]) -> bool:
    real = os.path.realpath(path)
    if real in seen:
        return True
    seen.add(real)
    return False
