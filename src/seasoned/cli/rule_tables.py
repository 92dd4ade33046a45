"""How rules look to people: in a list, in full, and two that contradict each other side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.cli.render import heading, many, pairs, say, table, words
from seasoned.cli.rule_shapes import type_name
from seasoned.core.clock import SystemClock, ago, iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from seasoned.faces.rule_story import RuleStory
    from seasoned.learning.conflicts import Conflict
    from seasoned.learning.lesson import Evidence, Lesson

LONGEST = 300
LONGEST_QUOTE = 200
STATUS_STYLES = {"active": "green", "candidate": "yellow"}


def age(at: int, now: int) -> str:
    """How old something is.

    >>> age(0, 7_200_000_000), age(0, 5)
    ('2 h', 'new')
    """
    passed = ago(at, now)
    return "new" if passed == "just now" else passed.removesuffix(" ago")


def below(first: str, second: str, style: str = "") -> "Text":
    """Two lines of a cell, the second one quieter."""
    cell = words(first, style)
    return cell.append_text(words(f"\n{second}", "not bold dim")) if second else cell


def rule_table(rules: Sequence["Lesson"]) -> "Table":
    """Two lines a rule at least: so much about it leaves little room for what it says."""
    now = SystemClock().now()
    columns = ("id, type", "status, age", ">conf.", ">applied", "rule")
    return table(columns, [_row(rule, now) for rule in rules])


def _row(rule: "Lesson", now: int) -> tuple["str | Text", ...]:
    status = below(rule.status, age(rule.created_at, now), STATUS_STYLES.get(rule.status, "dim"))
    return (
        below(rule.id, type_name(rule)),
        status,
        f"{rule.confidence:.2f}",
        f"{rule.times_given:,}",
        said(rule),
    )


def said(rule: "Lesson") -> "Text":
    """What it says, and quieter what not to do, what no reply may hold, and whom it is for."""
    detail = rule.rule
    told = words(one_line(rule.content, LONGEST) or "(erased)")
    if detail and detail.poison:
        told.append_text(words(f"\n✗ {one_line(detail.poison, LONGEST_QUOTE)}", "dim"))
    if detail and detail.guard:
        told.append_text(words(f"\nguard: {one_line(detail.guard.value, 80)}", "dim"))
    provisional = "provisional, " if detail and detail.provisional_of else ""
    if whom := for_whom(rule):
        told.append_text(words(f"\n{provisional}for {one_line(whom, 100)}", "dim"))
    return told


def for_whom(lesson: "Lesson") -> str:
    """Whose it is; empty when it is everybody's."""
    names = ("tenant", "project", "user", "session")
    fields = zip(names, lesson.scope.fields(), strict=True)
    return ", ".join(f"{name} {value}" for name, value in fields if value)


def show_story(story: "RuleStory") -> None:
    """Everything that is known of a rule."""
    say(words(story.rule.id, "bold"), pairs([row for row in _facts(story) if row[1]]))
    quoted = [one for one in story.evidence if one.quote]
    if story.corrections:
        say(heading("Corrections it came from"))
        rows = [
            (
                iso(one.at)[:10],
                one.outcome,
                below(f"“{one_line(one.message, 400)}”", _from(one.id, one.scope.session)),
            )
            for one in story.corrections
        ]
        say(table(("said on", "outcome", "correction"), rows))
    elif quoted:
        say(heading("Said in these words"), _quotes(quoted))
    if story.conflicts:
        say(heading("Contradicts"))
        rows = [
            (one.id, other.id, below(one_line(other.content, LONGEST), _why(one, story.rule)))
            for one, other in story.conflicts
        ]
        say(table(("conflict", "rule", "which says"), rows))
    if story.examples:
        say(heading("Examples"), example_table(story.examples))


