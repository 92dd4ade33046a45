"""What recall hands to an agent: the few lines that matter now, and where each comes from."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.learning.lesson import Lesson
from seasoned.recall.layers import Layer
from seasoned.recall.ranking import Match


@dataclass(frozen=True, slots=True)
class Entry:
    """One line for the prompt: the layer it belongs to, how well it fits, and why it is there."""

    layer: Layer
    line: str
    score: float
    why: str
    source: str
    lesson: Lesson | None = None
    match: Match | None = None  # how it fits, in numbers, if it was searched for


@dataclass(frozen=True, slots=True)
class Recalled:
    """A lesson that was found, how well it fits, and why."""

    lesson: Lesson
    score: float
    why: str
    layer: Layer


@dataclass(frozen=True, slots=True)
class Context:
    """`text` goes into the prompt as it is; it is empty when nothing relevant was learned.

    An agent that cares for its provider's prompt cache puts `stable` into the system prompt (it
    changes only when a standing rule does) and `turn` beside the user's message.
    """

    stable: str
    turn: str
    entries: Sequence[Entry]
    notes: Sequence[str] = ()  # what could not be asked in time, and why

    @property
    def text(self) -> str:
        return "\n\n".join(part for part in (self.stable, self.turn) if part)

    @property
    def messages(self) -> Sequence[dict[str, str]]:
        """Good exchanges as messages, to stand before the conversation: `role` and `content`."""
        return [
            {"role": role, "content": content}
            for entry in self.entries
            for role, content in _pair(entry.lesson)
        ]

    @property
    def lessons(self) -> Sequence[Recalled]:
        return [
            Recalled(entry.lesson, entry.score, entry.why, entry.layer)
            for entry in self.entries
            if entry.lesson is not None
        ]

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __str__(self) -> str:
        return self.text


def _pair(lesson: Lesson | None) -> Sequence[tuple[str, str]]:
    """What was asked and what was right to answer, where a lesson shows both."""
    if lesson is not None and lesson.example is not None:
        if lesson.example.polarity == "positive":
            return (("user", lesson.example.request), ("assistant", lesson.example.reply))
    elif lesson is not None and lesson.rule is not None:
        rule = lesson.rule
        if rule.fewshot_user and rule.fewshot_assistant:
            return (("user", rule.fewshot_user), ("assistant", rule.fewshot_assistant))
    return ()
