"""Show a learning run: per project what is active, what waits, what was ignored; also as JSON."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seasoned.cli.show.render import (
    console,
    heading,
    indented,
    many,
    note,
    pairs,
    say,
    table,
    words,
)
from seasoned.cli.show.shapes import error_shape, lesson_shape, problem_shape
from seasoned.core.text import one_line
from seasoned.errors.error_store import KnownError
from seasoned.lessons.lesson import Lesson
from seasoned.transcripts.item import counted

if TYPE_CHECKING:
    from rich.padding import Padding
    from rich.text import Text

    from seasoned.cli.learn_report import FixOrigin, LearnedProject, LearnReport

MOST_PROBLEMS = 20
LONGEST_PATTERN = 140
LONGEST_FIX = 300
PLURALS = {"fix": "fixes"}
# Failures that say nothing about the call, as people know them.
IGNORED = {
    "check": ("check of the work", "checks of the work"),
    "nothing_found": ("search without a result", "searches without a result"),
    "refused": ("refused call", "refused calls"),
    "cancelled": ("cancelled call", "cancelled calls"),
}


def show_run(learned: "LearnReport", *, most: int, dry: bool) -> None:
    """Print the sum of a run, then its projects."""
    report = learned.report
    read = many(report.files, "file")
    if report.skipped_files:
        read += f" ({report.skipped_files:,} more learned before)"
    told = [
        f"{many(report.calls, 'call')} in {many(len(report.sessions), 'session')}",
        many(report.failures, "failure"),
        many(report.corrections, "correction"),
    ]
    say(f"{read}: {', '.join(told)}.")
    for project in learned.projects:
        show_project(project, most=most, dry=dry)


def show_project(project: "LearnedProject", *, most: int, dry: bool) -> None:
    title = words(f"\n{project.name or 'No project'}", "bold")
    if project.project != project.name:
        title.append_text(words(f"  {project.project}", "not bold dim"))
    new = sum(one.id in project.new for one in project.active)
    active = _kinds(project.active) or "nothing"
    if project.active and new < len(project.active):
        active += f" ({new:,} new, the others with more evidence)"
    rows = [("active", active)]
    if project.waiting:
        waiting = _kinds(project.waiting)
        option = f" --project {project.name}" if project.name else ""
        rows.append(("waiting", waiting if dry else f"{waiting}: `seasoned review{option}`"))
    if ignored := _ignored(project):
        rows.append(("ignored", ignored))
    say(title, pairs(rows))
    waiting = project.waiting if dry else ()  # else the review shows them
    for mark, lessons in (("✓", project.active), ("?", waiting)):
        for lesson in lessons[:most]:
            say(*_told(mark, lesson, project.said.get(lesson.id, "")))
        if len(lessons) > most:
            say(words(f"    … and {len(lessons) - most:,} more (--most N, --json)", "dim"))


def _kinds(lessons: Sequence[Lesson]) -> str:
    """Count lessons by kind: `2 rules, 1 fix`."""
    counts = Counter(lesson.kind for lesson in lessons)
    return ", ".join(many(n, kind, PLURALS.get(kind)) for kind, n in counts.most_common())


def _ignored(project: "LearnedProject") -> str:
    """Say what taught nothing, and why."""
    counts = project.counts
    natures = [
        many(counts.natures[name], *said) for name, said in IGNORED.items() if counts.natures[name]
    ]
    parts: list[str] = []
    if natures:
        number = sum(counts.natures[name] for name in IGNORED)
        parts.append(f"{number:,} of {many(counts.failures, 'failure')} ({', '.join(natures)})")
    if without := counts.without_rule.total():
        parts.append(f"{without:,} of {many(counts.corrections, 'correction')} (no lasting rule)")
    return "; ".join(parts)


def _told(mark: str, lesson: Lesson, said: str) -> "list[Padding | Text]":
    """Return a lesson as two lines: the error or the user's words, and what follows from it."""
    tool = f"{lesson.fix.tool}: " if lesson.fix and lesson.fix.tool else ""
    when = f"“{one_line(said, LONGEST_PATTERN)}”" if said else lesson.kind
    when = tool + one_line(lesson.trigger, LONGEST_PATTERN) if lesson.fix else when
    content = one_line(lesson.content, LONGEST_FIX)
    return [_line(f"{mark} {lesson.id}  {when}", 2, "dim"), _line(f"→ {content}", 4)]


