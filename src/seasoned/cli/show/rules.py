"""Rules, conflicts and examples as JSON and as tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seasoned.cli.show.render import heading, many, pairs, say, table, words
from seasoned.cli.show.shapes import evidence_shape, lesson_shape
from seasoned.core.clock import SystemClock, ago, iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from seasoned.api.rules import RuleStory
    from seasoned.lessons.lesson import Evidence, Lesson
    from seasoned.rules.conflicts import Conflict
    from seasoned.rules.rulebook import Violation


def rule_shape(rule: "Lesson") -> dict[str, Any]:
    detail = rule.rule
    guard = detail.guard if detail else None
    pair = (detail.fewshot_user, detail.fewshot_assistant) if detail else (None, None)
    return {
        **lesson_shape(rule),
        "type": type_name(rule),
        "poison": detail.poison if detail else None,
        "fewshot": {"user": pair[0], "assistant": pair[1]} if all(pair) else None,
        "guard": {"kind": guard.kind, "value": guard.value} if guard else None,
        "provisional_of": detail.provisional_of if detail else None,
    }


def type_name(rule: "Lesson") -> str:
    """Return the type of a rule; rules taught without one are preferences."""
    return rule.rule.type if rule.rule else "preference"


def story_shape(story: "RuleStory") -> dict[str, Any]:
    return {
        **rule_shape(story.rule),
        "supersedes": [other.id for other in story.supersedes],
        "evidence": [evidence_shape(one) for one in story.evidence],
        "corrections": [
            {
                "id": one.id,
                "at": iso(one.at),
                "session": one.scope.session,
                "message": one.message,
                "outcome": one.outcome,
                "by": one.by,
            }
            for one in story.corrections
        ],
        "conflicts": [
            {**conflict_shape(one), "other": rule_shape(other)} for one, other in story.conflicts
        ],
        "examples": [example_shape(one) for one in story.examples],
    }


def conflict_shape(conflict: "Conflict") -> dict[str, Any]:
    return {
        "id": conflict.id,
        "reason": conflict.reason,
        "found": iso(conflict.found_at),
        "followed": conflict.winner,
        "resolved": iso(conflict.resolved_at) if conflict.resolved_at is not None else None,
        "kept": conflict.resolution or None,
    }


def dispute_shape(conflict: "Conflict", earlier: "Lesson", later: "Lesson") -> dict[str, Any]:
    both = {"earlier": rule_shape(earlier), "later": rule_shape(later)}
    return conflict_shape(conflict) | both


def violations_shape(found: "Sequence[Violation]") -> list[dict[str, Any]]:
    return [{"found": one.found, "rule": rule_shape(one.rule)} for one in found]


def example_shape(example: "Lesson") -> dict[str, Any]:
    shown = example.example
    return {
        **lesson_shape(example),
        "polarity": shown.polarity if shown else None,
        "request": shown.request if shown else example.trigger,
        "reply": shown.reply if shown else example.content,
        "note": shown.note if shown else "",
        "rule": shown.rule if shown else None,
    }


RULE_CHARS = 300
QUOTE_CHARS = 200
STATUS_STYLES = {"active": "green", "candidate": "yellow"}


def age(at: int, now: int) -> str:
    """Return the age in short form.

    >>> age(0, 7_200_000_000), age(0, 5)
    ('2 h', 'new')
    """
    passed = ago(at, now)
    return "new" if passed == "just now" else passed.removesuffix(" ago")


def below(first: str, second: str, style: str = "") -> "Text":
    """Return a cell of two lines, the second one dimmed."""
    cell = words(first, style)
    return cell.append_text(words(f"\n{second}", "not bold dim")) if second else cell


def rule_table(rules: Sequence["Lesson"]) -> "RenderableType":
    """Return a table of rules, two lines each to leave room for the text."""
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
        rule_text(rule),
    )


def rule_text(rule: "Lesson") -> "Text":
    """Return the text of a rule with, dimmed, its poison, guard and scope."""
    detail = rule.rule
    text = words(one_line(rule.content, RULE_CHARS) or "(erased)")
    if detail and detail.poison:
        text.append_text(words(f"\n✗ {one_line(detail.poison, QUOTE_CHARS)}", "dim"))
    if detail and detail.guard:
        text.append_text(words(f"\nguard: {one_line(detail.guard.value, 80)}", "dim"))
    provisional = "provisional, " if detail and detail.provisional_of else ""
    if scope := scope_text(rule):
        text.append_text(words(f"\n{provisional}for {one_line(scope, 100)}", "dim"))
    return text


def scope_text(lesson: "Lesson") -> str:
    """Describe the scope of a lesson; empty if it is for everybody."""
    names = ("tenant", "project", "user", "session")
    fields = zip(names, lesson.scope.fields(), strict=True)
    return ", ".join(f"{name} {value}" for name, value in fields if value)


def show_story(story: "RuleStory") -> None:
    """Print a rule in full."""
    say(words(story.rule.id, "bold"), pairs([row for row in _facts(story) if row[1]]))
    quoted = [one for one in story.evidence if one.quote]
    if story.corrections:
        say(heading("Corrections behind it"))
        rows = [
            (
                iso(one.at)[:10],
                one.outcome,
                below(f"“{one_line(one.message, 400)}”", _from(one.id, one.scope.session)),
            )
            for one in story.corrections
        ]
        say(table(("date", "outcome", "correction"), rows))
    elif quoted:
        say(heading("Quotes"), _quotes(quoted))
    if story.conflicts:
        say(heading("Contradicts"))
        rows = [
            (one.id, other.id, below(one_line(other.content, RULE_CHARS), _why(one, story.rule)))
            for one, other in story.conflicts
        ]
        say(table(("conflict", "rule", "text"), rows))
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
        ("for", scope_text(rule) or "everybody"),
        ("created", iso(rule.created_at)),
        ("updated", iso(rule.updated_at)),
        ("used", _applied(rule)),
        ("provisional for", _standing(rule)),
        ("superseded by", f"{replaced.id}: {one_line(replaced.content)}" if replaced else ""),
        ("supersedes", "; ".join(f"{one.id}: {one_line(one.content)}" for one in story.supersedes)),
    ]


def _applied(rule: "Lesson") -> str:
    last = f", last {iso(rule.last_given_at)}" if rule.last_given_at else ""
    return many(rule.times_given, "time") + last


def _standing(rule: "Lesson") -> str:
    of = rule.rule.provisional_of if rule.rule else None
    return f"correction {of}, in its session only" if of else ""


def _from(correction: str, session: str) -> str:
    return f"correction {correction}" + (f", session {session}" if session else "")


def _quotes(evidence: "Sequence[Evidence]") -> "RenderableType":
    rows = [
        (
            iso(one.at)[:10],
            below(f"“{one_line(one.quote, 400)}”", f"session {one.session}" if one.session else ""),
        )
        for one in evidence
    ]
    return table(("date", "words"), rows)


def _why(conflict: "Conflict", rule: "Lesson") -> str:
    if conflict.resolved_at is not None:
        return f"{conflict.reason}; resolved: keep {conflict.resolution}"
    if conflict.winner is None:
        return f"{conflict.reason}; open; the one that fits better applies"
    applies = "this one" if conflict.winner == rule.id else "that one"
    return f"{conflict.reason}; open, {applies} applies meanwhile"


def show_dispute(conflict: "Conflict", earlier: "Lesson", later: "Lesson", now: int) -> None:
    """Print two contradicting rules side by side, and which one applies."""
    found = ago(conflict.found_at, now)
    state = f"resolved: keep {conflict.resolution}" if conflict.resolution else "open"
    title = words(conflict.id, "bold").append_text(
        words(f"  {state}, found {found}", "not bold dim")
    )
    say(title, _sides(conflict, earlier, later), words(f"  because {conflict.reason}", "dim"), "")


def _sides(conflict: "Conflict", earlier: "Lesson", later: "Lesson") -> "RenderableType":
    from rich.table import Table

    grid = Table.grid(padding=(0, 0, 0, 2), pad_edge=True, expand=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_column(ratio=1, overflow="fold")
    grid.add_row(_side("earlier", earlier, conflict), _side("later", later, conflict))
    return grid


def _side(name: str, rule: "Lesson", conflict: "Conflict") -> "Text":
    applies = conflict.winner in (rule.id, None)
    cell = words(f"{name}, applies" if applies else name, "bold" if applies else "dim")
    cell.append_text(words(f"\n{rule.id}  {rule.status}, {rule.source}", "not bold dim"))
    return cell.append_text(words(f"\n{one_line(rule.content, RULE_CHARS)}", "not bold not dim"))


def example_table(examples: Sequence["Lesson"]) -> "RenderableType":
    now = SystemClock().now()
    return table(
        ("id", "example, age", ">shown", "request → reply"),
        [_example_row(one, now) for one in examples],
    )


def _example_row(example: "Lesson", now: int) -> tuple["str | Text", ...]:
    shown = example.example
    polarity = shown.polarity if shown else ""
    note = shown.note if shown else ""
    text = words(one_line(example.trigger, 140), "dim")
    text.append_text(words(f"\n→ {one_line(example.content, RULE_CHARS)}", "not dim"))
    if note:
        text.append_text(words(f"\n“{one_line(note, QUOTE_CHARS)}”", "dim"))
    style = {"positive": "green", "negative": "red"}.get(polarity, "")
    return (
        example.id,
        below(polarity, age(example.created_at, now), style),
        f"{example.times_given:,}",
        text,
    )
