"""Choose which entries go into the prompt, and write them: a line each, under their section."""

from collections.abc import Callable, Sequence

from seasoned.core.text import estimate_tokens, one_line, storable
from seasoned.lessons.lesson import ExampleDetail, Lesson
from seasoned.recall.context import (
    LAYERS,
    SECTIONS,
    Context,
    ContextEntry,
    RecallRequest,
    section_of,
)
from seasoned.recall.ranking import VERDICTS

EXAMPLES = "## Exchanges that went well"
RULES = "[LEARNED BEHAVIORAL RULES]"
LONGEST_TRIGGER = 120
LONGEST_LINE = 600
LONGEST_INFERRED = 300
LONGEST_PASSAGE = 1400
LONGEST_EXAMPLE = 160


def line_for(lesson: Lesson) -> str:
    """Write a lesson on one line."""
    if lesson.source == "document":
        place = one_line(lesson.trigger, LONGEST_TRIGGER)
        return f"• [{place or 'document'}] {one_line(lesson.content, LONGEST_PASSAGE)}"
    content = one_line(lesson.content, LONGEST_LINE if lesson.explicit else LONGEST_INFERRED)
    if lesson.fix is not None:
        tool = f"{lesson.fix.tool} fails with" if lesson.fix.tool else "a call fails with"
        return f"• [fix] When {tool} `{one_line(lesson.trigger, LONGEST_TRIGGER)}`: {content}"
    if lesson.example is not None:
        return _example_line(lesson.example)
    if lesson.rule is None:
        return f"• [{lesson.kind}] {content}"
    poison = one_line(lesson.rule.poison or "", LONGEST_TRIGGER)
    return f"• [{lesson.rule.type}] {content}" + (f"\n  ✗ not: {poison}" if poison else "")


def _example_line(shown: ExampleDetail) -> str:
    request, reply = (one_line(text, LONGEST_EXAMPLE) for text in (shown.request, shown.reply))
    if shown.polarity == "positive":
        return f"• [example] Asked “{request}”, this was right: “{reply}”"
    why = f" ({one_line(shown.note, LONGEST_TRIGGER)})" if shown.note else ""
    return f"• [example] Asked “{request}”, this was wrong: “{reply}”{why}"


def heading_of(entry: ContextEntry) -> str:
    """Return an entry's heading: rules have their own, the others their section."""
    if entry.lesson is not None and entry.lesson.kind == "rule":
        return RULES
    return f"## {section_of(entry.layer)}"


def is_shown_as_messages(entry: ContextEntry) -> bool:
    """Whether it is a good exchange: agents follow messages better than a description."""
    shown = entry.lesson.example if entry.lesson else None
    return shown is not None and shown.polarity == "positive"


def fit_budget(
    entries: Sequence[ContextEntry], budget: int, heading: Callable[[ContextEntry], str]
) -> list[ContextEntry]:
    """Return the entries, in order, that fit a budget of tokens with their headings.

    An entry that does not fit is skipped.
    """
    fit: list[ContextEntry] = []
    opened: set[str] = set()
    for entry in entries:
        above = heading(entry)
        cost = estimate_tokens(entry.line + "\n") + (above not in opened) * estimate_tokens(
            f"\n\n{above}\n"
        )
        if cost <= budget:
            budget -= cost
            fit.append(entry)
            opened.add(above)
    return fit


def prompt_block(entries: Sequence[ContextEntry]) -> str:
    """Write the lines under their headings, the rules first; empty without lines."""
    lines = [entry for entry in entries if not is_shown_as_messages(entry)]
    lines.sort(key=lambda entry: (LAYERS.index(entry.layer), *_rule_order(entry)))
    blocks: list[str] = []
    for heading in (RULES, *(f"## {section}" for section in SECTIONS)):
        inside = [entry.line for entry in lines if heading_of(entry) == heading]
        if inside:
            blocks.append("\n".join([heading, *inside]))
    return "\n\n".join(blocks)


def _rule_order(entry: ContextEntry) -> tuple[float, float, int]:
    """Sort key for rules: proven, then surer, then later ones first; others stay as found."""
    rule = entry.lesson
    if rule is None or rule.kind != "rule":
        return (0.0, 0.0, 0)
    return (-VERDICTS[rule.verdict], -rule.confidence, -rule.updated_at)


def standing_block(entries: Sequence[ContextEntry]) -> str:
    """Write the lines that hold for the whole session, in a fixed order."""
    lines = [entry.line for entry in entries]
    return "\n".join([RULES, *lines]) if lines else ""


def runtime_entries(request: RecallRequest) -> list[ContextEntry]:
    """Return the caller's facts of this moment, all of them."""
    facts = request.runtime or {}
    lines = (one_line(storable(f"{name}: {value}"), LONGEST_LINE) for name, value in facts.items())
    return [
        ContextEntry("runtime", f"• {line}", 1.0, "is so right now", "caller") for line in lines
    ]


def unsaid(entries: Sequence[ContextEntry], standing: Sequence[ContextEntry]) -> list[ContextEntry]:
    """Return entries, best first, whose content no standing or better entry says."""
    seen = {entry.lesson.content for entry in standing if entry.lesson}
    new: list[ContextEntry] = []
    for entry in sorted(entries, key=lambda entry: -entry.score):
        content = entry.lesson.content if entry.lesson else entry.line
        if content not in seen:
            new.append(entry)
            seen.add(content)
    return new


def best_of_each_layer(entries: Sequence[ContextEntry], most: int) -> list[ContextEntry]:
    """Return the best entries of each layer, in the order of the layers."""
    best = sorted(entries, key=lambda entry: -entry.score)
    return [
        entry for layer in LAYERS for entry in [one for one in best if one.layer == layer][:most]
    ]


def context_of(
    standing: Sequence[ContextEntry],
    entries: Sequence[ContextEntry],
    notes: Sequence[str],
    budget_tokens: int,
) -> Context:
    """Write the context; standing rules first, then the best entries that fit the budget."""
    kept = fit_budget(standing, budget_tokens, lambda _: RULES)
    left = budget_tokens - estimate_tokens(standing_block(kept))
    best = sorted(entries, key=lambda entry: -entry.score)
    chosen = set(map(id, fit_budget(best, left, heading_of)))
    turn = [entry for entry in entries if id(entry) in chosen]
    return Context(standing_block(kept), prompt_block(turn), [*kept, *turn], notes)


def examples_block(context: Context) -> str:
    """Return good exchanges as lines: as messages, they would change the start of the prompt."""
    lines = [f"{one['role']}: {one['content']}" for one in context.messages]
    return "\n".join([EXAMPLES, *lines]) if lines else ""
