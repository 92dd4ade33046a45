"""The eight layers of what an agent may be told, in their order, and the sections they stand in."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from seasoned.core.scope import Scope
from seasoned.learning.lesson import Kind, Lesson

Layer = Literal[
    "runtime",  # what is so right now: handed in by the caller
    "tools",  # the tools at hand, and how they perform
    "knowledge",  # what users and conversations taught
    "skills",  # procedures worth repeating
    "documents",  # passages of imported documents
    "lessons",  # learned fixes and rules
    "observations",  # what the session's messages amount to
    "reflections",  # what observations amount to
]
LAYERS: tuple[Layer, ...] = get_args(Layer)

SECTIONS: Mapping[str, tuple[Layer, ...]] = {
    "Knowledge Context": ("runtime", "tools", "knowledge", "skills", "lessons"),
    "Semantic Context": ("documents",),
    "Conversation Memory": ("observations", "reflections"),
}
# What other rooms, and users, may fill by a source of their own.
OPEN: frozenset[Layer] = frozenset({"runtime", "tools", "skills", "observations", "reflections"})

LEARNED: frozenset[Kind] = frozenset({"fix", "rule", "example"})


@dataclass(frozen=True, slots=True)
class Request:
    """What a source is asked for."""

    query: str
    scope: Scope
    most: int


Source = Callable[[Request], Iterable[str]]


def section_of(layer: Layer) -> str:
    """The section that a layer's lines stand in."""
    return next(section for section, layers in SECTIONS.items() if layer in layers)


def layer_of(lesson: Lesson) -> Layer:
    """The layer that a lesson belongs to."""
    if lesson.source == "document":
        return "documents"
    return "lessons" if lesson.kind in LEARNED else "knowledge"
