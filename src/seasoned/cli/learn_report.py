"""Results of a learning run: recurring errors, fixes with their origin, rules; JSON and tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seasoned.api import Seasoned
from seasoned.cli.show.render import heading, many, note, pairs, say, table, words
from seasoned.cli.show.shapes import error_shape, lesson_shape, problem_shape
from seasoned.core.events import LessonChanged, LessonLearned
from seasoned.core.text import one_line
from seasoned.errors.error_store import KnownError
from seasoned.lessons.lesson import Lesson
from seasoned.transcripts.history import HistoryReport, Progress

if TYPE_CHECKING:
    from rich.text import Text

    from seasoned.rules.learner import CaseResult as LearnedRule


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
class LearnReport:
    """Result of a run over transcripts."""

    report: HistoryReport
    interrupted: bool
    patterns: Sequence[tuple[KnownError, int]]  # with their occurrences in this run
    new_patterns: int
    known_patterns: int
    fixes: Sequence[FixOrigin]  # new or changed, best first
    new_fixes: int

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
    s: Seasoned, files: Sequence[Path], progress: Progress | None = None
) -> LearnReport:
    """Learn from files; if interrupted, report what was learned so far."""
    before = {error.id: error.seen for error in s.errors(limit=EVERY_PATTERN)}
    listener, interrupted = RunListener(progress), False
    s.on(LessonLearned, listener.learned)
    s.on(LessonChanged, listener.believed)
    try:
        listener.report = s.learn(files, progress=listener.read)
    except KeyboardInterrupt:
        interrupted = True
    known = s.errors(limit=EVERY_PATTERN)
    counted = [(error, error.seen - before.get(error.id, 0)) for error in known]
    patterns = sorted(((e, n) for e, n in counted if n > 0), key=lambda pair: -pair[1])
    active = s.lessons(kind="fix", limit=EVERY_PATTERN)
    touched = [fix for fix in active if fix.id in listener.created | listener.changed]
    return LearnReport(
        report=listener.report,
        interrupted=interrupted,
        patterns=patterns,
        new_patterns=sum(error.id not in before for error, _ in patterns),
        known_patterns=len(known),
        fixes=[origin_of(s, fix) for fix in best_first(touched)[:MOST_FIXES]],
        new_fixes=sum(fix.id in listener.created for fix in touched),
    )


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
    evidence = s.why(fix.id).evidence
    taught = [one for one in evidence if one.quote]
    # A long list of evidence is cut; then the belief's count stands for it.
    number = len(taught) if len(evidence) < EVIDENCE_SHOWN else round(fix.belief.worked) - 1
    return FixOrigin(fix, number, tuple(dict.fromkeys(one.session for one in taught)))


def learned_shape(learned: LearnReport) -> dict[str, Any]:
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
        "corrections_of_unknown_people": report.unattributed,
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


MOST_PROBLEMS = 20
LONGEST_PATTERN = 140
LONGEST_FIX = 300


def show_learned(learned: LearnReport, *, most: int) -> None:
    """Print counts, recurring errors, fixes and rules."""
    show_numbers(learned)
    show_patterns(learned.patterns, most=most)
    show_fixes(learned.fixes, most=most)
    show_rules(learned.report.rules, most=most)
    if max(map(len, (learned.patterns, learned.fixes, learned.report.rules))) > most:
        say("", words("--most N shows more, --json all.", "dim"))


def show_numbers(learned: LearnReport) -> None:
    report = learned.report
    formats = ", ".join(f"{name} × {n}" for name, n in report.formats.most_common())
    before = (
        f", {many(report.skipped_files, 'file')} learned before" if report.skipped_files else ""
    )
    active = sum(origin.fix.status == "active" for origin in learned.fixes)
    rules = {one.rule.id for one in report.rules if one.rule}
    share = f"{report.failures / report.calls:.0%} of the calls" if report.calls else ""
    say(
        pairs(
            [
                ("files", f"{report.files:,}  ({formats}{before})"),
                ("tool calls", f"{report.calls:,}  (in {many(len(report.sessions), 'session')})"),
                ("failures", f"{report.failures:,}  ({share})"),
                ("error patterns", f"{len(learned.patterns):,}  ({learned.new_patterns:,} new)"),
                (
                    "fixes",
                    f"{len(learned.fixes):,}  ({learned.new_fixes:,} new; {active:,} confident "
                    "enough to suggest)",
                ),
                ("corrections", f"{report.corrections:,}  ({many(len(rules), 'rule')})"),
            ]
        )
    )


def show_patterns(patterns: Sequence[tuple[KnownError, int]], *, most: int) -> None:
    recurring = [(error, times) for error, times in patterns if times > 1]
    if not recurring:
        return
    rows = [
        (str(times), one_line(error.tool or "any", 16), error.category, pattern_of(error))
        for error, times in recurring[:most]
    ]
    say(heading("Recurring errors"), table((">times", "tool", "category", "pattern"), rows))
    say_more(len(recurring) - most)


def show_fixes(fixes: Sequence[FixOrigin], *, most: int) -> None:
    if not fixes:
        return
    rows = [fix_row(origin) for origin in fixes[:most]]
    say(
        heading("Fixes that worked"),
        table((">conf.", "from", "id", "when this fails → do that"), rows),
    )
    say_more(len(fixes) - most)


def show_rules(learned: "Sequence[LearnedRule]", *, most: int) -> None:
    if not learned:
        return
    rows = [rule_row(one) for one in learned[:most]]
    say(heading("Corrections by users"), table(("session", "id", "said → rule"), rows))
    say_more(len(learned) - most)


def rule_row(one: "LearnedRule") -> tuple[str, str, "Text"]:
    assert one.rule is not None, "the caller filters out corrections without a rule"
    told = words(f"“{one_line(one.case.message, LONGEST_PATTERN)}”", "dim")
    told.append_text(words(f"\n→ {one_line(one.rule.content, LONGEST_FIX)}", "not dim"))
    return one_line(one.case.scope.session, 16), one.rule.id, told


def fix_row(origin: FixOrigin) -> tuple[str, str, str, "Text"]:
    fix = origin.fix
    where = many(origin.episodes, "episode") if origin.episodes else f"the {fix.source}"
    if len(origin.sessions) > 1:
        where += f"\n{many(len(origin.sessions), 'session')}"
    if fix.status == "candidate":  # not suggested until there is more evidence
        where += "\ncandidate"
    tool = f"{fix.fix.tool}: " if fix.fix and fix.fix.tool else ""
    told = words(tool + one_line(fix.trigger, LONGEST_PATTERN), "dim")
    told.append_text(words(f"\n→ {one_line(fix.content, LONGEST_FIX)}", "not dim"))
    return f"{fix.confidence:.2f}", where, fix.id, told


def pattern_of(error: KnownError) -> str:
    return one_line(error.template, LONGEST_PATTERN)


def say_more(left: int) -> None:
    if left > 0:
        say(words(f"… and {left:,} more", "dim"))


def show_problems(learned: LearnReport) -> None:
    """Print unusable lines on stderr as file:line: reason."""
    problems = learned.report.problems
    for problem in problems[:MOST_PROBLEMS]:
        note(str(problem))
    if len(problems) > MOST_PROBLEMS:
        note(f"… and {many(len(problems) - MOST_PROBLEMS, 'more problem')} (--json lists all)")
