"""Tools for the files of one folder: list, search, read, write, and edit by exact replacement."""

import difflib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from os import PathLike
from pathlib import PurePosixPath
from typing import Any

import regex

from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.core.text import one_line
from seasoned.documents.readers.decoding import is_text
from seasoned.security.redact import SECRET
from seasoned.tools.builtin.masked_text import edit_masked
from seasoned.tools.builtin.root import FolderEntry, Root
from seasoned.tools.calls import escape_invisible
from seasoned.tools.tool import tool

LARGEST_SEARCHED = 2_000_000  # bytes of a file that is searched
LONGEST_LINE = 300
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv"})


@dataclass(frozen=True, slots=True)
class FilesConfig:
    largest: int = 10_000_000  # bytes of a file that is read or written
    most_lines: int = 1000  # read at once, unless the call sets its own number
    most_entries: int = 500  # listed or found
    search_seconds: float = 20


def file_tools(
    folder: str | PathLike[str], config: FilesConfig | None = None
) -> Sequence[Callable[..., Any]]:
    files = Files(Root(folder), config or FilesConfig())
    return (
        files.list_files,
        files.search_files,
        files.read_file,
        files.write_file,
        files.edit_file,
    )


class Files:
    def __init__(self, root: Root, config: FilesConfig) -> None:
        self.root = root
        self.works_in = root.folder
        self.config = config
        self._changing = threading.Lock()  # parallel edits must not undo each other

    @tool
    def list_files(self, path: str = ".", pattern: str = "", deep: bool = False) -> str:
        """Lists a folder: names of folders end with /, files have their size in bytes.

        Args:
            path: The folder, relative to the working folder.
            pattern: Only names like this, as *.py
            deep: Also list what is in the folders below.
        """
        found = (
            entry
            for entry in self.root.entries(path, deep=deep)
            if not pattern or fnmatch(PurePosixPath(entry.path).name, pattern)
        )
        return self._limited((_line(entry) for entry in found), "nothing is there")

    @tool
    def search_files(self, pattern: str, path: str = ".", names: str = "") -> str:
        """Searches the text of files; answers with path:line: text.

        Args:
            pattern: A regular expression; what is none is looked for as it is.
            path: The folder to search, with all that are below it.
            names: Only files with names like this, as *.py
        """
        search = FileSearch(self.root, pattern, self.config.search_seconds)
        return self._limited(search.matches(path, names), "nothing was found")

    @tool
    def read_file(self, path: str, start: int = 1, lines: int = 0) -> str:
        """Reads a text file, or some of its lines.

        Args:
            path: The file, relative to the working folder.
            start: The first line wanted; 1 is the first of the file.
            lines: How many lines; 0 for as many as there are, within limits.
        """
        if start < 1 or lines < 0:
            raise BadInput("start counts from 1, and lines is 0 or more")
        every = self._text(path).splitlines(keepends=True)
        most = lines or self.config.most_lines
        wanted = every[start - 1 : start - 1 + most]
        if not wanted and every:
            raise BadInput(f"{path} has only {len(every)} lines; start is {start}")
        if len(wanted) == len(every):
            return "".join(wanted)
        end = start - 1 + len(wanted)
        more = f"; go on with start={end + 1}" if end < len(every) else ""
        return f"[lines {start} to {end} of {len(every)}{more}]\n{''.join(wanted)}"

    @tool(dangerous=True)
    def write_file(self, path: str, text: str) -> str:
        """Writes a text file, in place of what it held before; folders are made as needed.

        Args:
            path: The file, relative to the working folder.
            text: All that the file is to hold.
        """
        with self._changing:
            before = self._current(path)
            self._write(path, text, before)
        lines = len(text.splitlines())
        return f"{'wrote' if before is None else 'replaced'} {path}: {lines} lines"

    @tool(dangerous=True)
    def edit_file(self, path: str, old: str, new: str, everywhere: bool = False) -> str:
        """Replaces a piece of a text file by another; all the rest stays as it is.

        Args:
            path: The file, relative to the working folder.
            old: The piece to replace, exactly as it stands in the file, blanks included.
            new: What to put there.
            everywhere: Replace each place where it stands; otherwise there must be one.
        """
        if not old or old == new:
            raise BadInput("old must be a text that stands in the file, and new another one")
        with self._changing:
            text = self._text(path)
            if "\r\n" in text and "\r\n" not in old:
                old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
            places = text.count(old)
            if not places and SECRET in old and (whole := edit_masked(text, old, new)) is not None:
                self._put(path, whole)
                return f"edited {path}: 1 place"
            if not places:
                raise BadInput(f"old does not stand in {path}; {_nearest(text, old)}")
            if places > 1 and not everywhere:
                raise BadInput(
                    f"old stands in {path} {places} times, in lines {_lines_of(text, old)}; give "
                    "more of what is around it, or say everywhere"
                )
            self._write(path, text.replace(old, new), text)
        return f"edited {path}: {places} place{'s' if places > 1 else ''}"

    def _text(self, path: str) -> str:
        data = self.root.read(path, self.config.largest)
        if not is_text(data):
            raise BadInput(f"{path} is not a text file")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadInput(
                f"{path} is not in UTF-8 ({error.reason} at byte {error.start}); convert it first"
            ) from error

    def _current(self, path: str) -> str | None:
        try:
            return self.root.read(path, self.config.largest).decode("utf-8", "replace")
        except NotFound:
            return None

    def _write(self, path: str, text: str, before: str | None) -> None:
        if SECRET in text and SECRET not in (before or ""):
            raise BadInput(
                f"the text holds {SECRET}, which stands for a secret that you were not shown; "
                "writing it would destroy the secret. Use edit_file"
            )
        self._put(path, text)

    def _put(self, path: str, text: str) -> None:
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise BadInput(f"the text cannot be written as UTF-8 ({error.reason})") from error
        if len(data) > self.config.largest:
            raise BadInput(f"the text has more than {self.config.largest / 1e6:g} MB")
        self.root.write(path, data)

    def _limited(self, lines: Iterator[str], nothing: str) -> str:
        shown: list[str] = []
        for line in lines:
            if len(shown) == self.config.most_entries:
                shown.append(f"[only the first {len(shown)} are shown; ask for less]")
                break
            shown.append(line)
        return "\n".join(shown) or nothing


