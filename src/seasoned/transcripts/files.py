"""Find the transcripts in files and directories."""

import fnmatch
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from seasoned.core.errors import NotFound
from seasoned.transcripts.containers import is_markdown

ENDINGS = (".jsonl", ".json", ".ndjson", ".jsonl.gz", ".json.gz", ".ndjson.gz", ".jsonl.zst")
# Databases and archives of other kinds end alike, so only these are read without being named.
OTHERS = (".traj", ".eval", ".vscdb", "store.db", "sessions.db")
OPENCODE = "opencode*.db"
AIDER = ".aider.chat.history.md"
SPECSTORY = ".specstory"
# Files beside a session that hold none of its calls, or the same calls again.
COMPANIONS = {
    "task_metadata.json": ("api_conversation_history.json",),
    "ui_messages.json": ("api_conversation_history.json",),
    "history_item.json": ("api_conversation_history.json",),
    "context.jsonl": ("wire.jsonl",),
    "state.json": ("wire*.jsonl", "agents"),
    "workspace.json": ("chatSessions",),
}


def transcript_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield each transcript once, in a stable order, and walk directories.

    Hidden files and directories are skipped, but a hidden directory that the caller names
    (`~/.claude/projects`) is walked. A folder whose files are one session is yielded itself.
    """
    named = [path.expanduser() for path in paths]
    for path in named:
        if not path.exists():
            raise NotFound(
                f"no file or directory {str(path)!r}; check the path, or quote it if it has spaces"
            )
    return _each_once(named)


def is_session_folder(folder: Path, files: Collection[str] | None = None) -> bool:
    """Whether the files of a folder are one session: OpenCode's messages, or OpenHands' events."""
    if folder.parent.name == "message" and folder.parent.parent.name == "storage":
        return True
    names = os.listdir(folder) if files is None and folder.name == "events" else files or ()
    return folder.name == "events" and any(
        name[:-5].isdigit() for name in names if name[-5:] == ".json"
    )


def _each_once(named: Iterable[Path]) -> Iterator[Path]:
    seen: set[str] = set()
    for path in named:
        whole = not path.is_dir() or is_session_folder(path)
        for file in (path,) if whole else _walk(path):
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
        here = Path(folder)
        if is_session_folder(here, files):
            folders.clear()
            yield here
            continue
        folders[:] = sorted(name for name in folders if _is_walked(here, name))
        for name in sorted(files):
            file = here / name
            if _is_transcript(file, {*files, *folders}) and file.is_file():
                yield file
    yield from sorted(closed)


def _is_walked(folder: Path, name: str) -> bool:
    """Whether to go into a directory; the parts of OpenCode's sessions belong to its messages."""
    stored = folder.name == "storage" and (folder / "message").is_dir()
    return not (stored and name != "message") and (not name.startswith(".") or name == SPECSTORY)


def _is_transcript(file: Path, beside: Collection[str]) -> bool:
    name = file.name.lower()
    if name == AIDER:
        return True
    if name.startswith(".") or _is_companion(file.name, beside):
        return False
    if name.endswith(".md"):
        return _begins_as_markdown(file)
    known = name.endswith(ENDINGS) or name.endswith(OTHERS)
    return known or fnmatch.fnmatch(name, OPENCODE)


def _is_companion(name: str, beside: Collection[str]) -> bool:
    stem = name.removesuffix(".json")
    if stem.removesuffix(".settings") + ".jsonl" in beside and name.endswith(".settings.json"):
        return True
    if f"{stem}.messages.json" in beside:
        return True
    return any(fnmatch.filter(beside, mate) for mate in COMPANIONS.get(name, ()))


def _begins_as_markdown(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return is_markdown(stream.read(200))
    except OSError:
        return False
