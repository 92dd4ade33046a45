"""The request to recall, and the context it returns: a few lines for the prompt, with reasons.

Every line belongs to one of eight layers; the layers stand in three sections of the prompt.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from seasoned.core.scope import Scope
from seasoned.core.text import without_hidden
from seasoned.lessons.lesson import Kind, Lesson
from seasoned.recall.ranking import Match

Layer = Literal[
    "runtime",  # facts of this moment, from the caller
    "tools",  # the available tools, and how they perform
    "knowledge",  # what users and conversations taught
    "skills",  # procedures worth repeating
    "documents",  # passages of imported documents
    "lessons",  # learned fixes and rules
    "observations",  # conclusions from the session's messages
    "reflections",  # conclusions from observations
]
LAYERS: tuple[Layer, ...] = get_args(Layer)

SECTIONS: Mapping[str, tuple[Layer, ...]] = {
    "Knowledge Context": ("runtime", "tools", "knowledge", "skills", "lessons"),
    "Semantic Context": ("documents",),
    "Conversation Memory": ("observations", "reflections"),
}
# Layers that other rooms, and users, may fill from a source of their own.
OPEN: frozenset[Layer] = frozenset({"runtime", "tools", "skills", "observations", "reflections"})

LEARNED: frozenset[Kind] = frozenset({"fix", "rule", "example"})


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """The user's request, and what the caller knows about the coming turn."""

    query: str
    scope: Scope
    tool: str | None = None
    tools: Sequence[str] = ()
    runtime: Mapping[str, object] | None = None
    watched: Sequence[str] = ()  # tools to mention only if they often fail
    noted: Collection[str] = ()  # ids of lessons that stand in the notes of tools


@dataclass(frozen=True, slots=True)
class LayerRequest:
    """The argument of a layer's source; `most` is the number of lines wanted."""

    query: str
    scope: Scope
    most: int


LayerSource = Callable[[LayerRequest], Iterable[str]]


def section_of(layer: Layer) -> str:
    """Return the section that a layer's lines stand in."""
    return next(section for section, layers in SECTIONS.items() if layer in layers)


def layer_of(lesson: Lesson) -> Layer:
    """Return the layer that a lesson belongs to."""
    if lesson.source == "document":
        return "documents"
    return "lessons" if lesson.kind in LEARNED else "knowledge"


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """One line for the prompt: its layer, how well it fits, and why it is there."""

    layer: Layer
    line: str
    score: float
    why: str
    source: str
    lesson: Lesson | None = None
    match: Match | None = None  # how it fits, in numbers, if it was searched for

    def __post_init__(self) -> None:
        # Old databases hold hidden characters, too, and so do the caller's own sources.
        object.__setattr__(self, "line", without_hidden(self.line))


@dataclass(frozen=True, slots=True)
class ContextLesson:
    """A lesson in the context, how well it fits, and why."""

    lesson: Lesson
    score: float
    why: str
    layer: Layer


Place = Literal[
    "prompt",  # beside the message, or in the system prompt
    "note",  # in the description of a tool
    "hint",  # beside the error of a call
]


@dataclass(frozen=True, slots=True)
class GivenLesson:
    """A lesson that an agent read in a turn: where it stood, why, and how well it fitted.

    `lesson` is the id that `why` explains; `text` is what the agent read, with its `kind` and, of
    an example, its `polarity`, where that is known.
    """

    lesson: str
    place: Place = "prompt"
    why: str = ""
    score: float | None = None
    text: str = ""
    kind: Kind | None = None
    polarity: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """`text` goes into the prompt as it is; it is empty if nothing relevant was learned.

    To keep the provider's prompt cache, put `stable` into the system prompt (it changes only
    when a standing rule does) and `turn` beside the user's message.
    """

    stable: str
    turn: str
    entries: Sequence[ContextEntry]
    notes: Sequence[str] = ()  # parts that failed or were too slow, and why

    @property
    def text(self) -> str:
        return "\n\n".join(part for part in (self.stable, self.turn) if part)

    @property
    def messages(self) -> Sequence[dict[str, str]]:
        """Return good exchanges as messages (`role`, `content`), to precede the conversation."""
        return [
            {"role": role, "content": content}
            for entry in self.entries
            for role, content in _exchange(entry.lesson)
        ]

    @property
    def lessons(self) -> Sequence[ContextLesson]:
        return [
            ContextLesson(entry.lesson, entry.score, entry.why, entry.layer)
            for entry in self.entries
            if entry.lesson is not None
        ]

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __str__(self) -> str:
        return self.text


def _exchange(lesson: Lesson | None) -> Sequence[tuple[str, str]]:
    """Return the request and the right reply, if a lesson shows both."""
    if lesson is not None and lesson.example is not None:
        if lesson.example.polarity == "positive":
            shown = map(without_hidden, (lesson.example.request, lesson.example.reply))
            return tuple(zip(("user", "assistant"), shown, strict=True))
    elif lesson is not None and lesson.rule is not None:
        rule = lesson.rule
        if rule.fewshot_user and rule.fewshot_assistant:
            return (("user", rule.fewshot_user), ("assistant", rule.fewshot_assistant))
    return ()