class FileSearch:
    """Search for a pattern, within a time that no pattern can exceed."""

    def __init__(self, root: Root, pattern: str, seconds: float) -> None:
        if not pattern:
            raise BadInput("say what to look for; the pattern is empty")
        self.root = root
        self.pattern = _compiled(pattern)
        self.seconds = seconds

    def matches(self, path: str, names: str) -> Iterator[str]:
        """Yield the matching lines, file by file."""
        until = time.monotonic() + self.seconds
        for entry in self.root.entries(path, deep=True):
            if time.monotonic() > until:
                yield f"[cut off after {self.seconds:g} s: search in a smaller folder]"
                return
            if _is_searched(entry, names):
                yield from self._in_file(entry, until)

    def _in_file(self, entry: FolderEntry, until: float) -> Iterator[str]:
        try:
            data = self.root.read(entry.path, LARGEST_SEARCHED)
        except SeasonedError:
            return  # deleted meanwhile, or not readable
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


def _is_searched(entry: FolderEntry, names: str) -> bool:
    if entry.kind != "file" or entry.size > LARGEST_SEARCHED:
        return False
    path = PurePosixPath(entry.path)
    if SKIPPED_FOLDERS.intersection(path.parts):
        return False
    return not names or fnmatch(path.name, names) or fnmatch(entry.path, names)


def _line(entry: FolderEntry) -> str:
    path = escape_invisible(entry.path).replace("\n", "\\n")  # one name, one line
    return {
        "folder": f"{path}/",
        "link": f"{path} (a link, not followed)",
        "other": f"{path} (no plain file)",
    }.get(entry.kind, f"{path} {entry.size}")


def _lines_of(text: str, piece: str) -> str:
    numbers: list[str] = []
    place = text.find(piece)
    while place >= 0 and len(numbers) < 10:
        numbers.append(str(text.count("\n", 0, place) + 1))
        place = text.find(piece, place + len(piece))
    return ", ".join(numbers)


def _nearest(text: str, piece: str) -> str:
    """Point to the line that is most similar to the first line of the piece."""
    wanted = next((line.strip() for line in piece.splitlines() if line.strip()), "")
    lines = [line.strip() for line in text.splitlines()[:5000]]
    near = difflib.get_close_matches(wanted, [line for line in lines if line], 1, 0.6)
    if not near:
        return "read the file again"
    return f"the nearest is line {lines.index(near[0]) + 1}: {near[0][:200]!r}"
