"""`seasoned learn --out FILE`: for which project a file is written, and what became of it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seasoned.api import Seasoned
from seasoned.cli.agents_block import Selection, selected
from seasoned.cli.agents_file import FileOutcome, check, text_outside, update
from seasoned.cli.learn_report import EVERY_PATTERN, best_first
from seasoned.cli.show.render import many
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.transcripts.projects import short_names

PLACEHOLDER = "{project}"
_NOT_IN_A_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class FileReport:
    """Outcome of writing the lessons of one project to a file."""

    file: str
    project: str
    lessons: int
    outcome: "FileOutcome | str"
    left_out: Mapping[str, int]
    block: str

    @property
    def text(self) -> str:
        """Return the outcome as one line."""
        of = f" of {self.project}" if self.project else ""
        reasons = ", ".join(f"{why} ({number:,})" for why, number in self.left_out.items())
        left = f" Left out {sum(self.left_out.values()):,}: {reasons}." if reasons else ""
        return f"{self.file}: {many(self.lessons, 'lesson')}{of}, {self.outcome}.{left}"


def check_place(out: Path) -> None:
    """Raise now what writing would raise after the work is done."""
    if PLACEHOLDER not in str(out):
        check(out)
    elif PLACEHOLDER not in str(out.parent) and not out.parent.is_dir():
        raise BadInput(f"folder {out.parent} does not exist; create it first")


def write_files(
    s: Seasoned, out: Path, learned: Sequence[str], named: bool, most: int, *, dry: bool
) -> list[FileReport]:
    """Write the file of the project at hand, or one for each project if the path says {project}.

    `learned` are the projects of this run; `named` says that an option named the project.
    """
    scope, known = s.inner.scope, s.known_scopes().projects
    several = [project for project in learned or known if project]
    names = short_names({*known, *several})
    if PLACEHOLDER in str(out):
        return [_write(s, out, scope, project, names, most, dry=dry) for project in several]
    project = scope.project
    if not project and not named:
        if len(several) > 1:
            listed = ", ".join(sorted(names[one] for one in several))
            raise BadInput(
                f"{out} was not written, because there are {len(several)} projects: {listed}. "
                f"Write one of them: seasoned learn --out {out} --project NAME; "
                f"or all: --out '{out.with_name(PLACEHOLDER + out.suffix)}'"
            )
        project = several[0] if several else ""
    return [_write(s, out, scope, project, names, most, dry=dry)]


def _write(
    s: Seasoned,
    out: Path,
    scope: Scope,
    project: str,
    names: Mapping[str, str],
    most: int,
    *,
    dry: bool,
) -> FileReport:
    name = names.get(project, project)
    path = Path(str(out).replace(PLACEHOLDER, _NOT_IN_A_NAME.sub("-", name).strip("-")))
    if PLACEHOLDER in str(out):
        check(path)
    chosen = lessons_for(s, Scope(scope.tenant, project, scope.user), path, most)
    outcome: FileOutcome | str = "not written: there is nothing to say"
    if dry:
        outcome = "not written: dry run"
    elif chosen.lines or path.exists():
        outcome = update(path, chosen.block())
    left_out = dict(Counter(chosen.left_out).most_common())
    return FileReport(str(path), name, chosen.lines, outcome, left_out, chosen.block())


def lessons_for(s: Seasoned, scope: Scope, path: Path, most: int) -> Selection:
    """Select the active lessons that reach a project, for one file."""
    active = s.lessons(status="active", limit=EVERY_PATTERN, scope=scope)
    return selected(best_first(active), text_outside(path), most)
