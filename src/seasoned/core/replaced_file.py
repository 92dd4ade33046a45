"""Replace a file at once, or leave it as it is: nobody reads half of it."""

import os
from contextlib import suppress
from pathlib import Path

from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file atomically, keeping its owner and permissions; `mode` is that of a new one."""
    fresh = path.with_name(f".{path.name}.{new_id()}")
    try:
        try:
            with fresh.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                before = path.stat()
                with suppress(PermissionError):  # only root may change the owner
                    os.chown(fresh, before.st_uid, before.st_gid)
                fresh.chmod(before.st_mode & 0o7777)
            elif mode is not None:
                fresh.chmod(mode)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(
            f"cannot write {path}: {error.strerror or error}; it is unchanged"
        ) from error
