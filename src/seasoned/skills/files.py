"""Skills as files: a SKILL.md, a folder that holds one, or a folder of such folders."""

from collections.abc import Iterator
from pathlib import Path

from seasoned.core.errors import BadInput, NotFound
from seasoned.skills.skill import LONGEST_BODY, Skill, skill_from, skill_text

FILE = "SKILL.md"
LARGEST = 4 * LONGEST_BODY + 40_000  # bytes


def skills_in(path: Path) -> Iterator[tuple[Path, Skill]]:
    """Each skill that stands there, with its file."""
    for file in _files(path):
        yield file, read_skill(file)


def read_skill(file: Path) -> Skill:
    try:
        if file.stat().st_size > LARGEST:
            raise BadInput(f"{file} has {file.stat().st_size} bytes; a skill has at most {LARGEST}")
        text = file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is no UTF-8 text: {error}") from error
    except OSError as error:
        raise NotFound(f"{file} cannot be read: {error.strerror or error}") from error
    return skill_from(text, str(file))


def write_skill(skill: Skill, folder: Path, *, replace: bool = False) -> Path:
    """Writes `folder/NAME/SKILL.md`; one that is there already stays, unless it may be replaced."""
    file = folder / skill.name / FILE
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w" if replace else "x", encoding="utf-8") as out:
            out.write(skill_text(skill))
    except FileExistsError as error:
        raise BadInput(f"{file} is there already; --force replaces it") from error
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror or error}") from error
    return file


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise NotFound(f"there is no file or folder {path}")
    own = path / FILE
    found = [own] if own.is_file() else sorted(path.glob(f"*/{FILE}"))
    if not found:
        raise NotFound(f"{path} holds no {FILE}, and no folder in it does")
    return found
