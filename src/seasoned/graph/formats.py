"""Write graphs to files and read them back, in three formats."""

from pathlib import Path

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.private_files import create_private
from seasoned.graph.graphml import GRAPHML
from seasoned.graph.ntriples import NTRIPLES
from seasoned.graph.plain_json import JSON
from seasoned.graph.snapshot import GraphFormat, Snapshot, Unreadable

FORMATS: dict[str, GraphFormat] = {one.name: one for one in (NTRIPLES, GRAPHML, JSON)}


def format_named(name: str | None, path: Path | None = None) -> GraphFormat:
    """Return the format with this name, or the one of the file's suffix.

    >>> format_named(None, Path("graph.nt")).name
    'ntriples'
    """
    if name is None and path is not None:
        for one in FORMATS.values():
            if path.suffix.lower() == one.suffix:
                return one
        endings = ", ".join(one.suffix for one in FORMATS.values())
        raise BadInput(f"{path} has no known suffix; use {endings}, or name the format")
    if name not in FORMATS:
        raise BadInput(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]


def read_file(path: Path, name: str | None = None) -> Snapshot:
    """Read a graph from a file; an error names file and line."""
    chosen = format_named(name, path)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {path}: {error}") from error
    try:
        return chosen.read(text)
    except Unreadable as error:
        where = f"{path}:{error.line}" if error.line else str(path)
        raise BadInput(f"{where}: {error.reason}; nothing was imported") from error


def write_file(graph: Snapshot, path: Path, name: str | None = None) -> None:
    """Write the whole file or nothing."""
    chosen = format_named(name, path)
    beside = path.with_name(f".{path.name}.part")
    try:
        create_private(beside)
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(chosen.write(graph))
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise BadInput(f"cannot write {path}: {error.strerror or error}") from error
