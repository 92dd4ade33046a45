"""Read from a turn's stored steps which lessons its agent was given, and why.

It stands apart from the agent, whose libraries take a second to load: pages and commands that only
look need none of them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.recall.context import GivenLesson
from seasoned.recall.tool_notes import ToolNotes, notes_from_json

# Steps of a turn. The prefix stands before the id of a tool call.
CONTEXT = "context"
NOTES = "notes"
CALL_HINT = "hint:"

HINT_WHY = "known fix for the error of a call"


@dataclass(frozen=True, slots=True)
class StoredContext:
    """Learned context in the prompt of a turn: beside the message, and in the system prompt.

    `lessons` are the lessons in both, without their texts.
    """

    turn: str
    standing: Sequence[str] = ()
    lessons: Sequence[GivenLesson] = ()

    @classmethod
    def from_json(cls, body: str) -> "StoredContext":
        stored = json.loads(body)
        lessons = tuple(map(_given_from_json, stored.get("lessons", ())))
        return cls(stored["turn"], tuple(stored["standing"]), lessons)

    def to_json(self) -> str:
        lessons = [[one.lesson, one.why, one.score] for one in self.lessons]
        stored = {"turn": self.turn, "standing": [*self.standing], "lessons": lessons}
        return json.dumps(stored, ensure_ascii=False)


def _given_from_json(stored: Any) -> GivenLesson:
    if isinstance(stored, str):  # as it was stored before reasons were kept
        return GivenLesson(stored)
    lesson, why, score = stored
    return GivenLesson(lesson, why=why, score=score)


def contexts_by_turn(steps: Mapping[tuple[int, str], str]) -> dict[int, str]:
    """Return the learned context that each turn's prompt got, as text."""
    contexts = stored_contexts(steps)
    return {
        turn: "\n\n".join(
            part
            for part in (
                "\n".join(one.standing),
                one.turn,
                _notes_text(notes_in_force(steps, turn)),
            )
            if part
        )
        for turn, one in contexts.items()
    }


def given_by_turn(steps: Mapping[tuple[int, str], str]) -> dict[int, Sequence[GivenLesson]]:
    """Return the lessons that each turn's agent read: in its prompt, in notes, beside errors."""
    hints: dict[int, list[GivenLesson]] = {}
    for (turn, step), lesson in steps.items():
        if step.startswith(CALL_HINT):
            hints.setdefault(turn, []).append(GivenLesson(lesson, "hint", HINT_WHY))
    given: dict[int, Sequence[GivenLesson]] = {}
    for turn, one in stored_contexts(steps).items():
        noted = given_notes(notes_in_force(steps, turn))
        given[turn] = _each_once([*one.lessons, *noted, *hints.get(turn, ())])
    return given


def given_notes(notes: ToolNotes) -> Sequence[GivenLesson]:
    return [
        GivenLesson(one.lesson, "note", f"in the description of {one.tool}", text=one.text)
        for one in notes
    ]


def _each_once(given: Sequence[GivenLesson]) -> Sequence[GivenLesson]:
    """Keep the first of those about one lesson in one place."""
    return [*{(one.lesson, one.place): one for one in reversed(given)}.values()][::-1]


def _notes_text(notes: ToolNotes) -> str:
    """Show the notes in the tools' descriptions, each with the lesson that `why` explains."""
    lines = [f"• [note] {one.tool}: {one.text} ({one.lesson})" for one in notes]
    return "\n".join(["## Tool Notes", *lines]) if lines else ""


def notes_in_force(steps: Mapping[tuple[int, str], str], turn: int) -> ToolNotes:
    """Return the notes in force in a turn: they are stored in the turn in which they changed."""
    changed = [at for at, step in steps if step == NOTES and at <= turn]
    return notes_from_json(steps[max(changed), NOTES]) if changed else ToolNotes()


def stored_contexts(steps: Mapping[tuple[int, str], str]) -> dict[int, StoredContext]:
    return {
        turn: StoredContext.from_json(body)
        for (turn, step), body in steps.items()
        if step == CONTEXT
    }
