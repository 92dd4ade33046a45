"""Files that only their owner may read: databases, exports, whatever tells what people said.

A file that was given to another group than its owner's own was shared on purpose: that group keeps
its access. Everybody else loses theirs.
"""

import logging
import os
import stat
from pathlib import Path

log = logging.getLogger("seasoned.files")

FILE = 0o600


def create_private(path: Path) -> None:
    """Create an empty file that only its owner may read, unless it exists.

    What cannot be created is left to whoever opens it, who can say what for.
    """
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE)
    except OSError:
        return
    os.close(descriptor)


def tighten(path: Path) -> None:
    """Take away what others may do with our own file or folder."""
    try:
        found = path.stat()
        excess = _excess(found)
        if excess and found.st_uid == os.geteuid():
            path.chmod(stat.S_IMODE(found.st_mode) & ~excess)
    except OSError as error:
        log.debug("the permissions of %s stay as they are: %s", path, error)


def is_private(path: Path) -> bool:
    """Whether nobody but its owner, or the group that it was given to, may use it."""
    return not path.exists() or not _excess(path.stat())


def _excess(found: os.stat_result) -> int:
    """Return the permissions that nobody gave on purpose."""
    if os.name != "posix":
        return 0
    was_given = found.st_gid != _own_group(found.st_uid)
    return stat.S_IMODE(found.st_mode) & (0o007 if was_given else 0o077)


def _own_group(user: int) -> int:
    import pwd  # late: not on every system

    try:
        return pwd.getpwuid(user).pw_gid
    except KeyError:  # a container's user without an entry
        return os.getegid()
