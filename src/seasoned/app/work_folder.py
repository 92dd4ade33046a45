"""A folder for the work of a backup or a restore, which the next one removes after a kill."""

import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from seasoned.core.errors import BadInput

PREFIX = ".seasoned-"
KINDS = ("backup", "restore")
LOCK = "lock"
YOUNG_SECONDS = 60.0  # its process may not have locked it yet


@contextmanager
def work_folder(kind: str, place: Path) -> Generator[Path]:
    """Make a private folder that lasts as long as the work, and clear away what kills left."""
    remove_leftovers(place)
    try:
        making = TemporaryDirectory(prefix=f"{PREFIX}{kind}-", dir=place)
    except OSError as error:
        raise BadInput(f"cannot write into {place}: {error.strerror or error}") from error
    with making as made, (Path(made) / LOCK).open("wb") as lock:
        _is_locked_by_us(lock.fileno())
        yield Path(made)


def remove_leftovers(place: Path) -> None:
    """Remove the work folders in a place whose process is gone: its lock went with it."""
    for kind in KINDS:
        for folder in place.glob(f"{PREFIX}{kind}-*"):
            if folder.is_dir() and not folder.is_symlink() and _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)  # next time, if it cannot be now


def _is_left(folder: Path) -> bool:
    try:
        with (folder / LOCK).open("rb") as lock:
            return _is_locked_by_us(lock.fileno())
    except FileNotFoundError:
        return _is_old(folder)
    except OSError:  # somebody else's, or without such locks: not ours to judge
        return False


def _is_old(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > YOUNG_SECONDS
    except OSError:
        return False


def _is_locked_by_us(descriptor: int) -> bool:
    """Take the lock, where the system has such; tell whether nobody else holds it."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
