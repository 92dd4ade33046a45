"""Plan, write and undo the changes that connect an assistant.

Before a file is changed, its bytes are kept in the home folder. If nobody has touched the file
since, disconnecting puts those bytes back; else it removes what is ours, and nothing else.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seasoned.assistants.setup.catalog import Assistant, Place, Wish
from seasoned.assistants.setup.targets import Target
from seasoned.core.errors import BadInput
from seasoned.core.ids import digest
from seasoned.core.replaced_file import replace_file

JOURNAL = "connect"  # folder in the home folder
OWNER_MAY_WRITE = 0o200


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file as it is and as it should be; None: it is not there."""

    path: Path
    before: bytes | None
    after: bytes | None
    original: bytes | None  # as it was before we first changed it
    mode: int | None = None


class Connections:
    """The connections of a home folder, with what files were like before them."""

    def __init__(self, home: Path) -> None:
        self._folder = home / JOURNAL

    def plan(self, assistant: Assistant, place: Place, wish: Wish) -> list[FileChange]:
        """Return the changes that connect an assistant; none if it is connected already."""
        changes: list[FileChange] = []
        for target in assistant.targets(place, wish):
            path = real_path(target.path)
            before = content_of(path)
            after = target.connected(before)
            if after != before:
                original = self._original(path, target, before)
                changes.append(FileChange(path, before, after, original, target.mode))
        return changes

    def plan_removal(self, assistant: Assistant, place: Place) -> list[FileChange]:
        """Return the changes that disconnect an assistant."""
        changes: list[FileChange] = []
        for target in assistant.targets(place, Wish(mcp=True)):
            path = real_path(target.path)
            before = content_of(path)
            if before is None:
                continue
            kept = self._kept(path)
            untouched = kept is not None and kept["after"] == _fingerprint(before)
            after = _bytes(kept["before"]) if kept and untouched else target.disconnected(before)
            if after is None and kept is not None and kept["before"] is not None and not untouched:
                after = b"{}\n" if path.suffix == ".json" else b""  # the file was the user's
            if after != before:
                changes.append(FileChange(path, before, after, None))
        return changes

    def is_connected(self, assistant: Assistant, place: Place) -> bool:
        """Tell whether the hooks are installed, by this version or another."""
        first, *_ = assistant.targets(place, Wish())
        try:
            before = content_of(real_path(first.path))
            return before is not None and first.disconnected(before) != before
        except BadInput:
            return False  # a broken file runs no hooks

    def write(self, changes: Sequence[FileChange]) -> None:
        """Write all files, or none, and keep what they were like before."""
        self._put_all(changes)
        for change in changes:
            self._keep(change)

    def undo(self, changes: Sequence[FileChange]) -> None:
        """Write files that are no longer ours, and drop what was kept about them."""
        self._put_all(changes)
        for change in changes:
            self._journal(change.path).unlink(missing_ok=True)

    def _put_all(self, changes: Sequence[FileChange]) -> None:
        """Write all files; what was written is put back if one fails."""
        done: list[FileChange] = []
        for change in changes:
            _check_writable(change.path)
        try:
            for change in changes:
                _put(change.path, change.after, change.mode)
                done.append(change)
        except (BadInput, OSError) as error:
            for change in reversed(done):
                _put(change.path, change.before, change.mode)
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"cannot write: {error}; everything is as it was") from error

    def _original(self, path: Path, target: Target, before: bytes | None) -> bytes | None:
        """Return a file as it is without us: as kept if nobody touched it, else cleaned."""
        kept = self._kept(path)
        if before is None or kept is None:
            return before
        if kept["after"] == _fingerprint(before):
            return _bytes(kept["before"])
        return target.disconnected(before)

    def _keep(self, change: FileChange) -> None:
        """Write down what a file was like; that must outlive us."""
        assert change.after is not None, "connecting removes no file"
        original = change.original
        entry = {
            "path": str(change.path),
            "before": None if original is None else base64.b64encode(original).decode(),
            "after": _fingerprint(change.after),
        }
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(self._journal(change.path), json.dumps(entry).encode(), 0o600)

    def _kept(self, path: Path) -> dict[str, Any] | None:
        try:
            found: Any = json.loads(self._journal(path).read_text("utf-8"))
        except (OSError, ValueError):
            return None  # without it, ours is found by its looks
        return found if isinstance(found, dict) and {"before", "after"} <= found.keys() else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]

    def _journal(self, path: Path) -> Path:
        return self._folder / f"{digest(str(path))}.json"


def real_path(path: Path) -> Path:
    """Follow links: the file behind one is changed, and the link stays."""
    return path.resolve() if path.is_symlink() or path.exists() else path


def content_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error


def _check_writable(path: Path) -> None:
    if path.exists() and not path.stat().st_mode & OWNER_MAY_WRITE:
        raise BadInput(
            f"{path} is read-only; nothing was written: allow it with `chmod u+w`, then try again"
        )


def _put(path: Path, content: bytes | None, mode: int | None) -> None:
    if content is None:
        path.unlink(missing_ok=True)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make {path.parent}: {error.strerror or error}") from error
    replace_file(path, content, mode)


def _fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _bytes(kept: str | None) -> bytes | None:
    return None if kept is None else base64.b64decode(kept)
