"""A learning run and its results: per project what is active, what waits, what taught nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seasoned.api import Seasoned
from seasoned.core.events import LessonChanged, LessonLearned
from seasoned.core.scope import Scope
from seasoned.errors.error_store import KnownError
from seasoned.lessons.lesson import Lesson
from seasoned.transcripts.history import HistoryReport, Progress, ProjectReport
from seasoned.transcripts.projects import short_names

EVERY_PATTERN = 100_000
EVIDENCE_SHOWN = 200  # an explanation lists at most this many pieces
MOST_FIXES = 200  # with their origin


@dataclass(frozen=True, slots=True)
class FixOrigin:
    """A fix with the episodes and sessions that taught it."""

    fix: Lesson
    episodes: int
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LearnedProject:
    """Lessons of one project from a run; `name` is short and unique among the known ones."""

    project: str
    name: str
    counts: ProjectReport
    active: Sequence[Lesson]  # new or changed, best first
    waiting: Sequence[Lesson]  # candidates, new or changed
    new: frozenset[str]  # ids of lessons that were not there before
    said: Mapping[str, str]  # the user's words by the id of their rule


@dataclass(frozen=True, slots=True)
class LearnReport:
    """Result of a run over transcripts."""

    report: HistoryReport
    interrupted: bool
    patterns: Sequence[tuple[KnownError, int]]  # with their occurrences in this run
    new_patterns: int
    known_patterns: int
    fixes: Sequence[FixOrigin]  # new or changed, best first
    new_fixes: int
    projects: Sequence[LearnedProject]

    @property
    def nothing_new(self) -> bool:
        return self.report.calls == 0 and self.report.corrections == 0

    @property
    def nothing_read(self) -> bool:
        """Whether no file held anything usable, now or in earlier runs."""
        report = self.report
        useful = report.calls + report.known_calls + report.messages + report.skipped_files
        return useful == 0 and bool(report.problems)


class RunListener:
    """Note which lessons a run creates or changes, and the latest report."""

    def __init__(self, progress: Progress | None) -> None:
        self.created: set[str] = set()
        self.changed: set[str] = set()
        self.report = HistoryReport()
        self._progress = progress

    def learned(self, event: LessonLearned) -> None:
        self.created.add(event.lesson)

    def believed(self, event: LessonChanged) -> None:
        self.changed.add(event.lesson)

    def read(self, path: Path, report: HistoryReport) -> None:
        self.report = report
        if self._progress:
            self._progress(path, report)


def learned_from(
    s: Seasoned,
    files: Sequence[Path],
    progress: Progress | None = None,
    *,
    project: str | None = None,
    user: str | None = None,
) -> LearnReport:
    """Learn from files; if interrupted, report what was learned so far."""
    before = {error.id: error.seen for error in _errors(s)}
    listener, interrupted = RunListener(progress), False
    s.on(LessonLearned, listener.learned)
    s.on(LessonChanged, listener.believed)
    try:
        listener.report = s.learn(files, progress=listener.read, project=project, user=user)
    except KeyboardInterrupt:
        interrupted = True
    known = _errors(s)
    counted = [(error, error.seen - before.get(error.id, 0)) for error in known]
    patterns = sorted(((e, n) for e, n in counted if n > 0), key=lambda pair: -pair[1])
    touched = best_first(s.lessons_by_id(sorted(listener.created | listener.changed)))
    fixes = [one for one in touched if one.kind == "fix"]
    return LearnReport(
        report=listener.report,
        interrupted=interrupted,
        patterns=patterns,
        new_patterns=sum(error.id not in before for error, _ in patterns),
        known_patterns=len(known),
        fixes=[origin_of(s, fix) for fix in fixes[:MOST_FIXES]],
        new_fixes=sum(fix.id in listener.created for fix in fixes),
        projects=_by_project(s, listener, touched),
    )


def _errors(s: Seasoned) -> list[KnownError]:
    """Return the error patterns of all projects."""
    scopes = [Scope(s.inner.scope.tenant, name) for name in ("", *s.known_scopes().projects)]
    return [one for scope in scopes for one in s.errors(limit=EVERY_PATTERN, scope=scope)]


def _by_project(
    s: Seasoned, listener: RunListener, touched: Sequence[Lesson]
) -> list[LearnedProject]:
    """Group the lessons of a run; a rule for a single session and an example are no news."""
    names = short_names(s.known_scopes().projects)
    news = [one for one in touched if one.kind != "example" and not one.scope.session]
    said = {one.rule.id: one.case.message for one in listener.report.rules if one.rule}
    found = {*listener.report.projects, *(one.scope.project for one in news)}
    return [
        LearnedProject(
            project,
            names.get(project, project),
            listener.report.projects.get(project, ProjectReport()),
            [one for one in news if one.scope.project == project and one.status == "active"],
            [one for one in news if one.scope.project == project and one.status == "candidate"],
            frozenset(listener.created),
            said,
        )
        for project in sorted(found)
    ]


def best_first(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Sort lessons: explicit ones first, then by confidence times evidence."""
    return sorted(
        lessons,
        key=lambda one: (not one.explicit, -one.confidence * evidence_of(one), one.id),
    )


def evidence_of(lesson: Lesson) -> float:
    return lesson.belief.worked + lesson.belief.failed


def origin_of(s: Seasoned, fix: Lesson) -> FixOrigin:
    """Count the episodes that taught a fix (each left a quote of the error), and their sessions."""
    evidence = s.why(fix.id, scope=fix.scope).evidence
    taught = [one for one in evidence if one.quote]
    # A long list of evidence is cut; then the belief's count stands for it.
    number = len(taught) if len(evidence) < EVIDENCE_SHOWN else round(fix.belief.worked) - 1
    return FixOrigin(fix, number, tuple(dict.fromkeys(one.session for one in taught)))
