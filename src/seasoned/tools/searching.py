"""Looks for a pattern in the files of a folder, within a time that no pattern can stretch."""

import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import PurePosixPath

import regex

from seasoned.core.errors import BadInput, SeasonedError
from seasoned.core.text import one_line
from seasoned.documents.decoding import is_text
from seasoned.tools.root import Entry, Root

LARGEST = 2_000_000  # bytes of a file that is searched
LONGEST_LINE = 300
PASSED_OVER = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv"})


class Searching:
    def __init__(self, root: Root, pattern: str, seconds: float) -> None:
        if not pattern:
            raise BadInput("say what to look for; the pattern is empty")
        self.root = root
        self.pattern = _compiled(pattern)
        self.seconds = seconds

    def found(self, path: str, names: str) -> Iterator[str]:
        """Lines that match, in the order of their files."""
        until = time.monotonic() + self.seconds
        for entry in self.root.entries(path, deep=True):
            if time.monotonic() > until:
                yield f"[cut off after {self.seconds:g} s: search in a smaller folder]"
                return
            if _is_searched(entry, names):
                yield from self._in_file(entry, until)

    def _in_file(self, entry: Entry, until: float) -> Iterator[str]:
        try:
            data = self.root.read(entry.path, LARGEST)
        except SeasonedError:
            return  # it went away meanwhile, or is closed to us
        if not is_text(data):
            return
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            left = max(until - time.monotonic(), 0.001)
            try:
                hit = self.pattern.search(line, timeout=left)
            except TimeoutError:
                yield f"[cut off in {entry.path}, line {number}: the pattern takes too long]"
                return
            if hit:
                yield f"{entry.path}:{number}: {one_line(line, LONGEST_LINE)}"


def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        return regex.compile(pattern)
    except regex.error:
        return regex.compile(regex.escape(pattern))


def _is_searched(entry: Entry, names: str) -> bool:
    if entry.kind != "file" or entry.size > LARGEST:
        return False
    path = PurePosixPath(entry.path)
    if PASSED_OVER.intersection(path.parts):
        return False
    return not names or fnmatch(path.name, names) or fnmatch(entry.path, names)
