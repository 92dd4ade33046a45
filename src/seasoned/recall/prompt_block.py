"""Writes what was recalled as a prompt shows it: a line each, under the section it belongs to."""

from collections.abc import Callable, Sequence

from seasoned.core.text import one_line
from seasoned.core.tokens import estimate
from seasoned.learning.lesson import Lesson
from seasoned.recall.context import Entry
from seasoned.recall.layers import LAYERS, SECTIONS

STANDING = "Standing Rules"
LONGEST_TRIGGER = 160
LONGEST_LINE = 600
LONGEST_PASSAGE = 1400


def line_for(lesson: Lesson) -> str:
    """One lesson on one line."""
    if lesson.source == "document":
        place = one_line(lesson.trigger, LONGEST_TRIGGER)
        return f"• [{place or 'document'}] {one_line(lesson.content, LONGEST_PASSAGE)}"
    content = one_line(lesson.content, LONGEST_LINE)
    if lesson.fix is not None:
        tool = f"{lesson.fix.tool} fails with" if lesson.fix.tool else "a call fails with"
        return f"• [fix] When {tool} `{one_line(lesson.trigger, LONGEST_TRIGGER)}`: {content}"
    return f"• [{lesson.kind}] {content}"


def fitting(entries: Sequence[Entry], budget: int, heading: Callable[[Entry], str]) -> list[Entry]:
    """The entries, in order, that fit a budget of tokens together with the headings above them.

    One that does not fit is passed over.
    """
    fit: list[Entry] = []
    opened: set[str] = set()
    for entry in entries:
        above = heading(entry)
        cost = estimate(entry.line + "\n") + (above not in opened) * estimate(f"\n\n## {above}\n")
        if cost <= budget:
            budget -= cost
            fit.append(entry)
            opened.add(above)
    return fit


def prompt_block(entries: Sequence[Entry]) -> str:
    """The lines under their sections; nothing at all when there are none."""
    blocks: list[str] = []
    for section, layers in SECTIONS.items():
        inside = [entry for entry in entries if entry.layer in layers]
        inside.sort(key=lambda entry: LAYERS.index(entry.layer))
        if inside:
            blocks.append("\n".join([f"## {section}", *(entry.line for entry in inside)]))
    return "\n\n".join(blocks)


def standing_block(entries: Sequence[Entry]) -> str:
    """The lines that hold for the whole session, in an order that does not change."""
    lines = [entry.line for entry in entries]
    return "\n".join([f"## {STANDING}", *lines]) if lines else ""
