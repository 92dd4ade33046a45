"""Keep a marked block of lessons in a Markdown file, and leave every other byte alone."""

import re
from pathlib import Path
from typing import Literal

from seasoned.cli.agents_block import BEGIN, END
from seasoned.core.errors import BadInput
from seasoned.core.replaced_file import replace_file

# A mark counts only on a line of its own: prose may mention it.
MARK = re.compile(rb"^[ \t]*(<!-- seasoned:(begin|end) -->)[ \t]*\r?$", re.MULTILINE)

FileOutcome = Literal["written", "updated", "unchanged"]


def check(path: Path) -> None:
    """Raise now what `update` would raise after the work is done."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder; give the path of a Markdown file")
    if not path.parent.is_dir():
        raise BadInput(f"folder {path.parent} does not exist; create it first")
    if path.exists():
        _place(path, _content(path))


def text_outside(path: Path) -> str:
    """Return the text of a file around the block; empty if there is no file."""
    if not path.exists():
        return ""
    content = _content(path)
    start, stop = _place(path, content)
    return (content[:start] + b"\n" + content[stop:]).decode()


def update(path: Path, block: str) -> FileOutcome:
    """Write the block to the file: replace the existing one, or append."""
    real = path.resolve()  # write through a symbolic link
    if not real.exists():
        replace_file(real, (block + "\n").encode())
        return "written"
    old = _content(path)
    ending = b"\r\n" if b"\r\n" in old else b"\n"
    fresh = block.encode().replace(b"\n", ending)
    start, stop = _place(path, old)
    if start == stop:  # append, after an empty line
        gap = b"" if not old else ending if old.endswith(b"\n") else ending * 2
        new = old + gap + fresh + ending
    else:
        new = old[:start] + fresh + old[stop:]
    if new == old:
        return "unchanged"
    replace_file(real, new)
    return "updated"


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        content.decode("utf-8")
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8; it is unchanged: convert it first") from error
    return content


def _place(path: Path, content: bytes) -> tuple[int, int]:
    """Return start and end of the block; without one, the end of the file twice."""
    marks = [(match[2], match.start(1), match.end(1)) for match in MARK.finditer(content)]
    if not marks:
        return len(content), len(content)
    if [name for name, _, _ in marks] != [b"begin", b"end"]:
        raise BadInput(
            f"{path} must have one line {BEGIN} followed by one line {END}, or neither; "
            "it is unchanged: correct the marks, or remove them"
        )
    return marks[0][1], marks[1][2]