def _facts(story: "RuleStory") -> list[tuple[str, str]]:
    rule, detail = story.rule, story.rule.rule
    belief = rule.belief
    guard = detail.guard if detail else None
    replaced = story.superseded_by
    return [
        ("rule", rule.content or "(erased)"),
        ("not", (detail.poison or "") if detail else ""),
        ("when", rule.trigger or "always"),
        ("type", type_name(rule)),
        ("status", rule.status),
        ("guard", f"{guard.kind}: {guard.value}" if guard else ""),
        ("asked", (detail.fewshot_user or "") if detail else ""),
        ("answer", (detail.fewshot_assistant or "") if detail else ""),
        ("confidence", f"{rule.confidence:.2f} ({belief.worked:.3g} : {belief.failed:.3g})"),
        ("source", f"{rule.source} (trust: {rule.trust})"),
        ("for", for_whom(rule) or "everybody"),
        ("created", iso(rule.created_at)),
        ("updated", iso(rule.updated_at)),
        ("applied", _applied(rule)),
        ("stands for", _standing(rule)),
        ("superseded by", f"{replaced.id}: {one_line(replaced.content)}" if replaced else ""),
        ("supersedes", "; ".join(f"{one.id}: {one_line(one.content)}" for one in story.supersedes)),
    ]


def _applied(rule: "Lesson") -> str:
    last = f", last {iso(rule.last_given_at)}" if rule.last_given_at else ""
    return many(rule.times_given, "time") + last


def _standing(rule: "Lesson") -> str:
    of = rule.rule.provisional_of if rule.rule else None
    return f"correction {of}, in its session alone" if of else ""


def _from(correction: str, session: str) -> str:
    return f"correction {correction}" + (f", session {session}" if session else "")


def _quotes(evidence: "Sequence[Evidence]") -> "Table":
    rows = [
        (
            iso(one.at)[:10],
            below(f"“{one_line(one.quote, 400)}”", f"session {one.session}" if one.session else ""),
        )
        for one in evidence
    ]
    return table(("said on", "words"), rows)


def _why(conflict: "Conflict", rule: "Lesson") -> str:
    if conflict.resolved_at is not None:
        return f"{conflict.reason}; decided: keep {conflict.resolution}"
    if conflict.winner is None:
        return f"{conflict.reason}; open, each is followed where it fits better"
    followed = "this one" if conflict.winner == rule.id else "that one"
    return f"{conflict.reason}; open, {followed} is followed meanwhile"


def show_dispute(conflict: "Conflict", earlier: "Lesson", later: "Lesson", now: int) -> None:
    """Two rules side by side, which one is followed, and why they cannot both be."""
    found = ago(conflict.found_at, now)
    state = f"decided: keep {conflict.resolution}" if conflict.resolution else "open"
    title = words(conflict.id, "bold").append_text(
        words(f"  {state}, found {found}", "not bold dim")
    )
    say(title, _sides(conflict, earlier, later), words(f"  because {conflict.reason}", "dim"), "")


def _sides(conflict: "Conflict", earlier: "Lesson", later: "Lesson") -> "Table":
    from rich.table import Table

    grid = Table.grid(padding=(0, 0, 0, 2), pad_edge=True, expand=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_column(ratio=1, overflow="fold")
    grid.add_row(_side("earlier", earlier, conflict), _side("later", later, conflict))
    return grid


def _side(name: str, rule: "Lesson", conflict: "Conflict") -> "Text":
    followed = conflict.winner in (rule.id, None)
    cell = words(f"{name}, followed" if followed else name, "bold" if followed else "dim")
    cell.append_text(words(f"\n{rule.id}  {rule.status}, {rule.source}", "not bold dim"))
    return cell.append_text(words(f"\n{one_line(rule.content, LONGEST)}", "not bold not dim"))


def example_table(examples: Sequence["Lesson"]) -> "Table":
    now = SystemClock().now()
    return table(
        ("id", "example, age", ">shown", "request → reply"),
        [_example_row(one, now) for one in examples],
    )


def _example_row(example: "Lesson", now: int) -> tuple["str | Text", ...]:
    shown = example.example
    polarity = shown.polarity if shown else ""
    note = shown.note if shown else ""
    told = words(one_line(example.trigger, 140), "dim")
    told.append_text(words(f"\n→ {one_line(example.content, LONGEST)}", "not dim"))
    if note:
        told.append_text(words(f"\n“{one_line(note, LONGEST_QUOTE)}”", "dim"))
    style = {"positive": "green", "negative": "red"}.get(polarity, "")
    return (
        example.id,
        below(polarity, age(example.created_at, now), style),
        f"{example.times_given:,}",
        told,
    )
