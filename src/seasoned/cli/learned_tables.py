"""Shows people what was learned from transcripts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.cli.learned import Learned, Origin
from seasoned.cli.render import heading, many, note, pairs, say, table, words
from seasoned.core.text import one_line
from seasoned.learning.error_store import KnownError

if TYPE_CHECKING:
    from rich.text import Text

    from seasoned.learning.learner import Learned as FromCase

MOST_PROBLEMS = 20
LONGEST_PATTERN = 140
LONGEST_FIX = 300


def show_learned(learned: Learned, *, most: int) -> None:
    """The numbers, the errors that recur, the fixes."""
    show_numbers(learned)
    show_patterns(learned.patterns, most=most)
    show_fixes(learned.fixes, most=most)
    show_rules(learned.report.rules, most=most)
    if max(map(len, (learned.patterns, learned.fixes, learned.report.rules))) > most:
        say("", words("--most shows more of them, --json all.", "dim"))


def show_numbers(learned: Learned) -> None:
    report = learned.report
    formats = ", ".join(f"{name} × {n}" for name, n in report.formats.most_common())
    before = f", {many(report.skipped_files, 'file')} known before" if report.skipped_files else ""
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
                    f"{len(learned.fixes):,}  ({learned.new_fixes:,} new; {active:,} believed "
                    "enough to be suggested)",
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
    say(heading("Errors that came again"), table((">times", "tool", "category", "pattern"), rows))
    say_more(len(recurring) - most)


def show_fixes(fixes: Sequence[Origin], *, most: int) -> None:
    if not fixes:
        return
    rows = [fix_row(origin) for origin in fixes[:most]]
    say(
        heading("Fixes that worked"),
        table((">conf.", "from", "id", "when this fails → do that"), rows),
    )
    say_more(len(fixes) - most)


def show_rules(learned: "Sequence[FromCase]", *, most: int) -> None:
    if not learned:
        return
    rows = [rule_row(one) for one in learned[:most]]
    say(heading("What users corrected"), table(("session", "id", "said → rule"), rows))
    say_more(len(learned) - most)


def rule_row(one: "FromCase") -> tuple[str, str, "Text"]:
    assert one.rule is not None, "only what became a rule is shown"
    told = words(f"“{one_line(one.case.message, LONGEST_PATTERN)}”", "dim")
    told.append_text(words(f"\n→ {one_line(one.rule.content, LONGEST_FIX)}", "not dim"))
    return one_line(one.case.scope.session, 16), one.rule.id, told


def fix_row(origin: Origin) -> tuple[str, str, str, "Text"]:
    fix = origin.fix
    where = many(origin.episodes, "episode") if origin.episodes else f"the {fix.source}"
    if len(origin.sessions) > 1:
        where += f"\n{many(len(origin.sessions), 'session')}"
    if fix.status == "candidate":  # stored, but not suggested before more speaks for it
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


def show_problems(learned: Learned) -> None:
    """What could not be used, as file:line: reason, on stderr."""
    problems = learned.report.problems
    for problem in problems[:MOST_PROBLEMS]:
        note(str(problem))
    if len(problems) > MOST_PROBLEMS:
        note(f"… and {many(len(problems) - MOST_PROBLEMS, 'more problem')} (--json shows them all)")
