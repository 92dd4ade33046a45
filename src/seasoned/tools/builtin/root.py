"""A folder that no path can escape: not with .., not through links, not while folders are moved.

Each part of a path is opened relative to its parent's descriptor and never through a link, so the
file that was checked is the file that is used, whatever else happens on the disk.
"""

import errno
import os
import stat
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

from seasoned.core.errors import BadInput, NotFound, Unsupported
from seasoned.core.ids import new_id

Kind = Literal["file", "folder", "link", "other"]
KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
NEW_FILE = 0o644
PIECE = 1 << 20
DEEPEST = 50  # nested folders; each keeps a descriptor open while it is listed


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A file or folder; `path` is relative to the root."""

    path: str
    kind: Kind
    size: int


class Root:
    def __init__(self, folder: str | PathLike[str]) -> None:
        if not hasattr(os, "O_NOFOLLOW") or os.open not in os.supports_dir_fd:
            raise Unsupported("this system cannot keep files inside a folder; leave the tool out")
        self.folder = Path(folder).expanduser().resolve()
        if not self.folder.is_dir():
            raise NotFound(f"there is no folder {self.folder}; create it, or name another")

    def steps(self, path: str) -> tuple[str, ...]:
        """Split a path into names below the root; refuse one that leads out of it."""
        if "\0" in path:
            raise BadInput("a path cannot hold a NUL character")
        inside = path.removeprefix(f"{self.folder}/") if path != str(self.folder) else "."
        if inside.startswith("/"):
            raise BadInput(f"{path!r} is outside of the folder; use paths relative to it")
        names: list[str] = []
        for name in inside.split("/"):
            if name == ".." and not names:
                raise BadInput(f"{path!r} leads out of the folder; stay inside of it")
            if name == "..":
                names.pop()
            elif name not in ("", "."):
                names.append(name)
        return tuple(names)

    def read(self, path: str, largest: int) -> bytes:
        """Return the bytes of a plain file that is not too large."""
        with self._file(path) as descriptor:
            size = os.fstat(descriptor).st_size
            if size > largest:
                raise BadInput(
                    f"{path} has {size / 1e6:.1f} MB, and only {largest / 1e6:g} MB can be read; "
                    "search in it, or use another tool"
                )
            return _content(descriptor, largest)

    def write(self, path: str, data: bytes) -> None:
        """Write a file atomically: readers see the old content or the new."""
        *above, name = self._named(path)
        with self._folder(path, above, create=True) as folder, _explained(path):
            _put(folder, name, data, self._mode(path, name, folder))

    def entries(self, path: str, *, deep: bool = False) -> Iterator[FolderEntry]:
        """List a folder by name, with `deep` the folders below it too; links are not followed."""
        steps = self.steps(path)
        with self._folder(path, steps) as folder:
            yield from _entries(folder, "/".join(steps), DEEPEST if deep else 0)

    @contextmanager
    def working_folder(self, path: str) -> Generator[Path]:
        """Yield a folder as a program's working folder: the one that was checked, not its name.

        Where the system cannot name an open folder, its path is used.
        """
        steps = self.steps(path)
        with self._folder(path, steps) as folder:
            opened = Path(f"/proc/self/fd/{folder}")
            yield opened if opened.is_dir() else self.folder.joinpath(*steps)

    def _mode(self, path: str, name: str, folder: int) -> int:
        """Return the permissions of the existing file, or those of a new one."""
        try:
            there = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return NEW_FILE
        kind = _kind(there.st_mode)
        if kind != "file":
            raise BadInput(_no_file(path, kind))
        return stat.S_IMODE(there.st_mode)

    def _named(self, path: str) -> tuple[str, ...]:
        steps = self.steps(path)
        if not steps:
            raise BadInput(f"{path!r} is the folder itself; name a file in it")
        return steps

    @contextmanager
    def _file(self, path: str) -> Generator[int]:
        *above, name = self._named(path)
        with self._folder(path, above) as folder:
            # Without O_NONBLOCK, opening a named pipe would wait for a writer.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with _explained(path):
                kind = _kind(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
                if kind != "file":
                    raise BadInput(_no_file(path, kind))
                descriptor = os.open(name, flags, dir_fd=folder)
            try:
                kind = _kind(os.fstat(descriptor).st_mode)  # it may have changed since stat
                if kind != "file":
                    raise BadInput(_no_file(path, kind))
                yield descriptor
            finally:
                os.close(descriptor)

    @contextmanager
    def _folder(self, path: str, steps: Sequence[str], *, create: bool = False) -> Generator[int]:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        descriptor = os.open(self.folder, flags)
        try:
            for name in steps:
                with _explained(path):
                    if create:
                        _make(name, descriptor)
                    below = os.open(name, flags | os.O_NOFOLLOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            yield descriptor
        finally:
            os.close(descriptor)


def _put(folder: int, name: str, data: bytes, mode: int) -> None:
    temporary = f".{new_id()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(temporary, dir_fd=folder)
        raise


def _make(name: str, folder: int) -> None:
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        return


def _entries(folder: int, above: str, deeper: int) -> Iterator[FolderEntry]:
    names = sorted(os.listdir(folder))
    for name in names:
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            continue  # deleted since it was listed
        entry = FolderEntry(
            f"{above}/{name}" if above else name, _kind(found.st_mode), found.st_size
        )
        yield entry
        if deeper and entry.kind == "folder":
            yield from _below(name, folder, entry.path, deeper - 1)


def _below(name: str, folder: int, path: str, deeper: int) -> Iterator[FolderEntry]:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except OSError:
        return  # not readable, or no longer a folder
    try:
        yield from _entries(descriptor, path, deeper)
    finally:
        os.close(descriptor)


def _content(descriptor: int, largest: int) -> bytes:
    """Read a whole file, checking the limit again in case it grows meanwhile."""
    pieces: list[bytes] = []
    while piece := os.read(descriptor, PIECE):
        pieces.append(piece)
        if sum(map(len, pieces)) > largest:
            raise BadInput(f"the file grew beyond {largest / 1e6:g} MB while it was read")
    return b"".join(pieces)


def _kind(mode: int) -> Kind:
    return KINDS.get(stat.S_IFMT(mode), "other")


def _no_file(path: str, kind: Kind) -> str:
    said = {"folder": "a folder", "link": "a link, and links are not followed"}
    return f"{path} is {said.get(kind, 'a device, a pipe or a socket')}; name a plain file"


@contextmanager
def _explained(path: str) -> Generator[None]:
    """Turn OS errors into messages that say why a path cannot be used."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFound(f"there is no {path!r}; list the folder to see what there is") from error
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise BadInput(
                f"{path!r} goes through a file or a link; only plain folders are followed"
            ) from error
        raise BadInput(f"{path!r} cannot be used ({error.strerror or error})") from error