def _line(text: str, by: int, style: str = "") -> "Padding | Text":
    """Indent a text; in a pipe it is not wrapped, so that it can be searched and copied."""
    if console().is_terminal:
        return indented(text, style, by)
    return words(" " * by + text)


def show_numbers(learned: "LearnReport") -> None:
    report = learned.report
    formats = ", ".join(f"{name} × {n}" for name, n in report.formats.most_common())
    active = sum(origin.fix.status == "active" for origin in learned.fixes)
    rules = {one.rule.id for one in report.rules if one.rule}
    share = f"{report.failures / report.calls:.0%} of the calls" if report.calls else ""
    say(
        pairs(
            [
                ("files", f"{report.files:,}  ({formats})"),
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
        (
            *(str(times), one_line(error.tool or "any", 16), error.category),
            one_line(error.template, LONGEST_PATTERN),
        )
        for error, times in recurring[:most]
    ]
    say(heading("Recurring errors"), table((">times", "tool", "category", "pattern"), rows))
    say_more(len(recurring) - most)


def show_fixes(fixes: "Sequence[FixOrigin]", *, most: int) -> None:
    if not fixes:
        return
    rows = [fix_row(origin) for origin in fixes[:most]]
    say(
        heading("Fixes that worked"),
        table((">conf.", "from", "id", "when this fails → do that"), rows),
    )
    say_more(len(fixes) - most)


def fix_row(origin: "FixOrigin") -> tuple[str, str, str, "Text"]:
    fix = origin.fix
    where = many(origin.episodes, "episode") if origin.episodes else f"the {fix.source}"
    if len(origin.sessions) > 1:
        where += f"\n{many(len(origin.sessions), 'session')}"
    tool = f"{fix.fix.tool}: " if fix.fix and fix.fix.tool else ""
    told = words(tool + one_line(fix.trigger, LONGEST_PATTERN), "dim")
    told.append_text(words(f"\n→ {one_line(fix.content, LONGEST_FIX)}", "not dim"))
    return f"{fix.confidence:.2f}", where, fix.id, told


def say_more(left: int) -> None:
    if left > 0:
        say(words(f"… and {left:,} more", "dim"))


def show_problems(learned: "LearnReport") -> None:
    """Print unusable lines on stderr as file:line: reason; files of no known format come last."""
    from seasoned.transcripts.reader import UNKNOWN

    unknown = [one for one in learned.report.problems if one.reason.startswith(UNKNOWN)]
    problems = [one for one in learned.report.problems if one not in unknown] + unknown
    for problem in problems[:MOST_PROBLEMS]:
        note(str(problem))
    if len(problems) > MOST_PROBLEMS:
        note(f"… and {many(len(problems) - MOST_PROBLEMS, 'more problem')} (--json lists all)")
    if unknown:
        note("For a log of your own, docs/transcripts.md shows a simple format that is read.")


def show_unused(learned: "LearnReport") -> None:
    """Say what in sound files taught nothing, for each format and reason."""
    unused = learned.report.unused
    if not unused:
        return
    say(words("\nLeft out:", "dim"))
    for part in sorted(unused, key=lambda one: (one.format, one.reason)):
        where = f"{many(len(part.files), 'file')} ({part.format})"
        what = counted(part.count, part.thing)
        say(_line(f"{where}: {what}{part.reason}", 2, "dim"))


def learned_shape(learned: "LearnReport") -> dict[str, Any]:
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
        "projects": [project_shape(one) for one in learned.projects],
        "problems": [problem_shape(problem) for problem in report.problems],
        "unused": [
            {
                "format": part.format,
                "reason": part.reason,
                "thing": part.thing,
                "count": part.count,
                "files": [str(path) for path in part.files],
            }
            for part in report.unused
        ],
    }


def project_shape(learned: "LearnedProject") -> dict[str, Any]:
    counts = learned.counts
    return {
        "project": learned.project,
        "name": learned.name,
        "users": sorted(counts.users - {""}),
        "sessions": len(counts.sessions),
        "calls": counts.calls,
        "failures": counts.failures,
        "natures": dict(counts.natures),
        "corrections": counts.corrections,
        "corrections_without_rule": dict(counts.without_rule),
        "active": [_news_shape(one, learned) for one in learned.active],
        "waiting": [_news_shape(one, learned) for one in learned.waiting],
    }


def _news_shape(lesson: Lesson, learned: "LearnedProject") -> dict[str, Any]:
    return {**lesson_shape(lesson), "new": lesson.id in learned.new}
