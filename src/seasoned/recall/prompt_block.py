"""Writes lessons as a prompt shows them: one line each, the most useful first."""

from collections.abc import Sequence

from seasoned.core.text import one_line
from seasoned.learning.lesson import Lesson

HEADING = "## Knowledge Context"
LONGEST_TRIGGER = 160


def line_for(lesson: Lesson) -> str:
    """One lesson on one line."""
    content = one_line(lesson.content, 600)
    if lesson.fix is not None:
        tool = f"{lesson.fix.tool} fails with" if lesson.fix.tool else "a call fails with"
        return f"• [fix] When {tool} `{one_line(lesson.trigger, LONGEST_TRIGGER)}`: {content}"
    return f"• [{lesson.kind}] {content}"


def prompt_block(lessons: Sequence[Lesson]) -> str:
    """The lessons under their heading; nothing at all when there are none."""
    if not lessons:
        return ""
    return "\n".join([HEADING, *(line_for(lesson) for lesson in lessons)])
