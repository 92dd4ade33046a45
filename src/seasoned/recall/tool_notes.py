"""Keep the notes of tools: what was learned about a tool, for its own description.

The best place for a lesson is where the mistake is made: a model that reads the note makes the
first call right. Notes are frozen when a session first asks for them, so that the prompt stays the
same and the provider's cache works; they change within a session only if a lesson no longer holds.
"""

import json
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from seasoned.core.scope import Scope
from seasoned.core.text import without_hidden
from seasoned.db.database import Connection, Database
from seasoned.errors.error_store import ErrorStore
from seasoned.lessons.lesson import ACTIVE_FROM, Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.recall.note_wording import note_for, with_names

HEADING = "Notes from experience:"
MOST_SESSIONS = 1000  # whose notes are kept in memory
SAMPLES = 6  # messages of an error to compare
MOST_TRIED = 100  # fixes of a tool that are read for its notes, the most important ones


@dataclass(frozen=True, slots=True)
class ToolNote:
    """One line about a tool; `lesson` is the id that `why` explains."""

    tool: str
    text: str
    lesson: str

    def __str__(self) -> str:
        return self.text


class ToolNotes(Sequence[ToolNote]):
    """The notes of some tools, the most important ones of each tool first.

    >>> notes = ToolNotes([ToolNote("pay", "Pass `amount` in cents.", "k3x9")])
    >>> print(notes.describe("pay", "Pay a bill."))
    Pay a bill.
    <BLANKLINE>
    Notes from experience:
    - Pass `amount` in cents.
    >>> notes.describe("other", "Do it.")
    'Do it.'
    """

    def __init__(self, notes: Sequence[ToolNote] = ()) -> None:
        self._notes = tuple(notes)

    def __len__(self) -> int:
        return len(self._notes)

    def __getitem__(self, place: int) -> ToolNote:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._notes[place]

    @property
    def text(self) -> str:
        """Return the notes as lines under a heading, to append to a description."""
        lines = [f"- {without_hidden(note.text)}" for note in self._notes]
        return "\n".join([HEADING, *lines]) if lines else ""

    def of(self, tool: str) -> "ToolNotes":
        return ToolNotes([note for note in self._notes if note.tool == tool])

    def describe(self, tool: str, description: str = "") -> str:
        """Return a tool's description with its notes."""
        return "\n\n".join(filter(None, (description, self.of(tool).text)))


def notes_to_json(notes: ToolNotes) -> str:
    return json.dumps([[one.tool, one.text, one.lesson] for one in notes], ensure_ascii=False)


def notes_from_json(body: str) -> ToolNotes:
    return ToolNotes([ToolNote(*one) for one in json.loads(body)])


@dataclass(frozen=True, slots=True)
class ToolNotesConfig:
    most: int = 3  # notes of a tool
    least_confidence: float = ACTIVE_FROM


@dataclass(slots=True)
class SessionNotes:
    """The notes of a session, as they were frozen, and the lessons counted as given."""

    notes: Mapping[str, tuple[ToolNote, ...]]
    given: set[str] = field(default_factory=set[str])


class ToolNotebook:
    """Reads the notes of tools, and keeps them for each session."""

    def __init__(
        self, db: Database, lessons: LessonStore, errors: ErrorStore, config: ToolNotesConfig
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.errors = errors
        self.config = config
        self._sessions: OrderedDict[Scope, SessionNotes] = OrderedDict()

    async def freeze(self, session: Scope) -> None:
        """Fix the notes of a session; those of a tool are read anew if one no longer holds."""
        known = self._sessions.get(session)
        least = self.config.least_confidence
        async with self.db.read() as tx:
            if known is None:
                self._keep(session, SessionNotes(await self._worded(tx, session)))
                return
            ids = [note.lesson for notes in known.notes.values() for note in notes]
            active = await self.lessons.still_active(tx, session, least, ids)
            if active.issuperset(ids):
                return
            now = await self._worded(tx, session)
        known.notes = {
            tool: notes if all(one.lesson in active for one in notes) else now.get(tool, ())
            for tool, notes in known.notes.items()
        }

    def restore(self, session: Scope, notes: Sequence[ToolNote]) -> None:
        """Take over the notes that a session had in an earlier process."""
        if session not in self._sessions:
            by_tool: dict[str, tuple[ToolNote, ...]] = {}
            for note in notes:
                by_tool[note.tool] = (*by_tool.get(note.tool, ()), note)
            self._keep(session, SessionNotes(by_tool, {note.lesson for note in notes}))

    def notes(self, session: Scope, tools: Collection[str] = ()) -> ToolNotes:
        """Return the frozen notes of a session; without `tools`, those of every tool."""
        frozen = self._sessions.get(session, SessionNotes({})).notes
        return ToolNotes(
            [note for tool in tools or sorted(frozen) for note in frozen.get(tool, ())]
        )

    def give(self, session: Scope, notes: ToolNotes) -> list[str]:
        """Mark notes as given; return the lessons that the session did not have before."""
        known = self._sessions.get(session)
        if known is None:
            return []
        new = [note.lesson for note in notes if note.lesson not in known.given]
        known.given.update(new)
        return new

    def given(self, session: Scope) -> Collection[str]:
        """Return the lessons that a session has in its tools' descriptions."""
        known = self._sessions.get(session)
        return known.given if known else ()

    def _keep(self, session: Scope, notes: SessionNotes) -> None:
        self._sessions[session] = notes
        if len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)

    async def _worded(self, tx: Connection, session: Scope) -> dict[str, tuple[ToolNote, ...]]:
        """Word the most important fixes of each tool, as far as they make notes."""
        least = self.config.least_confidence
        fixes = await self.lessons.active_fixes(tx, session, least, MOST_TRIED)
        notes: dict[str, dict[str, ToolNote]] = {}
        for lesson, _ in sorted(fixes, key=lambda pair: _importance(*pair), reverse=True):
            assert lesson.fix is not None, "only fixes were read"
            of_tool = notes.setdefault(lesson.fix.tool, {})
            if len(of_tool) >= self.config.most:
                continue
            text = note_for(lesson, await self._messages(tx, lesson.fix.error_id))
            if text is not None:  # two errors may have taught the same
                of_tool.setdefault(text, ToolNote(lesson.fix.tool, text, lesson.id))
        return {tool: tuple(of_tool.values()) for tool, of_tool in notes.items()}

    async def _messages(self, tx: Connection, error_id: str) -> list[str]:
        """Return an error's messages, the latest of each session."""
        samples = await self.errors.samples(tx, error_id, SAMPLES)
        latest = {one.session: one for one in reversed(samples)}.values()
        return [with_names(one.message, _parameters(one.params)) for one in latest]


def _parameters(stored: str) -> Mapping[str, object]:
    """Read the parameters of a sample; a long text was cut when it was stored."""
    try:
        read = json.loads(stored)
    except ValueError:
        return {}
    return cast("dict[str, object]", read) if isinstance(read, dict) else {}


def _importance(lesson: Lesson, seen: int) -> tuple[bool, float, int]:
    """Sort key: what people taught, then what is believed and often needed."""
    return (lesson.explicit, lesson.confidence * (1 + seen), lesson.updated_at)
