"""Word what an assistant is told: as facts about earlier sessions, not as orders.

A model that finds an order in a tool's result may take it for an attempt to lead it astray, and it
would be right to. What was learned is therefore reported: what happened, what worked, who said so.
"""

from collections.abc import Iterable, Sequence

from seasoned.core.ids import canonical
from seasoned.core.text import estimate_tokens, one_line, without_hidden
from seasoned.fixes.hint import Hint
from seasoned.lessons.lesson import Lesson
from seasoned.recall.context import ContextEntry
from seasoned.recall.prompt_block import line_for
from seasoned.recall.tool_notes import ToolNote

HEADING = "From earlier sessions here (recorded by Seasoned):"
LONGEST = 400  # characters of one lesson
SAYS = {
    "user": "The user said",
    "operator": "The operator set down",
    "episode": "A correction taught",
    "model": "A correction taught",
    "document": "A document says",
}


def told_hint(hint: Hint, tool: str, sessions: int) -> str:
    """Report what is known about the error that just happened."""
    words = one_line(hint.text, LONGEST)
    if hint.source in ("user", "operator"):
        lines = [f"About this error, the {hint.source} noted: {words}"]
    elif hint.similarity < 1:
        error = one_line(hint.trigger, 120)
        lines = [f"`{tool}` has failed with a similar error (`{error}`); what worked: {words}"]
    else:
        lines = [f"`{tool}` has failed like this before; what worked: {words}"]
    for step, params in hint.steps:
        lines.append(f"The call that went before: {step} {_shown(params)}")
    if hint.params is not None:
        lines.append(f"The failed call with that change: {_shown(hint.params)}")
    seen = f"seen in {sessions} sessions" if sessions > 1 else ""
    sure = f"confidence {hint.confidence:.2f}"
    lines[-1] += f" ({', '.join(filter(None, (seen, sure)))})"
    return without_hidden("\n".join(lines))


def told_note(note: ToolNote, shell: str) -> str:
    tool = shell if note.tool == "Bash" else note.tool
    return f"With `{tool}`, this has worked: {one_line(note.text, LONGEST)}"


def told_entry(entry: ContextEntry, shell: str) -> str:
    """Report a lesson of recall."""
    lesson = entry.lesson
    if lesson is None:
        return one_line(entry.line.removeprefix("• "), LONGEST)
    return told_lesson(lesson, shell)


def told_lesson(lesson: Lesson, shell: str = "Bash") -> str:
    content = one_line(lesson.content, LONGEST)
    if lesson.fix is not None:
        tool = shell if lesson.fix.tool == "Bash" else lesson.fix.tool or "A call"
        error = one_line(lesson.trigger, 120)
        return f"`{tool}` has failed with `{error}`; what worked: {content}"
    if lesson.example is not None:
        return one_line(line_for(lesson).removeprefix("• [example] "), LONGEST)
    if lesson.source == "document":
        return f"{one_line(lesson.trigger, 120) or 'A document'}: {one_line(lesson.content, 1000)}"
    return f"{SAYS[lesson.source]}: “{content}”"


def within(lines: Iterable[str], tokens: int, characters: int, heading: str = HEADING) -> str:
    """Put the lines that fit under a heading; without lines there is nothing to say."""
    kept: list[str] = []
    tokens -= estimate_tokens(heading)
    characters -= len(heading.encode())
    for line in lines:
        shown = f"- {without_hidden(line)}"
        cost, size = estimate_tokens(shown), len(shown.encode()) + 1
        if cost <= tokens and size <= characters:
            kept.append(shown)
            tokens, characters = tokens - cost, characters - size
    return "\n".join([heading, *kept]) if kept else ""


def joined(parts: Sequence[str], characters: int) -> str:
    """Join texts as far as they fit whole; the first is cut rather than left out."""
    kept: list[str] = []
    for part in filter(None, parts):
        size = len(part.encode()) + 2
        if size <= characters:
            kept.append(part)
            characters -= size
        elif not kept:
            kept.append(part.encode()[: max(0, characters - 4)].decode("utf-8", "ignore") + "…")
            break
    return "\n\n".join(kept)


def _shown(params: object) -> str:
    return one_line(canonical(params).replace("\\\\", "\\"), 2_000)
