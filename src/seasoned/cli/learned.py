"""Learns from transcripts and gathers what came of it: errors that recur, fixes, their origin."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seasoned.cli.shapes import error_shape, lesson_shape, problem_shape
from seasoned.core.events import LessonChanged, LessonLearned
from seasoned.facade import Seasoned
from seasoned.learning.error_store import KnownError
from seasoned.learning.history import HistoryReport, Progress
from seasoned.learning.lesson import Lesson

EVERY_PATTERN = 100_000
EVIDENCE_SHOWN = 200  # pieces that an explanation shows at most
MOST_FIXES = 200  # whose origin is looked up and shown


@dataclass(frozen=True, slots=True)
class Origin:
    """A fix, and where it comes from."""

    fix: Lesson
    episodes: int
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Learned:
    """What a run came to."""

    report: HistoryReport
    interrupted: bool
    patterns: Sequence[tuple[KnownError, int]]  # with how often each occurred in this run
    new_patterns: int
    known_patterns: int
    fixes: Sequence[Origin]  # that this run began or changed, the best first
    new_fixes: int

    @property
    def nothing_new(self) -> bool:
        return self.report.calls == 0 and self.report.corrections == 0

    @property
    def nothing_read(self) -> bool:
        """Not one file gave anything at all, now or before."""
        report = self.report
        useful = report.calls + report.known_calls + report.messages + report.skipped_files
        return useful == 0 and bool(report.problems)


class Witness:
    """Hears which lessons a run begins or changes, and keeps the report as it grows."""

    def __init__(self, progress: Progress | None) -> None:
        self.begun: set[str] = set()
        self.changed: set[str] = set()
        self.report = HistoryReport()
        self._progress = progress

    def learned(self, event: LessonLearned) -> None:
        self.begun.add(event.lesson)

    def believed(self, event: LessonChanged) -> None:
        self.changed.add(event.lesson)

    def read(self, path: Path, report: HistoryReport) -> None:
        self.report = report
        if self._progress:
            self._progress(path, report)


def learned_from(s: Seasoned, files: Sequence[Path], progress: Progress | None = None) -> Learned:
    """Learns; when interrupted, what was learned up to then."""
    before = {error.id: error.seen for error in s.errors(limit=EVERY_PATTERN)}
    witness, interrupted = Witness(progress), False
    s.on(LessonLearned, witness.learned)
    s.on(LessonChanged, witness.believed)
    try:
        witness.report = s.learn(files, progress=witness.read)
    except KeyboardInterrupt:
        interrupted = True
    known = s.errors(limit=EVERY_PATTERN)
    counted = [(error, error.seen - before.get(error.id, 0)) for error in known]
    patterns = sorted(((e, n) for e, n in counted if n > 0), key=lambda pair: -pair[1])
    active = s.lessons(kind="fix", limit=EVERY_PATTERN)
    touched = [fix for fix in active if fix.id in witness.begun | witness.changed]
    return Learned(
        report=witness.report,
        interrupted=interrupted,
        patterns=patterns,
        new_patterns=sum(error.id not in before for error, _ in patterns),
        known_patterns=len(known),
        fixes=[origin_of(s, fix) for fix in best_first(touched)[:MOST_FIXES]],
        new_fixes=sum(fix.id in witness.begun for fix in touched),
    )


def best_first(lessons: Sequence[Lesson]) -> list[Lesson]:
    """What was said outright, then by confidence and by how much stands behind it."""
    return sorted(
        lessons,
        key=lambda one: (not one.explicit, -one.confidence * evidence_of(one), one.id),
    )


def evidence_of(lesson: Lesson) -> float:
    return lesson.belief.worked + lesson.belief.failed


def origin_of(s: Seasoned, fix: Lesson) -> Origin:
    """How many episodes taught it (each left the error's words as a quote), in which sessions."""
    evidence = s.why(fix.id).evidence
    taught = [one for one in evidence if one.quote]
    # Of a long list only the beginning comes; then the belief itself has kept count.
    number = len(taught) if len(evidence) < EVIDENCE_SHOWN else round(fix.belief.worked) - 1
    return Origin(fix, number, tuple(dict.fromkeys(one.session for one in taught)))


def learned_shape(learned: Learned) -> dict[str, Any]:
    report = learned.report
    return {
        "interrupted": learned.interrupted,
        "files": report.files,
        "files_learned_before": report.skipped_files,
        "formats": dict(report.formats),
        "sessions": len(report.sessions),
        "messages": report.messages,
        "calls": report.calls,
        "calls_learned_before": report.known_calls,
        "failures": report.failures,
        "patterns": {
            "distinct": len(learned.patterns),
            "new": learned.new_patterns,
            "known": learned.known_patterns,
        },
        "errors": [{**error_shape(e), "seen_in_this_run": n} for e, n in learned.patterns],
        "new_fixes": learned.new_fixes,
        "fixes": [
            {
                **lesson_shape(origin.fix),
                "episodes": origin.episodes,
                "sessions": list(origin.sessions),
            }
            for origin in learned.fixes
        ],
        "corrections": report.corrections,
        "corrections_learned_before": report.known_corrections,
        "rules": [
            {
                **lesson_shape(one.rule),
                "outcome": one.outcome,
                "said": one.case.message,
                "request": one.case.request,
                "session": one.case.scope.session,
            }
            for one in report.rules
            if one.rule is not None
        ],
        "problems": [problem_shape(problem) for problem in report.problems],
    }
