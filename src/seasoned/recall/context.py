"""What recall hands to an agent: the few lessons that matter now, and their text for the prompt."""

from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.learning.lesson import Lesson


@dataclass(frozen=True, slots=True)
class Recalled:
    """A lesson that was found, how well it fits, and why."""

    lesson: Lesson
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Context:
    """`text` goes into the prompt as it is; it is empty when nothing relevant was learned."""

    text: str
    lessons: Sequence[Recalled]

    def __bool__(self) -> bool:
        return bool(self.lessons)

    def __str__(self) -> str:
        return self.text
