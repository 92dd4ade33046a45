"""Writes what was recalled as a prompt shows it: a line each, under the section it belongs to."""

from collections.abc import Callable, Sequence

from seasoned.core.text import one_line
from seasoned.core.tokens import estimate
from seasoned.learning.lesson import ExampleDetail, Lesson
from seasoned.recall.context import Entry
from seasoned.recall.layers import LAYERS, SECTIONS, section_of
from seasoned.recall.ranking import VERDICTS

RULES = "[LEARNED BEHAVIORAL RULES]"
LONGEST_TRIGGER = 160
LONGEST_LINE = 600
LONGEST_PASSAGE = 1400
LONGEST_EXAMPLE = 300


def line_for(lesson: Lesson) -> str:
    """One lesson on one line."""
    if lesson.source == "document":
        place = one_line(lesson.trigger, LONGEST_TRIGGER)
        return f"• [{place or 'document'}] {one_line(lesson.content, LONGEST_PASSAGE)}"
    content = one_line(lesson.content, LONGEST_LINE)
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


def heading_of(entry: Entry) -> str:
    """What a line stands under: rules under their own heading, the others in their section."""
    if entry.lesson is not None and entry.lesson.kind == "rule":
        return RULES
    return f"## {section_of(entry.layer)}"


def is_shown_as_messages(entry: Entry) -> bool:
    """A good exchange is given as messages, which agents follow better than a description."""
    shown = entry.lesson.example if entry.lesson else None
    return shown is not None and shown.polarity == "positive"


def fitting(entries: Sequence[Entry], budget: int, heading: Callable[[Entry], str]) -> list[Entry]:
    """The entries, in order, that fit a budget of tokens together with the headings above them.

    One that does not fit is passed over.
    """
    fit: list[Entry] = []
    opened: set[str] = set()
    for entry in entries:
        above = heading(entry)
        cost = estimate(entry.line + "\n") + (above not in opened) * estimate(f"\n\n{above}\n")
        if cost <= budget:
            budget -= cost
            fit.append(entry)
            opened.add(above)
    return fit


def prompt_block(entries: Sequence[Entry]) -> str:
    """The lines under their headings, the rules first; nothing at all when there are none."""
    lines = [entry for entry in entries if not is_shown_as_messages(entry)]
    lines.sort(key=lambda entry: (LAYERS.index(entry.layer), *_standing_of(entry)))
    blocks: list[str] = []
    for heading in (RULES, *(f"## {section}" for section in SECTIONS)):
        inside = [entry.line for entry in lines if heading_of(entry) == heading]
        if inside:
            blocks.append("\n".join([heading, *inside]))
    return "\n\n".join(blocks)


def _standing_of(entry: Entry) -> tuple[float, float, int]:
    """Of rules, the proven ones first, then the surer, then the later; the others stay as found."""
    rule = entry.lesson
    if rule is None or rule.kind != "rule":
        return (0.0, 0.0, 0)
    return (-VERDICTS[rule.verdict], -rule.confidence, -rule.updated_at)


def standing_block(entries: Sequence[Entry]) -> str:
    """The lines that hold for the whole session, in an order that does not change."""
    lines = [entry.line for entry in entries]
    return "\n".join([RULES, *lines]) if lines else ""
