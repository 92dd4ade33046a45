"""Lessons, hints and explanations as the client gets them: few fields, and no hidden characters."""

from collections.abc import Mapping
from typing import Any, cast

from seasoned.core.clock import iso
from seasoned.core.plain import plain
from seasoned.core.text import without_hidden
from seasoned.fixes.explanation import Explanation
from seasoned.fixes.hint import Hint
from seasoned.lessons.lesson import Lesson
from seasoned.recall.context import Context
from seasoned.recall.tool_notes import ToolNotes

Shape = dict[str, Any]

MOST_EVIDENCE = 20  # the latest


def lesson_shape(lesson: Lesson) -> Shape:
    return cleaned(
        {
            "id": lesson.id,
            "kind": lesson.kind,
            "status": lesson.status,
            "text": lesson.content,
            "when": lesson.trigger,
            "tool": lesson.fix.tool if lesson.fix else "",
            "confidence": round(lesson.confidence, 2),
            "source": lesson.source,
        }
    )


def recalled_shape(context: Context, notes: ToolNotes) -> Shape:
    return cleaned(
        {
            "text": recalled_text(context, notes),
            "lessons": [
                {"id": one.lesson.id, "kind": one.lesson.kind, "text": one.lesson.content}
                | {"confidence": round(one.lesson.confidence, 2), "why": one.why}
                for one in context.lessons
            ],
            "tool_notes": [
                {"tool": note.tool, "text": note.text, "lesson": note.lesson} for note in notes
            ],
        }
    )


def recalled_text(context: Context, notes: ToolNotes) -> str:
    """Return the context, then the notes of each tool."""
    tools = dict.fromkeys(note.tool for note in notes)
    of_tools = [f"{tool}: {notes.of(tool).text}" for tool in tools]
    return "\n\n".join(part for part in (context.text, *of_tools) if part)


def hint_shape(hint: Hint) -> Shape:
    return cleaned(
        {
            "lesson": hint.lesson,
            "text": hint.text,
            "confidence": round(hint.confidence, 2),
            "source": hint.source,
            "params": plain(hint.params) if hint.params is not None else None,
            "steps": [{"tool": tool, "params": plain(params)} for tool, params in hint.steps],
        }
    )


def explanation_shape(story: Explanation) -> Shape:
    latest = sorted(story.evidence, key=lambda one: one.at)[-MOST_EVIDENCE:]
    return cleaned(
        {
            "lesson": lesson_shape(story.lesson),
            "text": story.text,
            "evidence": [
                {"at": iso(one.at), "reason": one.reason, "worked": one.worked}
                | {"failed": one.failed, "quote": one.quote}
                for one in latest
            ],
            "error": story.error.template if story.error else "",
            "times_given": story.lesson.times_given,
        }
    )


def cleaned(shape: Shape) -> Shape:
    """Remove hidden characters from all texts, keys included: a model would read them."""
    return cast("Shape", _clean(shape))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_hidden(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {without_hidden(name): _clean(one) for name, one in items}
    if isinstance(value, list):
        return [_clean(one) for one in cast("list[Any]", value)]
    return value
