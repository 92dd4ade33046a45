"""Gathers what one transaction changes, to be audited at its end and published after it."""

from collections.abc import Mapping
from typing import Any

from seasoned.core.bus import Bus
from seasoned.core.events import Event, HintGiven, LessonChanged, LessonLearned
from seasoned.core.ids import canonical
from seasoned.learning.hint import Hint
from seasoned.learning.lesson import Lesson
from seasoned.security.audit import Entry


class Journal:
    def __init__(self, at: int) -> None:
        self.at = at
        self.entries: list[Entry] = []
        self.events: list[Event] = []

    def publish(self, bus: Bus) -> None:
        """Says what happened, once it has been committed."""
        for event in self.events:
            bus.publish(event)

    def write(self, kind: str, subject: str, detail: Mapping[str, Any]) -> None:
        self.note(kind, subject, canonical(detail))

    def note(self, kind: str, subject: str, detail: str) -> None:
        """The same, with the detail as JSON already."""
        self.entries.append(Entry(kind, subject, detail))

    def learned(self, lesson: Lesson) -> None:
        self.write("lesson.learned", lesson.id, _state(lesson) | {"kind": lesson.kind})
        self.events.append(LessonLearned(self.at, lesson.id, lesson.kind))

    def changed(self, before: Lesson, after: Lesson, reason: str) -> None:
        detail = {"reason": reason, "before": _state(before), "after": _state(after)}
        self.write("lesson.changed", after.id, detail)
        self.events.append(
            LessonChanged(self.at, after.id, before.confidence, after.confidence, reason)
        )

    def forgotten(self, lesson: Lesson, reason: str) -> None:
        self.write("lesson.forgotten", lesson.id, {"reason": reason, "before": _state(lesson)})
        self.events.append(
            LessonChanged(self.at, lesson.id, lesson.confidence, lesson.confidence, reason)
        )

    def hinted(self, hint: Hint, session: str, tool: str) -> None:
        self.events.append(HintGiven(self.at, hint.lesson, session, tool))


def _state(lesson: Lesson) -> dict[str, Any]:
    """Enough to explain a change, and to take it back; the words stand in `lesson_versions`.

    Only their digest is here, because an event can never be erased and a lesson can.
    """
    return {
        "words": lesson.words,
        "status": lesson.status,
        "worked": lesson.belief.worked,
        "failed": lesson.belief.failed,
        "source": lesson.source,
        "scope": lesson.scope.fields(),
        "tool": lesson.fix.tool if lesson.fix else "",
        "error": lesson.fix.error_id if lesson.fix else "",
    }
